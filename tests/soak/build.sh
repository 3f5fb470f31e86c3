#!/bin/sh
# Builds one program of soak.sh: $work/NAME from $work/NAME.cu, NAME being CHAPTER.STEP.SUBMISSION. The build has the
# solutions already.
name=$1
step=${name%.*}
built=$BUILD/graded/solutions/$(echo "$step" | tr . /)
if [ "${name##*.}" = solution ] && [ -x "$built" ]; then
    cp "$built" "$work/$name"
    exit
fi
arch=$(awk -F '\t' -v chapter="${step%.*}" -v step="${step#*.}" '$1 == chapter && $2 == step { print $4 }' "$BUILD/course.tsv")
sh "$BUILD/program.sh" graded "$arch" "$work/$name.cu" "$work/$name" >"$work/$name.log" 2>&1 || { cat "$work/$name.log" && exit 255; }
