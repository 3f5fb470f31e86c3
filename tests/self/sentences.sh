#!/bin/sh
# A TODO is a task, one idea a sentence: no sentence of a solution's TODO has more than 25 words.
. "$SOURCE/tests/self/lib.sh"
cd "$SOURCE" || exit 1
scratch=$BUILD/self/sentences
rm -rf "$scratch" && mkdir -p "$scratch"

# sentences FILE...: those of TODO comments that are longer than 25 words. A word has a letter or a digit; three dots
# end no sentence, nor does a point inside a word.
sentences() {
    awk -v longest=25 '
        function judge(text, n, word, words, first, i) {
            n = split(text, word, " ")
            for (i = 1; i <= n; i++) {
                if (!words)
                    first = word[i]
                words += word[i] ~ /[A-Za-z0-9]/
                if (word[i] !~ /[.?!]$/ || word[i] ~ /\.\.\.$/)
                    continue
                if (words > longest && ++bad)
                    print where ": a sentence of " words " words, longer than " longest ": " first " ..."
                words = 0
            }
            if (words > longest && ++bad)
                print where ": a sentence of " words " words, longer than " longest ": " first " ..."
        }
        FNR == 1 { open = 0 }
        /^ *\/\/ TODO:/ { open = 1; where = FILENAME ":" FNR; text = "" }
        open && /^ *\/\// { sub(/^ *\/\/ *(TODO:)?/, ""); text = text " " $0; next }
        open { open = 0; judge(text) }
        END { exit bad > 0 }' "$@"
}
sentences solutions/*/*.cu || bad "a TODO has a sentence of over 25 words: split it"

# Guilty: a sentence of 26 words, over two lines. Innocent: two of 25, with operators and three dots in them, and a long
# comment that is not a TODO.
fill() {
    i=0
    while [ $((i += 1)) -lt "$1" ]; do
        printf 'n '
    done
    printf 'n.\n'
}
{
    printf '// TODO: x = ..., '
    fill 25 | sed 's/\.$//'
    printf '// And so on.\n    int n;\n'
} >"$scratch/guilty.cu"
sentences "$scratch/guilty.cu" >"$scratch/found" && bad "a long sentence of a TODO passes"
grep -q 'guilty.cu:1: a sentence of 29 words' "$scratch/found" || bad "a long sentence is not named: $(cat "$scratch/found")"
{
    printf '    // TODO: '
    fill 25
    printf '    // a + b = 1, ..., '
    fill 22
    printf '    int n;\n    // '
    fill 60
} >"$scratch/innocent.cu"
sentences "$scratch/innocent.cu" || bad "sentences of 25 words are refused"
finish
