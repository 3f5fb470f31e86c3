# Makes wrong submissions and checks that the test which should refuse each of them does.
#
#   cmake -D STEP=01-reduction/05-sequential -D NVCC=nvcc -D SERVED=build/common/libserved.a -D WORKBOOK=build/workbook
#         -D WORK=/tmp/submissions [-D KIND=cheats] [-D NAME=no-barrier] -P tests/submissions/submission.cmake
#   cmake -D STEP=01-reduction/05-sequential -D SOURCES=/tmp/sources -P tests/submissions/submission.cmake
#
# The second form only writes them: /tmp/sources/<STEP, with a dot>.<name>.cu, whose last line says what refuses it.
#
# tests/submissions/<STEP>.wrong describes the step's wrong submissions, each as an edit of a right one; <STEP>.cheats
# those that are after the grader, and <STEP>.right right ones in another style, which must pass:
#
#   === no-barrier: safety 3 Race          name: the test that refuses it, its exit code, words that it must say
#   -        __syncthreads();              lines of the solution, as in a diff: - goes, + comes, a blank stays;
#   +        ;                             they must stand there exactly once
#   @@                                     another edit of the same submission
#   todo 1                                 the + lines that follow take the place of the code in the first TODO
#   from 04-contiguous                     start from this step's solution instead: the previous step handed in
#
# build, source (workbook check), result, safety and lesson run in this order, as CTest runs them, up to the one named;
# those before it must pass unless they are named too: 'result 2, safety 3 Race', the words being the last one's. Behind a
# build that fails nothing runs. The exit code may
# be 'timeout'; 'right 0': all of them pass. One host thread, so that a race has one outcome; a random order is tried
# only where 'result' is named. Lines with # are comments; NAME empty: all.
cmake_minimum_required(VERSION 3.25)
cmake_path(SET SOURCE NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../..)
string(REGEX REPLACE "/$" "" SOURCE "${SOURCE}")
cmake_path(GET STEP PARENT_PATH chapter)
cmake_path(GET STEP FILENAME step)
set(failures 0)
set(submissions 0)
if(NOT DEFINED KIND)
    set(KIND wrong)
endif()
if(NOT DEFINED LEAN)
    set(LEAN -)
endif()

include(${SOURCE}/common/cmake/course.cmake)

# The course table, for the step's N and bounds.
function(exercise name)
    if(name STREQUAL step)
        read_exercise(${name} ${ARGN})
        set(arch ${arg_ARCH} PARENT_SCOPE)
        set(lesson --n ${arg_N})
        foreach(bound IN LISTS arg_BOUNDS)
            list(APPEND lesson --expect "${bound}")
        endforeach()
        set(lesson "${lesson}" PARENT_SCOPE)
        set(counted "${lesson}" PARENT_SCOPE)
    endif()
endfunction()
include(${SOURCE}/${chapter}/CMakeLists.txt)

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

# Runs one part of ${program}, which is built behind the look at its source: ${part}, ${exit} and what it ${said}.
macro(run_part)
    string(REPLACE " " ";" run "${run}")
    list(POP_FRONT run part)
    if(part STREQUAL "build")
        build_program()
    elseif(part STREQUAL "source")
        execute_process(COMMAND ${WORKBOOK} check ${STEP} ${folder}/${step}.cu ${folder}/list
            RESULT_VARIABLE exit OUTPUT_VARIABLE said ERROR_VARIABLE said)
    else()
        judge_part(${checks_${part}})
        if(part STREQUAL "counted" AND exit STREQUAL "4") # the counters of the lesson's run with every check on are
            judge_part(none)                              # the lesson's to judge, unless they differ without
            if(exit STREQUAL "0")
                set(exit 3)
                string(APPEND said "unsafe: the bounds are met only when checks are off")
            else()
                set(exit 0)
            endif()
        endif()
        string(REGEX REPLACE "counted|large" safety part ${part})
    endif()
endmacro()

# Runs ${part} of ${program} with these checks: ${exit} and what it ${said}.
macro(judge_part checks)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env SIMT_CHECK=${checks} SIMT_THREADS=1 SIMT_SCHEDULE=${run}
        SIMT_MULTIPROCESSORS=${device_${part}}
        SIMT_TIMEOUT=${patience} ${WORKBOOK} exec --time ${seconds} --step ${STEP} ${folder}/a.out ${${part}}
        RESULT_VARIABLE exit OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(said MATCHES "stopped after [0-9]+ s;")
        set(exit timeout)
    endif()
endmacro()

# Builds ${program}: ${exit} and what the compiler ${said}.
macro(build_program)
    execute_process(COMMAND sh ${SOURCE}/common/cmake/compile.sh ${LEAN} ${NVCC} -I ${SOURCE}/common ${FLAGS}
        -arch=compute_${arch} -code=compute_${arch},sm_${WORKBOOK_MACHINE_ARCH} -lineinfo -no-compress -cudart none
        -DWORKBOOK_SERVED -MD -MF ${folder}/list -c ${folder}/${step}.cu -o ${folder}/${step}.o
        RESULT_VARIABLE exit OUTPUT_VARIABLE said ERROR_VARIABLE said)
    if(exit EQUAL 0)
        execute_process(COMMAND ${NVCC} ${FLAGS} -cudart none ${folder}/${step}.o ${SERVED} -lpthread -o ${folder}/a.out
            RESULT_VARIABLE exit OUTPUT_VARIABLE said ERROR_VARIABLE said)
    endif()
    if(NOT exit EQUAL 0)
        set(exit 1)
    endif()
    set(result --check)
    set(safety --check)
    set(large --check)
    set(checks_result none)
    set(checks_safety all,acquire)
    set(checks_large all,acquire)
    set(checks_counted all,acquire)
    set(checks_lesson none)
    set(device_result 132)
    set(device_safety 1)
    set(device_large 132)
    set(device_counted 16)
    set(device_lesson 16)
    set(seconds 120)
    set(patience 60) # a grid whose blocks stay to the end may compute for 15 s, and longer on a busy computer
    if(words MATCHES "host is stuck")
        set(patience 2)
    endif()
    if(wanted MATCHES "timeout")
        set(seconds 5)
    endif()
endmacro()

# Runs the parts until they have refused ${program} as wanted.
function(judge_submission)
    set(folder ${WORK}/${STEP}.${name})
    set(seen "")
    set(refusals "")
    set(runs build source "result order" "safety order" "counted order" "lesson order")
    if(wanted MATCHES "result|right")
        list(INSERT runs 3 "result random:1") # as CTest does; what order lets pass is often refused here
    endif()
    if(program MATCHES "ultiProcessorCount|nsmid|Cooperative")
        list(INSERT runs -2 "large random:1") # on a device of another size
    elseif(program MATCHES "volatile|relaxed|acquire")
        list(INSERT runs -2 "safety random:1") # likewise
    endif()
    file(WRITE ${folder}/${step}.cu "${program}")
    foreach(run IN LISTS runs)
        run_part()
        if(NOT exit EQUAL 0)
            list(APPEND seen "${part} ${exit}")
            list(REMOVE_DUPLICATES seen)
        endif()
        list(JOIN seen ", " refusals)
        if(refusals STREQUAL wanted OR seen STREQUAL "build 1")
            break()
        endif()
    endforeach()
    if(refusals STREQUAL "")
        set(refusals "right 0")
    endif()
    set(seen "${refusals}")
    string(FIND "${said}" "${words}" at)
    if(seen STREQUAL wanted AND NOT at EQUAL -1)
        message(STATUS "${STEP} ${name}: ${seen}")
        file(REMOVE_RECURSE ${folder})
    else()
        message(STATUS "${STEP} ${name}: ${seen}, but wanted ${wanted} '${words}'; it said\n${said}")
        math(EXPR failures "${failures} + 1")
        set(failures ${failures} PARENT_SCOPE)
    endif()
endfunction()

# The submission read so far is complete: judges it.
macro(end_submission)
    if(NOT name STREQUAL "")
        apply_edit()
        if(DEFINED SOURCES)
            string(REPLACE "/" "." dotted ${STEP})
            file(WRITE ${SOURCES}/${dotted}.${name}.cu "${program}// refused by: ${wanted}\n")
        else()
            judge_submission()
        endif()
        math(EXPR submissions "${submissions} + 1")
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
            set(words "${header_words}")
            if(wanted STREQUAL "right 0") # `more` says when it is run
                set(words "")
            endif()
            file(READ ${SOURCE}/solutions/${STEP}.cu program)
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
message(STATUS "${STEP}.${KIND}: ${submissions} submissions, ${failures} not judged as they should be")
if(failures GREATER 0 OR submissions EQUAL 0)
    message(FATAL_ERROR "failed")
endif()
