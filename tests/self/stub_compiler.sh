# Replaces common/cmake/compile.sh if a stub also replaces the judge: a program that nothing runs need not be compiled. The
# object is that of an empty program, OBJECT.source is the text, and the list of files read names only SOURCE. It finds no
# error, warns of nothing, and knows no header. self.stub compares the runner's output with that for the real one.
source= object= list= previous=
for argument; do
    case $argument in *.cu) source=$argument ;; esac
    case $previous in
    -o) object=$argument ;;
    -MF) list=$argument ;;
    esac
    previous=$argument
done
[ -z "$list" ] || printf '%s: %s\n' "$object" "$source" | sed 's/\([^:]\) /\1\\ /g' >"$list"
cp -- "$source" "$object.source" && cp -- "$0.object" "$object"
