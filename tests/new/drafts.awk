# For drafts.sh: edits of a solution, as `workbook judge` reads them. The file is given twice: an edited line must occur once.
FNR == NR { count[$0]++; next }

# edit(NAME, NEW): the submission in which NEW replaces this line, or nothing if NEW is empty.
function edit(name, new) {
    name = tolower(name " " $0)
    sub(/ *\/\/.*/, "", name)
    gsub(/[^a-z0-9]+/, "-", name)
    name = substr(name, 1, 40)
    sub(/-$/, "", name)
    if (!named[name]++)
        printf "=== %s: right 0\n-%s\n%s\n", name, $0, new == "" ? "" : "+" new "\n"
}

count[$0] > 1 { next }
/^#define BLOCK [0-9]+/ {
    printf "=== half-the-block: right 0\n-%s\n+#define BLOCK %d\n\n", $0, $3 / 2
}
/\/\/ TODO:/ { inside = 1 }
/\/\/ END TODO/ { inside = 0 }
!inside || /^ *(\/\/|[{}])/ { next }
/^ *(if|for|while) .* < / {
    line = $0
    sub(/ < /, " <= ", line)
    edit("one more", line)
}
/^ *if .*\)$/ { edit("no", "") }
/^[^\/]*;/ && !/^ *(for|while|return) / {
    match($0, /^ */)
    edit("no", substr($0, 1, RLENGTH) ";")
}
