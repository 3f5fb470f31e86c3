# For editors: build/editor/compile_commands.json tells clangd how to compile the exercises. Custom commands call nvcc,
# so CMake's own compile_commands.json does not list them, and they use options that clang does not have. The file
# .clangd at the top sends clangd here for every .cu file.
include_guard(GLOBAL)

# clang reads the toolkit's headers instead of its own, see common/editor/clangd.h, and checks the host's side: kernels are
# parsed in full, but not compiled for a GPU.
set(WORKBOOK_CLANGD_FLAGS -x cuda --cuda-host-only -nocudainc -nocudalib -std=c++17 -Wno-unknown-cuda-version
    -Xclang -fcuda-allow-variadic-functions)

# text as a JSON string
function(json_string variable text)
    string(REPLACE "\\" "\\\\" text "${text}")
    string(REPLACE "\"" "\\\"" text "${text}")
    set(${variable} "\"${text}\"" PARENT_SCOPE)
endfunction()

# Sets variable to clang's arguments before a source, as JSON items.
function(editor_words variable)
    set(headers "")
    if(NOT WORKBOOK_CUDA_INCLUDE MATCHES "^/usr/include/*$") # searched by default, and only once
        set(headers -isystem ${WORKBOOK_CUDA_INCLUDE})
    endif()
    string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" version "${WORKBOOK_NVCC_VERSION}")
    set(arguments "")
    foreach(word IN ITEMS clang++ ${WORKBOOK_CLANGD_FLAGS} -D__CUDACC_VER_MAJOR__=${CMAKE_MATCH_1}
            -D__CUDACC_VER_MINOR__=${CMAKE_MATCH_2} -D__CUDACC_VER_BUILD__=0 -I${CMAKE_SOURCE_DIR}/common
            ${headers} -include ${CMAKE_SOURCE_DIR}/common/editor/clangd.h -c)
        json_string(word "${word}")
        list(APPEND arguments "${word}")
    endforeach()
    list(JOIN arguments ", " arguments)
    set(${variable} "${arguments}" PARENT_SCOPE)
endfunction()

# Writes the file: starters and, if they exist, solutions of all steps.
function(editor_commands)
    find_path(WORKBOOK_CUDA_INCLUDE cuda_runtime.h HINTS ${WORKBOOK_INCLUDES} NO_CACHE)
    editor_words(words)
    json_string(folder "${CMAKE_SOURCE_DIR}")
    get_property(steps GLOBAL PROPERTY WORKBOOK_STEPS)
    set(entries "")
    foreach(path IN LISTS steps)
        foreach(source ${CMAKE_SOURCE_DIR}/${path}.cu ${CMAKE_SOURCE_DIR}/solutions/${path}.cu)
            if(EXISTS ${source})
                json_string(file "${source}")
                list(APPEND entries "{\"directory\": ${folder}, \"file\": ${file},\n \"arguments\": [${words}, ${file}]}")
            endif()
        endforeach()
    endforeach()
    list(JOIN entries ",\n" entries)
    file(WRITE ${CMAKE_BINARY_DIR}/editor/compile_commands.json "[\n${entries}\n]\n")
endfunction()
