# The architectures for which CUDA sources are compiled.
include_guard(GLOBAL)

# compute_80: the first with asynchronous copies. For older ones the compiler replaces these by plain copies, and a
# missing wait would not show.
set(WORKBOOK_PTX_ARCH 80 CACHE STRING "Virtual architecture of the programs' PTX")
# The emulated device's. The SIMT machine reads its machine code to learn how many registers ptxas gave each kernel.
set(WORKBOOK_MACHINE_ARCH 90)

# Sets variable to those of the GPUs' architectures that run code for compute_<arch>: 90 and newer run that of 90, and
# only 90 runs that of 90a, under this name. GPUs older than the usual architecture are still compiled for.
function(archs_for variable arch)
    string(REGEX MATCH "^[0-9]+" number ${arch})
    set(archs "")
    foreach(card IN LISTS WORKBOOK_ARCHS)
        if(arch STREQUAL WORKBOOK_PTX_ARCH OR (card GREATER_EQUAL number AND arch STREQUAL number))
            list(APPEND archs ${card})
        elseif(card EQUAL number)
            list(APPEND archs ${arch})
        endif()
    endforeach()
    set(${variable} "${archs}" PARENT_SCOPE)
endfunction()
