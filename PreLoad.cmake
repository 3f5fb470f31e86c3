# CMake reads this file before it chooses a generator. The presets that run the tests set WORKBOOK_NINJA and no generator:
# Ninja builds where it is installed, CMake's default generator elsewhere. A test finds its programs up to date in 0.02 s of
# CPU by Ninja, in 0.4 s by make. CMAKE_GENERATOR in the environment, and a build directory that exists, keep their generator.
cmake_policy(VERSION 3.25)
if(WORKBOOK_NINJA AND NOT CMAKE_GENERATOR AND NOT DEFINED ENV{CMAKE_GENERATOR})
    find_program(ninja NAMES ninja-build ninja samu NO_CACHE)
    if(ninja)
        set(CMAKE_GENERATOR Ninja CACHE INTERNAL "")
    endif()
    unset(ninja)
endif()
