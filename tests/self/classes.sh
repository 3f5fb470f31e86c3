#!/bin/sh
# The classes of classes.list have their submissions: each is in its file, three of a class are refused, two pass. LIST
# names another list.
. "$SOURCE/tests/self/lib.sh"
list=${LIST:-$SOURCE/tests/submissions/classes.list}
end_class() {
    [ -z "$class" ] && return
    [ "$refused" -ge 3 ] || bad "class $class: $refused submissions are to be refused, at least 3"
    [ "$passing" -ge 2 ] || bad "class $class: $passing submissions are to pass, at least 2"
    classes=$((classes + 1))
}

count() {
    file=$1
    shift
    for name; do
        grep -q "^=== $name:" "$SOURCE/tests/submissions/$file" 2>/dev/null || bad "$file has no submission $name"
        case $file in
        *.right) passing=$((passing + 1)) ;;
        *) refused=$((refused + 1)) ;;
        esac
    done
}

class='' classes=0
while read -r first rest; do
    case $first in
    '' | '#'*) ;;
    class)
        end_class
        class=${rest%%:*} refused=0 passing=0
        ;;
    *) count "$first" $rest ;;
    esac
done <"$list"
end_class

if [ -z "${LIST:-}" ]; then # Guilty: a name that does not exist, and too few.
    wrong=$BUILD/classes.list
    printf 'class few: a test\n01-reduction/05-sequential.wrong endless no-such-name\n' >"$wrong"
    said=$(LIST=$wrong sh "$0")
    for want in 'no submission no-such-name' 'class few: 2 submissions are to be refused' 'class few: 0 submissions are to pass'; do
        case $said in
        *"$want"*) ;;
        *) bad "a list that is wrong passes: $want" ;;
        esac
    done
    rm "$wrong"
fi
[ "$classes" -ge 15 ] || [ -n "${LIST:-}" ] || bad "there are $classes classes"
finish
