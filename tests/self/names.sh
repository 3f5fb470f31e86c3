#!/bin/sh
# Grading a chapter never runs the workbook's own tests: these are all named self.* and labelled self, and nothing
# of a chapter is.
. "$SOURCE/tests/self/lib.sh"
scratch=$BUILD/self/names
rm -rf "$scratch" && mkdir -p "$scratch"

# "NAME LABEL..." of each test.
ctest --test-dir "$BUILD" --show-only=json-v1 | awk -F '"' '
    /^      "name" : / { name = $4; label[name] = "" }
    /^          "name" : / { labels = $4 == "LABELS" }
    labels && /^            "/ { label[name] = label[name] " " $2 }
    END { for (name in label) print name label[name] }' >"$scratch/all"
(cd "$SOURCE" && ls [0-9]*/*.cu) | awk -F / '{ n[$1]++ } END { for (c in n) print c, n[c] }' >"$scratch/chapters"

# wrong FILE: the tests whose names or labels are wrong. A chapter is graded by ctest -R NN-topic.
wrong() {
    awk 'FNR == NR { steps[$1] = $2; next }
        { self = 0
          for (i = 2; i <= NF; i++) {
              self = self || $i == "self"
              if ($i in steps) { labelled[$i]++; if (index($1, $i ".") != 1) print $1 ": labelled " $i ", and not named so" }
          }
          for (c in steps) if (index($1, c)) { named[c]++; if (index($1, c ".") != 1) print $1 ": ctest -R " c " runs it, too" }
          if (self != (index($1, "self.") == 1)) print $1 ": named and labelled self, or neither" }
        END { for (c in steps) if (named[c] != 4 * steps[c] || labelled[c] != 4 * steps[c])
            print c ": " named[c] " tests of this name, " labelled[c] " of this label, not four for every step" }' "$scratch/chapters" "$1"
}
wrong "$scratch/all" >"$scratch/wrong"
[ -s "$scratch/wrong" ] && bad "names and labels differ: $(cat "$scratch/wrong")"
[ "$(wc -l <"$scratch/all")" -gt 100 ] || bad "ctest lists $(wc -l <"$scratch/all") tests"

# Guilty: a test of each kind.
for line in 'self.02-scan self;ctest -R 02-scan runs it' 'x.y self;named and labelled' 'self.x;named and labelled' \
    'x.y 02-scan;labelled 02-scan, and not' '02-scan.01-a.b 02-scan;not four for every step' '02-scan.01-a.b;not four for every step'; do
    { cat "$scratch/all"; echo "${line%;*}"; } >"$scratch/guilty"
    wrong "$scratch/guilty" | grep -q "${line#*;}" || bad "not seen: ${line%;*}"
done
finish
