# A program for the SIMT machine:
#
#     simt_add_executable(TARGET FILE... [OPTIONS OPTION...] [SETTINGS NAME=VALUE...])
#
# simtcc compiles the .cu files, with OPTIONS of nvcc; the project's own compilers compile the others. Header folders
# and definitions of the target, its own or those of its libraries, apply to both. SETTINGS are those of simt(7), such
# as SIMT_CHECK=race; the environment overrides them. CMake's language CUDA is not used.
include_guard(GLOBAL)

# Builds the object of one .cu file.
function(simt_object variable target source)
    cmake_path(ABSOLUTE_PATH source NORMALIZE)
    string(MD5 hash "${source}")
    string(SUBSTRING ${hash} 0 8 hash) # two files may have the same name
    cmake_path(GET source STEM name)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${target}.simt/${name}.${hash}.o)
    set(includes $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
    add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/${target}.simt
        COMMAND ${SIMTCC} -ccbin ${CMAKE_CXX_COMPILER} ${ARGN}
            "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
            "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
            -MD -MF ${object}.d -MT ${object} -c ${source} -o ${object}
        DEPENDS ${source} ${SIMTCC}
        DEPFILE ${object}.d
        COMMENT "simtcc ${name}.cu"
        COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    set(${variable} ${object} PARENT_SCOPE)
endfunction()

# Writes the source of simt_defaults (simt.h).
function(simt_settings variable target)
    set(lines "")
    foreach(line IN LISTS ARGN)
        if(NOT line MATCHES "^SIMT_[A-Z]+=")
            message(FATAL_ERROR "\
simt_add_executable(${target}): the setting ${line} is not of the form SIMT_NAME=VALUE.")
        endif()
        string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" line "${line}")
        string(APPEND lines "    \"${line}\\n\"\n")
    endforeach()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}.simt/settings.cpp)
    file(CONFIGURE OUTPUT ${file} @ONLY
        CONTENT "extern \"C\" const char simt_defaults[] =\n${lines};\n")
    set(${variable} ${file} PARENT_SCOPE)
endfunction()

function(simt_add_executable target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;SETTINGS")
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT arg_UNPARSED_ARGUMENTS OR NOT CXX IN_LIST languages)
        message(FATAL_ERROR "\
simt_add_executable(${target}): it needs a file, and the language CXX: project(... LANGUAGES CXX).")
    endif()
    set(sources "")
    foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
        if(source MATCHES "\\.cu$")
            simt_object(source ${target} ${source} ${arg_OPTIONS})
        endif()
        list(APPEND sources ${source})
    endforeach()
    if(arg_SETTINGS)
        simt_settings(source ${target} ${arg_SETTINGS})
        list(APPEND sources ${source})
    endif()
    add_executable(${target} ${sources})
    set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${target} PRIVATE simt::simt)
    find_package(CUDAToolkit QUIET) # its headers, for files that nvcc does not compile
    target_include_directories(${target} SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
endfunction()
