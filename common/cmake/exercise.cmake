# The meaning of one exercise() line. The functions, as CMakeLists.txt and NN-topic/CMakeLists.txt call them:
#
#   chapter(01-reduction)            adds 01-reduction/CMakeLists.txt, the target `01-reduction` (all programs that are
#                                    graded there) and `peer.reduction`, from tests/peers/reduction.cu
#   frame(BOUND...), exercise(05-sequential N 65536 LESSON BOUND... EXPECT BOUND...)
#                                    the course table: see course.cmake
#   course_table()                   writes course.tsv and program.sh for the runner
#   summary()                        prints what was found
#
# A step is compiled by nvcc once, without its driver, into one object with PTX and machine code. The chapter's driver is an
# object, too. There are up to three links:
#
#   build/graded/01-reduction/05-sequential   the step alone. The chapter's judge (build/judges/reduction), which holds the
#                                             driver and the SIMT machine, calls it in a process of its own
#   build/01-reduction/05-sequential          the step, the driver, and the SIMT machine
#   build/01-reduction/05-sequential.gpu      the step, the driver, and the real runtime, where a GPU is
include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/nvcc.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/linker.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/uncached.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/course.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/prebuilt.cmake)

# Limits of one run, which the runner enforces (common/workbook/process). Under the sanitizers only time is limited.
set(WORKBOOK_TIMEOUT 120)
set(WORKBOOK_MEMORY_KB 4194304)
set(WORKBOOK_GPU_MEMORY_KB 16777216) # on a GPU, whose inputs are larger: tests/harness/plan.sh compares them with this
if(WORKBOOK_SANITIZE)
    set(WORKBOOK_TIMEOUT 600)
    set(WORKBOOK_MEMORY_KB 0) # the sanitizers' shadow memory alone is above any limit
    set(WORKBOOK_GPU_MEMORY_KB 0)
endif()

# Steps that test a change in the SIMT machine first: barriers and shared memory, tensor cores, clusters
# and bulk copies.
set(WORKBOOK_SMOKE 01-reduction.05-sequential 07-matmul.09-tensor-cores 10-hopper.01-cluster-histogram)

add_custom_target(judges)
add_custom_target(starters)
add_custom_target(solutions)

# Finds NCCL, below NCCL_ROOT first, and MPI. Sets WORKBOOK_NCCL_FLAGS for nvcc, empty if there is none, and
# WORKBOOK_NCCL_LIBRARIES. For the Python package nvidia-nccl, NCCL_ROOT is the folder nvidia/nccl.
function(find_nccl)
    find_path(WORKBOOK_NCCL_INCLUDE nccl.h HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} ${WORKBOOK_TOOLKIT} PATH_SUFFIXES include)
    find_library(WORKBOOK_NCCL NAMES nccl libnccl.so.2 HINTS ${NCCL_ROOT} $ENV{NCCL_ROOT} ${WORKBOOK_TOOLKIT}
        PATH_SUFFIXES lib lib64)
    set(flags "")
    set(libraries "")
    if(WORKBOOK_NCCL_INCLUDE AND WORKBOOK_NCCL)
        set(flags -DWITH_NCCL -I ${WORKBOOK_NCCL_INCLUDE})
        set(libraries ${WORKBOOK_NCCL})
        find_package(MPI QUIET COMPONENTS C)
        if(MPI_C_FOUND)
            list(APPEND flags -DWITH_MPI)
            foreach(folder IN LISTS MPI_C_INCLUDE_DIRS)
                list(APPEND flags -I ${folder})
            endforeach()
            list(APPEND libraries MPI::MPI_C)
        endif()
    endif()
    set(WORKBOOK_NCCL_FLAGS "${flags}" PARENT_SCOPE)
    set(WORKBOOK_NCCL_LIBRARIES "${libraries}" PARENT_SCOPE)
endfunction()

# driver.<header>, the driver common/<header>.h for standalone programs, and the judge that contains it.
function(driver_of_steps header)
    if(TARGET driver.${header})
        return()
    endif()
    add_library(driver.${header} INTERFACE)
    set(prebuilt FALSE)
    if(WORKBOOK_PREBUILT)
        is_prebuilt(prebuilt ${header})
    endif()
    if(prebuilt)
        prebuilt_judge(${header})
        return()
    endif()
    set(object ${CMAKE_BINARY_DIR}/objects/drivers/${header}.o)
    nvcc_object(${object} ${CMAKE_SOURCE_DIR}/common/remote/driver.cu ${WORKBOOK_PTX_ARCH} none -O2 -DCHAPTER=${header})
    target_link_libraries(driver.${header} INTERFACE ${object} local)
    object_target(maker ${object})
    add_dependencies(driver.${header} ${maker})
    nvcc_executable(judge.${header} judges/${header} ${object})
    target_link_libraries(judge.${header} PRIVATE judging simt)
    target_link_options(judge.${header} PRIVATE ${WORKBOOK_QUICK_LINKER})
    add_dependencies(judges judge.${header} served local)
endfunction()

# The three links of a step: target, target.graded and, if there is a GPU, target.gpu, as files output, graded/output
# and output.gpu. last_target: the target that builds the graded files. nccl: the last link is compiled again, with its
# driver, for NCCL, if available.
function(program target source output ptx_arch nccl)
    list(GET WORKBOOK_DRIVER 0 header)
    driver_of_steps(${header})
    set(object ${CMAKE_BINARY_DIR}/objects/${output}.o)
    set(driver driver.${header})
    archs_for(cards ${ptx_arch})
    set(archs machine ${cards})
    list(REMOVE_ITEM archs ${WORKBOOK_MACHINE_ARCH} ${WORKBOOK_MACHINE_ARCH}a) # once: verdicts depend on its registers
    nvcc_object(${object} ${source} ${ptx_arch} "${archs}" -DWORKBOOK_SERVED)
    nvcc_executable(${target}.graded graded/${output} ${object})
    target_link_libraries(${target}.graded PRIVATE served)
    target_link_options(${target}.graded PRIVATE ${WORKBOOK_QUICK_LINKER})
    add_dependencies(${target}.graded judge.${header})
    nvcc_executable(${target} ${output} ${object})
    target_link_libraries(${target} PRIVATE ${driver} simt)
    target_link_options(${target} PRIVATE ${WORKBOOK_QUICK_LINKER})
    if(cards)
        if(nccl)
            find_nccl()
            if(WORKBOOK_NCCL_FLAGS)
                set(object ${CMAKE_BINARY_DIR}/objects/${output}.nccl.o)
                nvcc_object(${object} ${source} ${ptx_arch} "${cards}" ${WORKBOOK_NCCL_FLAGS})
                set(driver "")
            endif()
        endif()
        nvcc_executable(${target}.gpu ${output}.gpu ${object})
        target_link_libraries(${target}.gpu PRIVATE ${driver} ${WORKBOOK_NCCL_LIBRARIES})
        link_real_runtime(${target}.gpu)
        add_dependencies(${target}.gpu ${target}.graded)
    endif()
endfunction()

function(last_target variable target arch)
    archs_for(cards ${arch})
    if(cards)
        string(APPEND target .gpu)
    else()
        string(APPEND target .graded)
    endif()
    set(${variable} ${target} PARENT_SCOPE)
endfunction()

# The four tests of one step. `.build` is a fixture: ctest -R builds what it grades, and a file that does not
# build fails alone.
function(step_tests name target arch)
    last_target(whole ${target} ${arch})
    set(order "")
    if(WORKBOOK_TESTED) # the tests self.order.* are the runs in order
        set(order --order random:1)
    endif()
    # Calls the build tool itself: `cmake --build` takes as long again to see that nothing has changed.
    add_test(NAME ${name}.build COMMAND ${WORKBOOK_LOCKED} ${CMAKE_MAKE_PROGRAM} -C ${CMAKE_BINARY_DIR} -j ${WORKBOOK_JOBS}
        workbook ${whole})
    add_test(NAME ${name}.result COMMAND workbook part ${order} ${name} result)
    foreach(part safety lesson)
        add_test(NAME ${name}.${part} COMMAND workbook part ${name} ${part})
    endforeach()
    set(labels ${WORKBOOK_CHAPTER})
    if(name IN_LIST WORKBOOK_SMOKE)
        list(APPEND labels smoke)
    endif()
    math(EXPR timeout "3 * 10 * ${WORKBOOK_TIMEOUT} + 30") # the runner stops each of up to three runs: STARVED in work.h
    set_tests_properties(${name}.build PROPERTIES
        FIXTURES_SETUP ${name} RESOURCE_LOCK build TIMEOUT 600 LABELS "${labels}")
    set_tests_properties(${name}.result ${name}.safety ${name}.lesson PROPERTIES
        FIXTURES_REQUIRED ${name} SKIP_RETURN_CODE 77 TIMEOUT ${timeout} LABELS "${labels}")
endfunction()

function(exercise step)
    read_exercise(${step} ${ARGN})
    set(name ${WORKBOOK_CHAPTER}.${step})
    set(path ${WORKBOOK_CHAPTER}/${step})
    if(NOT EXISTS ${CMAKE_BINARY_DIR}/pristine/${path}.cu) # for `workbook reset` without solutions
        file(COPY ${CMAKE_SOURCE_DIR}/${path}.cu DESTINATION ${CMAKE_BINARY_DIR}/pristine/${WORKBOOK_CHAPTER})
    endif()
    program(${name} ${CMAKE_SOURCE_DIR}/${path}.cu ${path} ${arg_ARCH} ${arg_NCCL})
    last_target(starter ${name} ${arg_ARCH})
    add_dependencies(starters ${starter} ${name})
    if(EXISTS ${CMAKE_SOURCE_DIR}/solutions/${path}.cu)
        program(${name}.solution ${CMAKE_SOURCE_DIR}/solutions/${path}.cu solutions/${path} ${arg_ARCH} ${arg_NCCL})
        last_target(solution ${name}.solution ${arg_ARCH})
        add_dependencies(solutions ${solution} ${name}.solution)
        if(WORKBOOK_FIRST)
            add_dependencies(ladder ${solution})
        endif()
    endif()
    if(WORKBOOK_GRADE STREQUAL "solutions")
        if(NOT TARGET ${name}.solution)
            message(FATAL_ERROR "WORKBOOK_GRADE=solutions, but there is no solutions/${path}.cu.")
        endif()
        step_tests(${name} ${name}.solution ${arg_ARCH})
        add_dependencies(${WORKBOOK_CHAPTER} ${solution})
    else()
        step_tests(${name} ${name} ${arg_ARCH})
        add_dependencies(${WORKBOOK_CHAPTER} ${starter})
    endif()
    list(JOIN arg_BOUNDS "\t" bounds)
    list(LENGTH arg_LESSON lesson)
    list(JOIN WORKBOOK_DRIVER " " driver)
    set_property(GLOBAL APPEND PROPERTY WORKBOOK_STEPS ${path})
    set_property(GLOBAL APPEND_STRING PROPERTY WORKBOOK_COURSE
        "${WORKBOOK_CHAPTER}\t${step}\t${arg_N}\t${arg_ARCH}\t${lesson}\t${driver}\t${bounds}\nxray\t${WORKBOOK_XRAY}\n")
endfunction()

# peer_libraries(TARGET LIBRARIES...): links TARGET with these libraries of the toolkit. missing: those that the
# toolkit lacks.
function(peer_libraries target)
    set(absent "")
    foreach(library IN LISTS ARGN)
        find_library(WORKBOOK_LIB_${library} ${library} PATHS ${WORKBOOK_LIBRARIES})
        if(WORKBOOK_LIB_${library})
            target_link_libraries(${target} PRIVATE ${WORKBOOK_LIB_${library}})
        else()
            list(APPEND absent lib${library})
        endif()
    endforeach()
    set(missing "${absent}" PARENT_SCOPE)
endfunction()

# For peers that only need to compile and link: no optimisation, and no part of CUB that a peer does not use.
set(WORKBOOK_PEER_FLAGS -Xcicc -O0 -DCCCL_DISABLE_NVTX -DCCCL_DISABLE_EXCEPTIONS -DCCCL_DISABLE_FP16_SUPPORT
    -DCCCL_DISABLE_BF16_SUPPORT -DCCCL_DISABLE_FP8_SUPPORT)

# add_peer(TARGET PATH SOURCE ARCHS [FLAGS...]): the program TARGET at PATH, of the peer SOURCE, for PTX and ARCHS.
# libraries, in the caller's scope: those to link. missing: those that the toolkit lacks.
function(add_peer target path source archs)
    set(object ${CMAKE_BINARY_DIR}/objects/${target}.o)
    nvcc_object(${object} ${source} ${WORKBOOK_PEER_ARCH} "${archs}" ${ARGN})
    nvcc_executable(${target} ${path} ${object})
    link_real_runtime(${target})
    peer_libraries(${target} ${libraries})
    set(missing "${missing}" PARENT_SCOPE)
endfunction()

# chapter_peer(NN-topic LIBRARIES...): the target peer.topic, which times the chapter's last steps and a vendor's
# library. Without a GPU the workbook's own tests compile and link it for PTX only, in a folder that no ladder searches:
# with the declarations of CUB in tests/peers/cub_declared, and as peer.topic.cub with CUB itself, which takes five
# times as long. WORKBOOK_PEERS and WORKBOOK_CUB_PEERS list the targets, WORKBOOK_LACKING those that cannot be linked,
# with the missing libraries.
function(chapter_peer name)
    string(REGEX REPLACE "^[0-9]+-" "" topic ${name})
    set(source ${CMAKE_SOURCE_DIR}/tests/peers/${topic}.cu)
    archs_for(cards ${WORKBOOK_PEER_ARCH})
    if(NOT EXISTS ${source} OR NOT (cards OR WORKBOOK_SELF_TESTS))
        return()
    endif()
    set(libraries ${ARGN})
    set(steps ${CMAKE_SOURCE_DIR}/solutions) # the peer includes the chapter's last steps and times both
    if(NOT EXISTS ${steps}/${name})
        set(steps ${CMAKE_SOURCE_DIR})
    endif()
    file(STRINGS ${source} cub REGEX "^#include <cub/")
    if(cards)
        add_peer(peer.${topic} peers/${topic} ${source} "${cards}" -I ${steps})
    else()
        set(declared -I ${CMAKE_SOURCE_DIR}/tests/peers/cub_declared)
        add_peer(peer.${topic} self/peers/${topic} ${source} none -I ${steps} ${declared} ${WORKBOOK_PEER_FLAGS})
    endif()
    if(missing)
        list(JOIN missing " and " missing)
        set_property(GLOBAL APPEND PROPERTY WORKBOOK_LACKING "${topic} needs ${missing}")
        return()
    endif()
    set_property(GLOBAL APPEND PROPERTY WORKBOOK_PEERS peer.${topic})
    set(with_cub peer.${topic})
    if(cards)
        if(WORKBOOK_FIRST)
            add_dependencies(ladder peer.${topic})
        endif()
    elseif(cub)
        set(with_cub peer.${topic}.cub)
        add_peer(${with_cub} self/peers/${topic}.cub ${source} none -I ${steps} ${WORKBOOK_PEER_FLAGS})
    endif()
    if(cub)
        set_property(GLOBAL APPEND PROPERTY WORKBOOK_CUB_PEERS ${with_cub})
    endif()
endfunction()

# chapter(NN-topic [ARCH 90] [LIBRARIES...]): its steps, and its peer, which is compiled for this architecture and
# linked with these libraries of the toolkit.
function(chapter name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "ARCH" "")
    set(WORKBOOK_PEER_ARCH ${WORKBOOK_PTX_ARCH})
    if(arg_ARCH)
        set(WORKBOOK_PEER_ARCH ${arg_ARCH})
    endif()
    set(WORKBOOK_CHAPTER ${name})
    set_property(GLOBAL APPEND PROPERTY WORKBOOK_CHAPTERS ${name})
    add_custom_target(${name} ALL)
    set(WORKBOOK_FIRST FALSE)
    if(NOT TARGET ladder) # the first chapter's, for `cmake --workflow --preset start`
        set(WORKBOOK_FIRST TRUE)
        set(first "ladder --built --counts ${name}")
        if(NOT EXISTS ${CMAKE_SOURCE_DIR}/solutions/${name})
            set(first doctor) # a hand-out has no finished steps that a ladder could compare
        endif()
        add_custom_target(ladder
            COMMAND sh -c "\"$0\" ${first}; failed=$?; echo 'Your turn:'; \"$0\" status; exit $failed"
                $<TARGET_FILE:workbook>
            DEPENDS workbook
            WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
            VERBATIM USES_TERMINAL)
        add_dependencies(ladder simt)
    endif()
    chapter_peer(${name} ${arg_UNPARSED_ARGUMENTS})
    add_subdirectory(${name})
endfunction()

# Sets variable to the arguments as shell words.
function(shell_words variable)
    list(TRANSFORM ARGN REPLACE "'" "'\\\\''")
    list(JOIN ARGN "' '" words)
    set(${variable} "'${words}'" PARENT_SCOPE)
endfunction()

# Sets variable to the command that links an object of nvcc_object, as shell words.
function(link_words variable)
    if(WORKBOOK_SANITIZE)
        shell_words(words ${WORKBOOK_NVCC} -ccbin ${CMAKE_CXX_COMPILER} -cudart none ${WORKBOOK_SANITIZE_NVCC})
    else()
        shell_words(words ${CMAKE_CXX_COMPILER} ${WORKBOOK_QUICK_LINKER})
    endif()
    set(${variable} "${words}" PARENT_SCOPE)
endfunction()

# program.sh compiles and links a source as program() does a step of this tree. For `workbook grade` and `judge` it
# makes the half that a judge starts, for `workbook hunt` and `project` a program with the machine in it. The target
# machine builds the files that it links.
function(program_builder)
    add_custom_target(machine)
    add_dependencies(machine simt)
    shell_words(compile ${WORKBOOK_COMPILE} ${WORKBOOK_NVCC_FLAGS} ${WORKBOOK_SANITIZE_NVCC})
    link_words(link)
    uncached_compiler(compiler)
    string(REPLACE "'${CMAKE_CXX_COMPILER}'" "'${compiler}'" compile "${compile}")
    string(REPLACE "'${CMAKE_CXX_COMPILER}'" "'${compiler}'" link "${link}")
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/program.sh CONTENT "\
# sh program.sh graded|whole ARCH SOURCE PROGRAM; made by common/cmake/exercise.cmake\n\
case $1 in graded) half=-DWORKBOOK_SERVED with='$<TARGET_FILE:served>' ;; *) half= with='$<TARGET_FILE:simt>' ;; esac\n\
case $2 in *a) sm=$2 ;; *) sm=${WORKBOOK_MACHINE_ARCH} ;; esac\n\
${compile} $half -arch=compute_$2 -code=compute_$2,sm_$sm -MD -MF \"$4.d\" -c \"$3\" -o \"$4.o\" &&\n\
    ${link} \"$4.o\" \"$with\" -lpthread -lm -ldl -o \"$4\"\n")
endfunction()

# course.tsv: first the runner's settings of this tree, then one line per step, followed by its xray().
function(course_table)
    get_property(steps GLOBAL PROPERTY WORKBOOK_COURSE)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/course.tsv CONTENT "\
source\t${CMAKE_SOURCE_DIR}\n\
build\t${CMAKE_BINARY_DIR}\n\
cmake\t${CMAKE_COMMAND}\n\
nvcc\t${WORKBOOK_NVCC}\n\
cxx\t${CMAKE_CXX_COMPILER}\n\
grade\t${WORKBOOK_GRADE}\n\
gpu\t${WORKBOOK_ARCHS}\n\
jobs\t${WORKBOOK_JOBS}\n\
timeout\t${WORKBOOK_TIMEOUT}\n\
memory_kb\t${WORKBOOK_MEMORY_KB}\n\
gpu_memory_kb\t${WORKBOOK_GPU_MEMORY_KB}\n\
strict\t$<BOOL:${WORKBOOK_STRICT}>\n\
library\t$<TARGET_FILE:served>\n\
${steps}")
    program_builder()
endfunction()

function(summary)
    set(gpu "no GPU: the SIMT machine grades")
    if(WORKBOOK_ARCHS)
        set(gpu "GPU sm_${WORKBOOK_ARCHS}")
    endif()
    message(STATUS "Warpbook: nvcc ${WORKBOOK_NVCC_VERSION} (${WORKBOOK_NVCC}); ${gpu}; ctest grades the ${WORKBOOK_GRADE}")
    if(NOT EXISTS ${CMAKE_BINARY_DIR}/workbook AND NOT WORKBOOK_PREBUILT) # CTest hides the output of a fixture's build
        cmake_path(RELATIVE_PATH CMAKE_BINARY_DIR BASE_DIRECTORY ${CMAKE_SOURCE_DIR} OUTPUT_VARIABLE here)
        message(STATUS "Warpbook: the first test builds the SIMT machine, which takes minutes in silence; "
            "cmake --build ${here} --target workbook judges builds it now and shows how far it is")
    endif()
endfunction()
