#!/bin/sh
# The tolerance of a chapter that computes in floats is derived, not generous: its driver reports the share that a
# solution uses, "at most 31.0 % of the error allowed", which must not be tiny. A tolerance a thousand times as wide lets
# a wrong term pass.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/tolerance
rm -rf "$scratch" && mkdir -p "$scratch"

# narrow LEAST: standard input has shares of the allowed error, each at least that many percent.
narrow() {
    grep -o '[0-9.]* % of the [a-z]*' | awk -v least="$1" '{ seen++; if ($1 < least) { print; wide = 1 } } END { exit wide || !seen }'
}
for step in 05-tridiagonal/03-cyclic-reduction 07-matmul/01-naive 08-convolution/01-direct 09-gather/02-gather; do
    [ -x "$BUILD/solutions/$step" ] || { bad "$step is not built"; continue; }
    expect 0 ' allowed$' env SIMT_CHECK=none "$BUILD/solutions/$step" --check --n 64
    printf '%s\n' "$output" | grep ' allowed$' | sed 's/.*; //'
    printf '%s\n' "$output" | narrow 0.1 || bad "$step: of its tolerance hardly anything is used"
done

# Guilty: a tolerance of which nothing is used, one of two, no share at all. Innocent: both used.
for shares in 'at most 0.0 % of the error allowed' 'at most 20.0 % of the residual and 0.0 % of the error allowed' 'right in 1 run'; do
    echo "$shares" | narrow 0.1 >/dev/null && bad "not seen: $shares"
done
echo 'at most 20.0 % of the residual and 31.1 % of the error allowed' | narrow 0.1 || bad "what is used is not seen"
finish
