# The language of a course table, NN-topic/CMakeLists.txt, for all of its readers:
#
#   driver(scan scan INCLUSIVE *)            of every step below, until the next driver(): the header in common, the name
#                                            of its main and the numbers that main gets; * is the student's choice
#   frame("global_load_sectors >= n/8")      bounds of every step below, until the next frame()
#   xray(512)                                the size at which `workbook xray` shows the steps below, until the next xray():
#                                            one or two blocks that show the idea
#   exercise(05-sequential                   a step
#       N 65536                              the size at which its counters are measured
#       ARCH 90                              compiled for this architecture, if it needs a newer one than the others
#       LESSON "shared_excess == 0"          the bounds that are its lesson; its header comment names each
#       EXPECT "shared_atomics <= warps")    bounds that enforce its method
include_guard(GLOBAL)

include(${CMAKE_CURRENT_LIST_DIR}/archs.cmake)

function(driver)
    set(WORKBOOK_DRIVER "${ARGN}" PARENT_SCOPE)
endfunction()

function(frame)
    set(WORKBOOK_FRAME "${ARGN}" PARENT_SCOPE)
endfunction()

function(xray n)
    set(WORKBOOK_XRAY ${n} PARENT_SCOPE)
endfunction()

# Of one exercise() line: arg_N, arg_ARCH, arg_NCCL, arg_LESSON, and arg_BOUNDS, all bounds, the lesson's first.
macro(read_exercise step)
    cmake_parse_arguments(arg "NCCL" "N;ARCH" "LESSON;EXPECT" ${ARGN})
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_N MATCHES "^[1-9][0-9]*$" OR NOT arg_LESSON)
        message(FATAL_ERROR "exercise(${step} ${ARGN})\nis not of the form "
            "exercise(STEP N <n> [ARCH <arch>] [NCCL] LESSON \"<bound>\"… [EXPECT \"<bound>\"…]).")
    endif()
    if(NOT WORKBOOK_DRIVER)
        message(FATAL_ERROR "exercise(${step}): no driver() stands above it.")
    endif()
    if(NOT WORKBOOK_XRAY MATCHES "^[1-9][0-9]*$")
        message(FATAL_ERROR "exercise(${step}): no xray() with a number stands above it.")
    endif()
    if(NOT arg_ARCH)
        set(arg_ARCH ${WORKBOOK_PTX_ARCH})
    endif()
    set(arg_BOUNDS ${arg_LESSON} ${arg_EXPECT} ${WORKBOOK_FRAME})
endmacro()
