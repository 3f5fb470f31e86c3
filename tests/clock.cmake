# Every test is timed: tests/self/clock.sh writes its seconds of CPU time into clock/NAME of the build, where
# tests/self/budget.sh reads them.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/clock)

# add_test(NAME name ... COMMAND command ...): CMake's, with the clock before the command. Evaluated as code, since an argument
# may be empty.
function(add_test)
    set(code "")
    set(before "")
    set(commands 0)
    math(EXPR last "${ARGC} - 1")
    foreach(i RANGE ${last})
        set(argument "${ARGV${i}}")
        if(before STREQUAL "NAME")
            set(name "${argument}")
        elseif(before STREQUAL "COMMAND")
            string(APPEND code " sh [==[${WORKBOOK_TREE}/tests/self/clock.sh]==] [==[${CMAKE_BINARY_DIR}/clock/${name}]==]")
            math(EXPR commands "${commands} + 1")
            if(TARGET "${argument}")
                set(argument "$<TARGET_FILE:${argument}>")
            endif()
        endif()
        string(APPEND code " [==[${argument}]==]")
        set(before "")
        if(commands EQUAL 0)
            set(before "${argument}")
        endif()
    endforeach()
    cmake_language(EVAL CODE "_add_test(${code})")
    set_property(GLOBAL APPEND PROPERTY WORKBOOK_TESTS ${name}) # self.budget runs after all of them
endfunction()
