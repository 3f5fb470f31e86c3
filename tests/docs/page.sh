# Tables that a script makes and a page contains, each between <!-- begin NAME ... --> and <!-- end NAME
# ... -->. Sourced.

# Takes the option --write from the script's arguments: $write is then `write`, else `compare`. $made: a folder for output.
write=compare
[ "${1:-}" != --write ] || { write=write && shift; }
again=${again:-"sh $0 --write $*"}
made=$(mktemp) || exit 1
trap 'rm -f "$made" "$made".*' EXIT

# put_tables PAGE HOW MADE NAME...: table NAME is the file MADE.NAME. HOW `write`: writes them into the page; else fails
# with the difference if the page's differ or if it has no place for one. $again: the command that writes them.
put_tables() {
    page=$1 how=$2 made=$3
    shift 3
    cp "$page" "$made"
    for name; do
        if ! grep -q "^<!-- begin $name\>" "$page" || ! grep -q "^<!-- end $name\>" "$page"; then
            echo "$page: no place for a table, <!-- begin $name --> and <!-- end $name -->" >&2
            return 1
        fi
        awk -v name="$name" -v table="$made.$name" '
            $1 == "<!--" && $2 == "begin" && $3 == name {
                print
                while ((getline line < table) > 0) print line
                skip = 1
                next
            }
            $1 == "<!--" && $2 == "end" && $3 == name { skip = 0 }
            !skip' "$made" > "$made.page"
        mv "$made.page" "$made"
    done
    if [ "$how" = write ]; then
        cp "$made" "$page"
    elif ! diff -u "$page" "$made"; then
        echo "$page: a table is not what is made now; this writes it: $again" >&2
        return 1
    fi
}
