# Makes a C file with the text of others: cmake -D NAME=name -D OUT=FILE.c -D "FILES=A;B" -P embed.cmake
# Lines that include a file of the tree are left out: what they name is among FILES.
set(text "")
foreach(file IN LISTS FILES)
    file(READ ${file} one)
    string(REGEX REPLACE "#include \"[^\n]*\n" "" one "${one}")
    string(APPEND text "${one}")
endforeach()
file(WRITE ${OUT}.text "${text}")
file(READ ${OUT}.text bytes HEX)
file(REMOVE ${OUT}.text)
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "// Made by embed.cmake.\nextern const char ${NAME}[];\nconst char ${NAME}[] = {${bytes}0};\n")
