#!/bin/sh
# The manual pages are well formed; simt(7) has every variable that the machine reads, simtcc(1) every option of simtcc;
# and the machine reads its environment in one place.
. "$SOURCE/tests/self/lib.sh"
cd "$SOURCE" || exit 1
pages='common/simtcc/simtcc.1 common/simtcc/simt.7'
variables=$(sed -n 's/.*[^_a-z]setting("\(SIMT_[A-Z]*\)").*/\1/p' common/simt/report/settings.c)
[ "$(echo "$variables" | wc -l)" -ge 8 ] || bad "the variables are not found in settings.c"
for variable in $variables; do
    grep -q "^\.B $variable\$" common/simtcc/simt.7 || bad "simt.7 lacks $variable"
    grep -q "^| \`$variable\`" docs/simt.md || bad "docs/simt.md lacks $variable"
done
for variable in $(sed -n 's/^\.B \(SIMT_[A-Z]*\)$/\1/p' common/simtcc/simt.7); do
    echo "$variables" | grep -qx "$variable" || bad "simt.7 has $variable, which the machine does not read"
done
for option in $(sh common/simtcc/simtcc.sh --help | sed -n 's/^  \(--[a-z]*\).*/\1/p'); do
    grep -q "$(echo "$option" | sed 's/-/\\\\-/g')" common/simtcc/simtcc.1 || bad "simtcc.1 lacks $option"
done
grep -rn 'getenv(' common/simt | grep -v 'report/settings.c:[0-9]*:    const char \*value = getenv(name);$' | grep -v 'getenv("PWD")' &&
    bad "these read the environment past setting(), which knows what the program itself says"
if command -v mandoc >/dev/null; then
    mandoc -T lint -W error $pages || bad "mandoc finds mistakes"
elif command -v man >/dev/null; then
    for page in $pages; do
        man -l --warnings "$page" 2>&1 >/dev/null | grep . && bad "man finds mistakes in $page"
    done
else
    echo "left out: neither mandoc nor man is there"
fi
finish
