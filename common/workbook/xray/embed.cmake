# Writes OUT, a C file that holds PAGE, STYLE and SCRIPTS (a list of files) as one text, xray_page. The files replace
# the marks <!-- style --> and <!-- script --> in page.html.
function(hex variable file)
    file(READ ${file} bytes HEX)
    set(${variable} "${bytes}" PARENT_SCOPE)
endfunction()

function(put variable mark text)
    string(HEX "<!-- ${mark} -->" mark)
    string(REPLACE ${mark} "${text}" page "${${variable}}")
    set(${variable} "${page}" PARENT_SCOPE)
endfunction()

hex(page ${PAGE})
hex(style ${STYLE})
set(script "")
foreach(file IN LISTS SCRIPTS)
    hex(part ${file})
    string(APPEND script "${part}")
endforeach()
put(page style "${style}")
put(page script "${script}")
string(REGEX REPLACE "(..)" "0x\\1," page "${page}")
file(WRITE ${OUT} "// Made by embed.cmake.\n#include \"xray/page.h\"\n\nconst char xray_page[] = {${page}0};\n")
