# The architectures that sources of CUDA are compiled for.
include_guard(GLOBAL)

# compute_80: the first with asynchronous copies. Below it the compiler makes plain ones of them, and a wait that is
# missing would not show.
set(WORKBOOK_PTX_ARCH 80 CACHE STRING "Virtual architecture of the programs' PTX")
# The emulated device's. In machine code for it the SIMT machine reads how many registers ptxas gave each kernel.
set(WORKBOOK_MACHINE_ARCH 90)

# Sets variable to those of the GPUs' architectures that run code for compute_<arch>: 90 and newer run that of 90, and 90
# alone that of 90a, under this name. Older GPUs than the usual one are compiled for all the same.
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
