# Finds nvcc and the GPU. Sets
#   WORKBOOK_NVCC      path of nvcc
#   WORKBOOK_TOOLKIT   the toolkit's directory (the one above bin),
#   WORKBOOK_INCLUDES  its folders of headers,
#   WORKBOOK_LIBRARIES and of libraries, all three as nvcc reports them: the nvcc that is found may be a script or a link
#   WORKBOOK_ARCHS     architectures to make machine code for ("90"); empty: no GPU
#   WORKBOOK_PROBLEM   what is wrong with the toolkit or with this tree's path, and what to do; empty: nothing
#
# Custom commands call nvcc, and CMake's CUDA language is not enabled: configuring takes 0.3 s instead of 3 s (measured
# with 3.25.1 and nvcc 13.0 on two cores). This also avoids CMake 3.25's default architecture, compute_52, which nvcc 13
# no longer has.

set(WORKBOOK_PROBLEM "")
set(WORKBOOK_ARCHS "")

# Where toolkits are installed if PATH is not set for them, newest version first. A search for tools, not for sources.
if(NOT WORKBOOK_PLACES)
    file(GLOB versions LIST_DIRECTORIES true /usr/local/cuda-*)
    list(SORT versions COMPARE NATURAL ORDER DESCENDING)
    set(WORKBOOK_PLACES /usr/local/cuda/bin ${versions} /opt/cuda/bin)
endif()
if(DEFINED CACHE{WORKBOOK_NVCC} AND NOT EXISTS "$CACHE{WORKBOOK_NVCC}")
    unset(WORKBOOK_NVCC CACHE) # uninstalled or moved since, or never found: search again
endif()
find_program(WORKBOOK_NVCC nvcc
    HINTS $ENV{CUDA_HOME}/bin $ENV{CUDA_PATH}/bin
    PATHS ${WORKBOOK_PLACES}
    PATH_SUFFIXES bin
    DOC "nvcc of the CUDA Toolkit")
set(version "")
if(WORKBOOK_NVCC)
    execute_process(COMMAND ${WORKBOOK_NVCC} --version OUTPUT_VARIABLE version ERROR_VARIABLE version)
    string(REGEX MATCH "release ([0-9.]+)" version "${version}")
    set(version "${CMAKE_MATCH_1}")
endif()

set(install "  Install it from https://developer.nvidia.com/cuda-downloads (no GPU and no driver is needed).\n\
  Is it in an unusual place? Set CUDA_HOME, or add -DWORKBOOK_NVCC=/path/to/bin/nvcc.")
if(NOT WORKBOOK_NVCC)
    set(WORKBOOK_PROBLEM "nvcc was not found.\n\
  Warpbook needs the CUDA Toolkit, version 12 or newer. It was looked for in CUDA_HOME, CUDA_PATH, PATH,\n\
  /usr/local/cuda, /usr/local/cuda-* and /opt/cuda.\n${install}")
elseif(version VERSION_LESS 12)
    set(WORKBOOK_PROBLEM "${WORKBOOK_NVCC} is of CUDA '${version}'.\n\
  Warpbook needs the CUDA Toolkit, version 12 or newer.\n${install}")
endif()
set(WORKBOOK_NVCC_VERSION "${version}")

# The folders of the toolkit: `nvcc --dryrun` prints TOP=..., INCLUDES="-I..." and LIBRARIES="-L..." of its profile.
function(toolkit_folders)
    execute_process(COMMAND ${WORKBOOK_NVCC} --dryrun -x cu /dev/null OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(said MATCHES "#\\$ TOP=([^\n]+)")
        file(REAL_PATH "${CMAKE_MATCH_1}" top)
    else()
        file(REAL_PATH "${WORKBOOK_NVCC}" top)
        cmake_path(GET top PARENT_PATH top)
        cmake_path(GET top PARENT_PATH top)
    endif()
    set(WORKBOOK_TOOLKIT ${top} PARENT_SCOPE)
    foreach(kind IN ITEMS "INCLUDES;I;include" "LIBRARIES;L;lib64;lib")
        list(POP_FRONT kind variable letter)
        set(folders "")
        string(REGEX MATCH "#\\$ ${variable}=[^\n]*" line "${said}")
        string(REGEX MATCHALL "\"-${letter}[^\"]+\"" options "${line}")
        foreach(option IN LISTS options)
            string(REGEX REPLACE "^\"-${letter}(.*)\"$" "\\1" folder "${option}")
            if(NOT folder MATCHES "/stubs$")
                list(APPEND folders ${folder})
            endif()
        endforeach()
        list(TRANSFORM kind PREPEND ${top}/)
        list(APPEND folders ${kind})
        set(WORKBOOK_${variable} "${folders}" PARENT_SCOPE)
    endforeach()
endfunction()

if(NOT WORKBOOK_PROBLEM)
    toolkit_folders()
    string(TOLOWER "${WORKBOOK_GPU}" gpu)
    if(gpu STREQUAL "auto" OR gpu STREQUAL "on")
        # Both print the compute capability of every GPU: "90" or "9.0". Without a driver they fail.
        execute_process(COMMAND ${WORKBOOK_TOOLKIT}/bin/__nvcc_device_query
            OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
        if(failed)
            execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE failed)
        endif()
        if(NOT failed)
            string(REPLACE "." "" found "${found}")
            string(REGEX MATCHALL "[0-9]+" WORKBOOK_ARCHS "${found}")
        endif()
    elseif(gpu MATCHES "^[0-9]+(;[0-9]+)*$")
        set(WORKBOOK_ARCHS ${gpu})
    elseif(NOT gpu STREQUAL "off")
        set(WORKBOOK_PROBLEM "WORKBOOK_GPU is '${WORKBOOK_GPU}'; expected auto, on, off or architectures such as 90.")
    endif()
    list(REMOVE_DUPLICATES WORKBOOK_ARCHS)
    if(gpu STREQUAL "on" AND NOT WORKBOOK_ARCHS)
        set(WORKBOOK_PROBLEM "No GPU was found, and WORKBOOK_GPU=on asks for one.\n\
  Does nvidia-smi list it? Without a GPU: cmake --preset default.")
    endif()
endif()

if(NOT WORKBOOK_PROBLEM AND NOT WORKBOOK_GRADE MATCHES "^(starters|solutions)$")
    set(WORKBOOK_PROBLEM "WORKBOOK_GRADE is '${WORKBOOK_GRADE}'; expected starters or solutions.")
elseif(NOT WORKBOOK_PROBLEM AND WORKBOOK_GRADE STREQUAL "solutions"
    AND NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/solutions)
    set(WORKBOOK_PROBLEM "WORKBOOK_GRADE=solutions, but this tree has no solutions/.\n\
  The presets test, gpu, asan and tsan are for the complete tree. Here: cmake --workflow --preset start.")
endif()

# nvcc hands file names to a shell and splits lists at commas; CMake and make have special characters of their
# own. Blanks and letters of any script are fine. Line breaks, tabs and bytes that are not UTF-8 are not: nvcc
# writes ? for these.
foreach(folder IN ITEMS "${CMAKE_SOURCE_DIR}" "${CMAKE_BINARY_DIR}")
    string(HEX "${folder}" bytes)
    string(REGEX REPLACE "\\[([^][]*)\\]" "\\1" signs "${folder}") # matched brackets are harmless, others not
    if(signs MATCHES "[]['\"`$,;:|#<>]")
        set(WORKBOOK_PROBLEM "The folder ${folder}\n\
  has ${CMAKE_MATCH_0} in its name, which nvcc, CMake or make takes for something else. Move or rename it.")
    elseif(NOT bytes MATCHES "^([2-6].|7[0-9a-e]|(c[2-9a-f]|d.|e.[89ab].|f[0-4][89ab].[89ab].)[89ab].)*$")
        string(REGEX REPLACE "[^ -~]" "?" folder "${folder}")
        set(WORKBOOK_PROBLEM "The folder ${folder}\n\
  has a line break, a tab or a byte that is not UTF-8 in its name, where each ? stands. Move or rename it.")
    endif()
endforeach()
