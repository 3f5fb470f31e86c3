# Makes submissions as source files, and has the grader judge them.
#
#   cmake -D STEP=01-reduction/05-sequential -D SOURCES=/tmp/sources [-D KIND=cheats] [-D NAME=no-barrier]
#         [-D WORKBOOK=build/workbook] -P tests/submissions/submission.cmake
#
# writes /tmp/sources/<STEP, with a dot>.<name>.cu, whose last line says what refuses it. WORKBOOK then judges it: `workbook
# judge` checks that this refuses it.
#
# tests/submissions/<STEP>.wrong describes the step's wrong submissions, each as an edit of a right one; <STEP>.cheats
# those that are after the grader, <STEP>.right right ones in another style, which must pass, and <STEP>.mistakes the
# commonest wrong ones (tests/self/hints.sh). A mistake without an edit takes that of the wrong submission of its name:
#
#   === no-barrier: safety 3 Race          name: the test that refuses it, its exit code, words that it must say
#   -        __syncthreads();              lines of the solution, as in a diff: - goes, + comes, a blank stays;
#   +        ;                             they must stand there exactly once
#   @@                                     another edit of the same submission
#   todo 1                                 the + lines that follow take the place of the code in the first TODO
#   from 04-contiguous                     start from this step's solution instead: the previous step handed in
#
# The first line is as in common/workbook/commands/judge.c: build, source, result, safety and lesson run in this order up
# to the last one named; those that are not named must pass. The words are the last one's. Lines with # are comments.
# Without NAME: all.
cmake_minimum_required(VERSION 3.25)
cmake_path(SET SOURCE NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
string(REGEX REPLACE "/$" "" SOURCE "${SOURCE}")
cmake_path(GET STEP PARENT_PATH chapter)
set(sources "")
if(NOT DEFINED KIND)
    set(KIND wrong)
endif()

# Takes one line off the front of ${text}.
macro(next_line text line)
    string(FIND "${${text}}" "\n" at)
    string(SUBSTRING "${${text}}" 0 ${at} ${line})
    math(EXPR at "${at} + 1")
    string(SUBSTRING "${${text}}" ${at} -1 ${text})
endmacro()

# Replaces the lines ${old}, which must stand in ${program} once, by ${new}.
macro(apply_edit)
    if(NOT old STREQUAL "")
        string(FIND "\n${program}" "\n${old}" first)
        string(FIND "\n${program}" "\n${old}" last REVERSE)
        if(first EQUAL -1 OR NOT first EQUAL last)
            message(FATAL_ERROR "${STEP}.${KIND}, ${name}: these lines do not stand in the solution just once:\n${old}")
        endif()
        string(REPLACE "\n${old}" "\n${new}" program "\n${program}")
        string(SUBSTRING "${program}" 1 -1 program)
    endif()
    set(old "")
    set(new "")
endmacro()

# Sets ${old} to the code of TODO region ${number} of ${program}.
function(find_todo number)
    set(rest "${program}")
    foreach(skip RANGE 1 ${number})
        string(FIND "${rest}" "// TODO:" at)
        math(EXPR at "${at} + 3")
        string(SUBSTRING "${rest}" ${at} -1 rest)
    endforeach()
    set(line "//")
    set(code "")
    while(line MATCHES "^ *//" AND NOT line MATCHES "END TODO")
        next_line(rest line)
        if(code STREQUAL "")
            set(line "//") # the rest of the TODO's first line
            set(code " ")
        endif()
    endwhile()
    set(code "")
    while(NOT line MATCHES "// END TODO")
        string(APPEND code "${line}\n")
        next_line(rest line)
    endwhile()
    set(old "${code}" PARENT_SCOPE)
endfunction()

# Puts the edit of <STEP>.wrong's submission ${name} in front of ${text}, which has none for the mistake of this name.
macro(borrow_edit)
    file(READ ${CMAKE_CURRENT_LIST_DIR}/${STEP}.wrong edit)
    string(FIND "${edit}" "\n=== ${name}: " at)
    if(at EQUAL -1)
        message(FATAL_ERROR "${STEP}.mistakes, ${name}: there is no edit here, and no submission of this name in ${STEP}.wrong")
    endif()
    math(EXPR at "${at} + 1")
    string(SUBSTRING "${edit}" ${at} -1 edit)
    next_line(edit line)
    string(FIND "${edit}" "\n=== " at)
    string(SUBSTRING "${edit}" 0 ${at} edit)
    string(PREPEND text "${edit}\n")
endmacro()

# The submission read so far is complete: writes it.
macro(end_submission)
    if(NOT name STREQUAL "")
        apply_edit()
        string(REPLACE "/" "." dotted ${STEP})
        list(APPEND sources ${SOURCES}/${dotted}.${name}.cu)
        file(WRITE ${SOURCES}/${dotted}.${name}.cu "${program}// refused by: ${wanted}\n")
    endif()
    set(name "")
endmacro()

file(READ ${CMAKE_CURRENT_LIST_DIR}/${STEP}.${KIND} text)
set(name "") # of the submission that is being read; empty while skipping
set(old "")
set(new "")
while(NOT text STREQUAL "")
    next_line(text line)
    string(SUBSTRING "${line} " 0 1 mark)
    if(line MATCHES "^=== ([a-z0-9-]+): ([a-z]+ [a-z0-9]+(, [a-z]+ [a-z0-9]+)*) *(.*)$")
        set(header_name "${CMAKE_MATCH_1}")
        set(header_wanted "${CMAKE_MATCH_2}")
        set(header_words "${CMAKE_MATCH_4}")
        end_submission()
        if(NOT DEFINED NAME OR NAME STREQUAL header_name)
            set(name "${header_name}")
            set(wanted "${header_wanted}")
            if(NOT wanted STREQUAL "right 0" AND NOT header_words STREQUAL "") # there `more` says when it is run
                string(APPEND wanted ": ${header_words}")
            endif()
            file(READ ${SOURCE}/solutions/${STEP}.cu program)
            if(KIND STREQUAL "mistakes" AND text MATCHES "^(\n|===|$)")
                borrow_edit()
            endif()
        endif()
    elseif(name STREQUAL "" OR line STREQUAL "" OR mark STREQUAL "#")
        # between submissions, or a comment
    elseif(line MATCHES "^from (.*)$")
        file(READ ${SOURCE}/solutions/${chapter}/${CMAKE_MATCH_1}.cu program)
    elseif(line MATCHES "^todo ([12])$")
        apply_edit()
        find_todo(${CMAKE_MATCH_1})
    elseif(mark STREQUAL "@")
        apply_edit()
    elseif(mark MATCHES "[-+ ]")
        string(SUBSTRING "${line}" 1 -1 rest)
        if(NOT mark STREQUAL "+")
            string(APPEND old "${rest}\n")
        endif()
        if(NOT mark STREQUAL "-")
            string(APPEND new "${rest}\n")
        endif()
    else()
        message(FATAL_ERROR "${STEP}.${KIND}: what is this line? ${line}")
    endif()
endwhile()
end_submission()
if(DEFINED WORKBOOK)
    if(NOT sources)
        message(FATAL_ERROR "${STEP}.${KIND} has no submission ${NAME}")
    endif()
    execute_process(COMMAND ${WORKBOOK} judge ${sources} COMMAND_ERROR_IS_FATAL ANY)
endif()
