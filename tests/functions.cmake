# Functions that define the tests; also used when the SIMT machine is configured by itself (common/simt).
include_guard(GLOBAL)

# self_script(NAME SCRIPT ARGUMENTS...): the test self.NAME runs tests/self/SCRIPT. GENERATOR: that of a student's tree, the
# preset `default`.
function(self_script name script)
    add_test(NAME self.${name} COMMAND sh ${WORKBOOK_TREE}/tests/self/${script} ${ARGN})
    set_tests_properties(self.${name} PROPERTIES LABELS self TIMEOUT 900 ENVIRONMENT
        "SOURCE=${WORKBOOK_TREE};BUILD=${CMAKE_BINARY_DIR};NVCC=${WORKBOOK_NVCC};GENERATOR=Unix Makefiles;\
SIMT_LIBRARY=$<TARGET_FILE:simt>;SIMT_FLAGS=${WORKBOOK_SANITIZE_NVCC}")
endfunction()

# self_build(NAME TARGET): a fixture that builds TARGET, for the tests that require it.
function(self_build name target)
    add_test(NAME self.build.${name}
        COMMAND ${WORKBOOK_LOCKED} ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ${target} --parallel ${WORKBOOK_JOBS})
    set_tests_properties(self.build.${name} PROPERTIES
        FIXTURES_SETUP self.${name} RESOURCE_LOCK build LABELS self TIMEOUT 1800)
endfunction()

set(self_timeout 900)
if(WORKBOOK_SANITIZE) # ten times as slow, which must not make a kernel endless
    set(self_timeout 1800)
endif()

# self_program(NAME TARGET ARGUMENTS... [ENV NAME=VALUE...] [PASS REGEX] [FAIL REGEX] [PROPERTIES ...]): the test self.NAME runs
# the program TARGET, which the fixture ${self_fixture} builds; its output must match PASS and not FAIL.
add_custom_target(unit)
set(self_fixture unit)
function(self_program name target)
    cmake_parse_arguments(PARSE_ARGV 2 arg "" "PASS;FAIL" "ENV;PROPERTIES")
    add_test(NAME self.${name} COMMAND ${target} ${arg_UNPARSED_ARGUMENTS})
    set_tests_properties(self.${name} PROPERTIES
        FIXTURES_REQUIRED self.${self_fixture} LABELS self TIMEOUT ${self_timeout} ${arg_PROPERTIES})
    foreach(verdict PASS FAIL)
        if(arg_${verdict})
            set_property(TEST self.${name} PROPERTY ${verdict}_REGULAR_EXPRESSION "${arg_${verdict}}")
        endif()
    endforeach()
    if(WORKBOOK_SANITIZE)
        list(PREPEND arg_ENV SIMT_TIMEOUT=600)
    endif()
    set_property(TEST self.${name} PROPERTY ENVIRONMENT ${arg_ENV})
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    add_dependencies(${self_fixture} ${target})
endfunction()

# label_all(LABEL): also gives this label to all tests of this folder, except those labelled smoke.
function(label_all label)
    get_property(tests DIRECTORY PROPERTY TESTS)
    foreach(test IN LISTS tests)
        get_property(labels TEST ${test} PROPERTY LABELS)
        if(NOT smoke IN_LIST labels)
            set_property(TEST ${test} APPEND PROPERTY LABELS ${label})
        endif()
    endforeach()
endfunction()
