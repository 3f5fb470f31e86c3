#!/bin/sh
# tests/hardware/preset.txt, the record of the gpu preset: it has all its lines, every test of every step passed, none
# failed. since.sh lists the changes since; it is tried in a repository made for it.
. "$SOURCE/tests/self/lib.sh"
record=$SOURCE/tests/hardware/preset.txt
field() { sed -n "s/^$1 *//p" "$record"; }
for name in date commit device toolkit cores start build tests passed failed skipped; do
    [ -n "$(field $name)" ] || bad "$record has no line '$name'"
done
[ "$(field failed)" = 0 ] || bad "$(field failed) tests failed on the GPU"
steps=$(ls "$SOURCE"/[0-9]*/*.cu | wc -l)
[ "$(field passed)" -ge $((4 * steps)) ] || bad "only $(field passed) tests passed there, and there are $steps steps"

command -v git >/dev/null || { echo "no git: since.sh is not tried"; finish; }
tree=$BUILD/self/since
rm -rf "$tree" && mkdir -p "$tree/tests/hardware" "$tree/docs" && cd "$tree" || exit 1
cp "$SOURCE/tests/hardware/since.sh" tests/hardware/
echo one >harness.h && echo one >docs/page.md
save() { git add -A && git -c user.name=t -c user.email=t@t commit -qm "$1"; }
git init -q . && save first
keep() { printf 'date     2026-01-01\ncommit   %s\npassed   9\nfailed   %s\n' "$1" "$2" >tests/hardware/preset.txt; }
keep "$(git rev-parse HEAD)" 0 && save record
expect 0 'nothing that a GPU could tell has changed' sh tests/hardware/since.sh --fresh
echo two >docs/page.md
expect 0 'nothing that a GPU could tell has changed' sh tests/hardware/since.sh --fresh
echo two >harness.h
expect 1 ' harness.h ' sh tests/hardware/since.sh --fresh
expect 0 ' harness.h ' sh tests/hardware/since.sh
git checkout -q harness.h
keep "$(git rev-parse HEAD~1)" 2
expect 1 'failed   2' sh tests/hardware/since.sh --fresh
keep 0123456789ab 0
expect 1 "commit '0123456789ab' is not in this repository" sh tests/hardware/since.sh
finish
