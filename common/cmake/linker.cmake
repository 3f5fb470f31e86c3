# WORKBOOK_QUICK_LINKER: the linker option for programs that are graded, or that contain the SIMT machine; empty for the
# compiler's default. gold takes a third of the default linker's time, but some compilers bring a library that it cannot
# open, so a test link decides. Not with sanitizers.
include_guard(GLOBAL)
include(CheckCXXSourceCompiles)
set(WORKBOOK_QUICK_LINKER "")
if(NOT WORKBOOK_SANITIZE)
    set(CMAKE_REQUIRED_LINK_OPTIONS -fuse-ld=gold)
    check_cxx_source_compiles("int count(); int main() { static int once = count(); return once; } int count() { throw 1; }"
        WORKBOOK_GOLD_LINKS)
    unset(CMAKE_REQUIRED_LINK_OPTIONS)
    if(WORKBOOK_GOLD_LINKS)
        set(WORKBOOK_QUICK_LINKER -fuse-ld=gold)
    endif()
endif()
