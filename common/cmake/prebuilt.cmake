# A tree configured with -DWORKBOOK_PREBUILT=BUILD builds neither the SIMT machine nor drivers nor judges. It
# links those of BUILD, a build of the same common/. The workbook's own tests use this, since each of them has
# its own hand-out.
include_guard(GLOBAL)

# The target simt of -DWORKBOOK_SIMT=PREFIX: what `cmake --install` installed there, of this version and with this
# tree's headers.
function(installed_machine)
    find_package(simt ${PROJECT_VERSION} EXACT REQUIRED PATHS ${WORKBOOK_SIMT} NO_DEFAULT_PATH)
    foreach(header simt.h simt/remote.h simt/startup.h)
        cmake_path(GET header FILENAME name)
        execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files ${WORKBOOK_SIMT}/include/${header}
            ${WORKBOOK_TREE}/common/simt/${name} RESULT_VARIABLE differs ERROR_QUIET)
        if(differs)
            message(FATAL_ERROR "The SIMT machine in ${WORKBOOK_SIMT} has another ${header}.\n\
  Install that of this tree again: cmake --install BUILD --prefix ${WORKBOOK_SIMT}")
        endif()
    endforeach()
    if(WORKBOOK_SANITIZE)
        message(FATAL_ERROR "WORKBOOK_SANITIZE needs a SIMT machine built with it: leave out WORKBOOK_SIMT.")
    endif()
    set_target_properties(simt::simt PROPERTIES IMPORTED_GLOBAL TRUE)
    add_library(simt ALIAS simt::simt)
endfunction()

function(prebuilt_library name file)
    add_library(${name} STATIC IMPORTED GLOBAL)
    set_target_properties(${name} PROPERTIES IMPORTED_LOCATION ${WORKBOOK_PREBUILT}/common/${file})
    target_link_libraries(${name} INTERFACE ${ARGN})
endfunction()

function(prebuilt_libraries)
    prebuilt_library(simt simt/libsimt.a pthread m ${CMAKE_DL_LIBS})
    prebuilt_library(served libserved.a pthread)
    prebuilt_library(local liblocal.a)
    prebuilt_library(judging libjudging.a simt)
    find_package(LibArchive QUIET) # BUILD has the same settings, on the same computer
    prebuilt_library(runner_rooms librunner_rooms.a m $<$<BOOL:${LibArchive_FOUND}>:${LibArchive_LIBRARIES}>)
endfunction()

# Whether BUILD has the driver common/<header>.h. False for a chapter that this tree has and BUILD does not.
function(is_prebuilt variable header)
    file(STRINGS ${WORKBOOK_PREBUILT}/course.tsv lines REGEX "\t${header} ")
    if(lines)
        set(${variable} TRUE PARENT_SCOPE)
    else()
        set(${variable} FALSE PARENT_SCOPE)
    endif()
endfunction()

function(prebuilt_judge header)
    target_link_libraries(driver.${header} INTERFACE ${WORKBOOK_PREBUILT}/objects/drivers/${header}.o local)
    set(judge ${CMAKE_BINARY_DIR}/judges/${header})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/judges)
    if(NOT EXISTS ${judge}) # a test may have replaced it
        file(CREATE_LINK ${WORKBOOK_PREBUILT}/judges/${header} ${judge} SYMBOLIC)
    endif()
    add_custom_target(judge.${header})
    add_dependencies(judges judge.${header})
endfunction()
