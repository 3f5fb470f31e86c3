# Sourced, after tools.sh: the steps with estimated times (h200-estimates.csv), and their programs.

# list_steps: lines CHAPTER/STEP N; first the first step of each chapter, then the second ones, and so on.
list_steps() {
    awk -F, '
        /^#/ || $1 == "step" { next }
        { split($1, part, "/") }
        !($1 in number) { number[$1] = ++steps[part[1]] }
        { print number[$1], $1, $2 }' tests/hardware/h200-estimates.csv | sort -s -n -k 1,1 | cut -d ' ' -f 2-
}

# build_steps LIST FOLDER: the programs of these steps, as FOLDER/CHAPTER.STEP.
build_steps() {
    mkdir -p "$2"
    cut -d ' ' -f 1 "$1" | sort -u | xargs -P "$(nproc)" -I STEP sh -c \
        '. "$2"
         nvcc -O3 -arch=native -I common $(nested "solutions/$0.cu") "solutions/$0.cu" -o "$1/$(echo "$0" | tr / .)" 2>/dev/null' \
        STEP "$2" "${0%/*}/tools.sh"
}

# record_steps FILE COLUMNS JOBS SECONDS: writes FILE, with a row that the calling script prints for `--row PROGRAM STEP N
# END`, for each step at its largest n up to 2^20; JOBS at a time. No step begins SECONDS after the start, the time END.
record_steps() {
    need nvidia-smi nvcc ncu
    work=$(mktemp -d)
    list_steps | awk '$2 <= 1048576 { if (!($1 in most)) order[++count] = $1; if ($2 > most[$1]) most[$1] = $2 }
        END { for (i = 1; i <= count; i++) print order[i], most[order[i]] }' >"$work/steps"
    end=$(($(date +%s) + $4))
    build_steps "$work/steps" "$work/bin"
    {
        echo "# $(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | head -1), $(date -u +%Y-%m-%d), Nsight Compute: ${0##*/}"
        echo "$2"
        # ncu takes long to start, and queues for the card itself
        sed 's,\([^ ]*\) \(.*\),\1 \1 \2,; s,/,.,' "$work/steps" |
            xargs -P "$3" -L 1 sh -c 'sh "$0" --row "$1/$3" "$4" "$5" "$2"' "$0" "$work/bin" "$end" | sort
    } >"$1"
    rm -r "$work"
}
