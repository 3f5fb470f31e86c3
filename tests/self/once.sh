#!/bin/sh
# A step is compiled once: the graded program and the standalone one are links of one object.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/once
rm -rf "$scratch" && mkdir -p "$scratch"
cd "$SOURCE" || exit 1

# compiled FOLDER: the step of each command below FOLDER, the rules of a build, that compiles one. A GPU's for NCCL is another
# one. Builds of other tests, in FOLDER/self, are excluded.
compiled() {
    find "$1" -path "$1/self" -prune -o \( -name build.make -o -name build.ninja \) -exec grep -ho -e "-c $SOURCE/[^ ]*/[0-9]*-[^ ]*\.cu -o [^ ]*" {} + |
        sed -n "/\.nccl\.o$/d; s,^-c $SOURCE/\(.*\)\.cu -o .*,\1,p" | grep '^[0-9]\|^solutions/' | LC_ALL=C sort
}
ls [0-9]*/*.cu solutions/*/*.cu | sed 's/\.cu$//' | LC_ALL=C sort >"$scratch/steps"
compiled "$BUILD" | diff "$scratch/steps" - || bad "these steps are not compiled once: < never, > again"

# same_code A B: the device code of the program B begins with that of the object A; the driver's, which has
# none, follows.
code() { objcopy -O binary -j .nv_fatbin "$1" "$2"; }
same_code() {
    code "$1" "$scratch/a" && code "$2" "$scratch/b" && cmp -s -n "$(wc -c <"$scratch/a")" "$scratch/a" "$scratch/b"
}
for step in $(grep '^solutions/' "$scratch/steps" | sort -u -t / -k 2,2); do # one of each chapter
    for program in "$BUILD/graded/$step" "$BUILD/$step"; do
        same_code "$BUILD/objects/$step.o" "$program" || bad "$program is not a link of objects/$step.o"
    done
done

# Guilty: a step that is compiled again, and another step's object.
mkdir "$scratch/rules"
printf '\tnvcc -c %s/01-reduction/05-sequential.cu -o %s\n' "$SOURCE" a.o "$SOURCE" b.o >"$scratch/rules/build.make"
[ "$(compiled "$scratch/rules" | uniq -d)" = 01-reduction/05-sequential ] || bad "a step that is compiled twice is not seen"
step=solutions/01-reduction
same_code "$BUILD/objects/$step/06-first-add.o" "$BUILD/$step/05-sequential" && bad "another step's object passes"
finish
