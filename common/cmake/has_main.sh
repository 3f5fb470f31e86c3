# Reports in one line, where the linker would take ten, that the program FILE, shown as NAME.cu, is empty
# or has no main.
#
#     sh has_main.sh FILE NAME
if ! grep -q 'main *(' "$1"; then
    echo "$2.cu: error: it is empty, or its main is missing; \`workbook reset $2\` puts the file back, yours is kept"
    exit 1
fi
