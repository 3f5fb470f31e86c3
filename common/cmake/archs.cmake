# The architectures that sources of CUDA are compiled for.
include_guard(GLOBAL)

# compute_80: the first with asynchronous copies. Below it the compiler makes plain ones of them, and a wait that is
# missing would not show.
set(WORKBOOK_PTX_ARCH 80 CACHE STRING "Virtual architecture of the programs' PTX")
# The emulated device's. In machine code for it the SIMT machine reads how many registers ptxas gave each kernel.
set(WORKBOOK_MACHINE_ARCH 90)
