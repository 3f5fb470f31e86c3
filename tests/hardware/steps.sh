# Sourced: the steps with estimated times (h200-estimates.csv), and their programs.

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
