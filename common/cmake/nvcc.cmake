# How CUDA sources are compiled, and how builds are serialized: for the exercises, for the tests, and for the SIMT
# machine by itself. WORKBOOK_TREE is the folder above common/; toolkit.cmake comes first.
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/archs.cmake)

cmake_host_system_information(RESULT WORKBOOK_JOBS QUERY NUMBER_OF_LOGICAL_CORES)

# The flags for everything that the SIMT machine runs, for graded programs, and additional ones for this tree's.
set(WORKBOOK_SIMT_FLAGS -cudart none -ccbin ${CMAKE_CXX_COMPILER} -lineinfo -no-compress)
set(WORKBOOK_NVCC_FLAGS ${WORKBOOK_SIMT_FLAGS} -I ${WORKBOOK_TREE}/common)
set(WORKBOOK_NVCC_TREE_FLAGS -Xcompiler -Wall,-Wextra)
if(WORKBOOK_ARCHS) # -O is the host's: a peer's reference must keep up with inputs of 2^28
    list(APPEND WORKBOOK_NVCC_TREE_FLAGS -O2)
endif()
if(WORKBOOK_WERROR)
    list(APPEND WORKBOOK_NVCC_TREE_FLAGS -Werror all-warnings)
endif()

# The compiler command: compile.sh, with the lean cuda_runtime.h if it provides all of <utility> that the toolkit needs.
function(find_compiler)
    set(lean -)
    find_file(header cuda_runtime.h HINTS ${WORKBOOK_INCLUDES} NO_CACHE)
    if(header)
        file(STRINGS ${header} uses REGEX "std::")
        list(FILTER uses EXCLUDE REGEX "^[^:]*std::forward<[^:]*$")
        if(NOT uses)
            set(lean ${WORKBOOK_TREE}/common/cmake/lean)
        endif()
    endif()
    set(WORKBOOK_LEAN ${lean} PARENT_SCOPE)
    set(WORKBOOK_COMPILE sh ${WORKBOOK_TREE}/common/cmake/compile.sh ${lean} ${WORKBOOK_NVCC} PARENT_SCOPE)
endfunction()
find_compiler()

# The prefix of a command that builds in this folder. It serializes builds, as the runner's build_target() does, since
# two makes, or two Ninjas, would write the same files and the same log.
set(WORKBOOK_LOCKED "")
find_program(WORKBOOK_FLOCK flock)
if(WORKBOOK_FLOCK)
    set(WORKBOOK_LOCKED ${WORKBOOK_FLOCK} ${CMAKE_BINARY_DIR}/build.lock)
endif()

# The target that makes an object of nvcc_object.
function(object_target variable object)
    cmake_path(RELATIVE_PATH object BASE_DIRECTORY ${CMAKE_BINARY_DIR}/objects OUTPUT_VARIABLE name)
    string(REPLACE "/" "." name ${name})
    set(${variable} object.${name} PARENT_SCOPE)
endfunction()

# The object of source: PTX for ptx_arch, and machine code for archs, a list of architectures. `machine`: the emulated
# one, from that PTX; default. `none`: no machine code. Further arguments are flags.
function(nvcc_object object source ptx_arch archs)
    set(code "-gencode=arch=compute_${ptx_arch},code=compute_${ptx_arch}")
    if(NOT archs)
        set(archs machine)
    endif()
    set(emulated ${WORKBOOK_MACHINE_ARCH})
    if(ptx_arch MATCHES "a$") # its code runs on one architecture
        set(emulated ${ptx_arch})
    endif()
    foreach(arch IN LISTS archs)
        if(arch STREQUAL "machine")
            list(APPEND code "-gencode=arch=compute_${ptx_arch},code=sm_${emulated}")
        elseif(NOT arch STREQUAL "none")
            list(APPEND code "-gencode=arch=compute_${arch},code=sm_${arch}")
        endif()
    endforeach()
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${WORKBOOK_TREE} OUTPUT_VARIABLE shown)
    cmake_path(REMOVE_EXTENSION shown OUTPUT_VARIABLE name)
    cmake_path(GET object PARENT_PATH folder)
    file(MAKE_DIRECTORY ${folder})
    set(has_main COMMAND sh ${WORKBOOK_TREE}/common/cmake/has_main.sh ${source} ${name})
    if(shown MATCHES "^common/") # a driver
        set(has_main "")
    endif()
    add_custom_command(OUTPUT ${object}
        ${has_main}
        COMMAND ${WORKBOOK_COMPILE} ${code} ${WORKBOOK_NVCC_FLAGS} ${WORKBOOK_NVCC_TREE_FLAGS} ${ARGN}
            -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
        DEPENDS ${source}
        DEPFILE ${object}.d
        COMMENT "nvcc ${shown}"
        VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    object_target(maker ${object})
    add_custom_target(${maker} DEPENDS ${object}) # built in parallel with the libraries, and once for all links
    set_target_properties(${maker} PROPERTIES WORKBOOK_SOURCE ${source})
endfunction()

# An executable at build/<output> from an object made by nvcc.
function(nvcc_executable target output object)
    add_executable(${target} EXCLUDE_FROM_ALL ${object})
    object_target(maker ${object})
    add_dependencies(${target} ${maker})
    cmake_path(GET output PARENT_PATH folder)
    cmake_path(GET output FILENAME file)
    set_target_properties(${target} PROPERTIES
        LINKER_LANGUAGE CXX
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${folder}
        OUTPUT_NAME ${file})
endfunction()

# The toolkit's runtime, for the second link.
function(link_real_runtime target)
    find_library(WORKBOOK_CUDART cudart_static PATHS ${WORKBOOK_LIBRARIES} NO_DEFAULT_PATH)
    target_link_libraries(${target} PRIVATE ${WORKBOOK_CUDART} rt pthread dl)
endfunction()

# unit(TARGET NAME FILE...): adds these C files to TARGET. They compile as one unit, except in a Debug build.
function(unit target name)
    target_sources(${target} PRIVATE ${ARGN})
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${name})
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    endif()
endfunction()
