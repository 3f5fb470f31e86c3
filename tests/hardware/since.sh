#!/bin/sh
# Lists what has changed since the presets were last run on a GPU (preset.txt), except pages, hints and the records
# themselves:
#
#     sh tests/hardware/since.sh             lists the files; always ends with 0 where there is a record
#     sh tests/hardware/since.sh --fresh     ends with 1 where one has changed, or a test failed; for a release
set -u
cd "$(dirname "$0")/../.." || exit 1
record=tests/hardware/preset.txt
commit=$(sed -n 's/^commit *//p' "$record")
failed=$(sed -n 's/^failed *//p' "$record")
if [ -z "$commit" ] || ! git cat-file -e "$commit^{commit}" 2>/dev/null; then
    echo "$record: commit '$commit' is not in this repository's history; run tests/hardware/preset.sh on a GPU again"
    exit 1
fi
sed -n '/^date\|^commit\|^device\|^passed\|^failed\|^skipped/p' "$record"
changed=$(git diff --stat "$commit" -- . ':!docs' ':!*.md' ':!*/hints.txt' ':!tests/hardware/*.txt' ':!tests/hardware/*.csv')
if [ -n "$changed" ]; then
    echo "changed since:"
    echo "$changed"
else
    echo "nothing that a GPU could tell has changed since"
fi
[ "${1:-}" != --fresh ] || { [ -z "$changed" ] && [ "$failed" = 0 ]; }
