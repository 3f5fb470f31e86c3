# uncached_compiler(VARIABLE): CMAKE_CXX_COMPILER or, if that is a link to ccache, the compiler that ccache would call: the next
# one of that name in PATH. For submissions: each is compiled once, so ccache would only hash its headers and store the result.
include_guard(GLOBAL)

function(uncached_compiler variable)
    set(found ${CMAKE_CXX_COMPILER})
    cmake_path(GET found FILENAME name)
    set(places $ENV{PATH})
    string(REPLACE ":" ";" places "${places}")
    foreach(place IN LISTS places)
        file(REAL_PATH ${found} real)
        if(NOT real MATCHES "/ccache$" OR DEFINED ENV{CCACHE_PATH} OR DEFINED ENV{CCACHE_COMPILER})
            break()
        endif()
        if(EXISTS ${place}/${name})
            set(found ${place}/${name})
        endif()
    endforeach()
    file(REAL_PATH ${found} real)
    if(real MATCHES "/ccache$") # there is no other
        set(found ${CMAKE_CXX_COMPILER})
    endif()
    set(${variable} ${found} PARENT_SCOPE)
endfunction()
