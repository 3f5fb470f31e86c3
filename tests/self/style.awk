# style.awk: those rules of STYLE for C and CUDA files that awk can check. Prints one line per offence, exits 1 if any.
#   awk -v lines=800 -v columns=120 -v longest=40 -f style.awk FILES
function offence(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    offences++
}
FNR == 1 {
    body = 0
    if ($0 !~ /^\/\//)
        offence("a file opens with a comment that says what it is for")
    own = FILENAME
    gsub(/.*\/|\.[a-z]+$/, "", own)
    if (index($0, "(" own ".h)") || /see the header/)
        offence("a file opens with what it is for, and why it is so, not with the name of its header")
}
FNR == lines + 1 { offence("longer than " lines " lines") }
/\t/ { offence("tab") }
/[ \t]$/ { offence("space at the end of the line") }
/setlocale\(/ && !/LC_CTYPE/ { offence("setlocale of more than LC_CTYPE: numbers would be read and written with a comma") }
length($0) > columns { offence("wider than " columns " columns") }
# A message of several lines breaks after a punctuation mark or before a parenthesis. Commands between backquotes, assembly and
# CUDA's own texts (error_text.c) break where they must.
/^ *"/ && phrase && !/^ *" ?[({}`[]/ { offence("a message broken in mid-phrase: break it behind a comma or a full stop") }
{ phrase = /[a-z0-9%] "$/ && !/[{}]/ && split($0, quoted, "`") % 2 && FILENAME !~ /error_text/ }
# A function's body is between a brace at the first column and the next one.
/^{/ { body = FNR }
/^}/ {
    if (body && FNR - body - 1 > longest)
        offence("function body of " FNR - body - 1 " lines, at most " longest)
    body = 0
}
END { exit offences > 0 }
