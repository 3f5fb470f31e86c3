# cpack reads this for each kind of package. A package must run on any computer.
if(CPACK_SIMT_NATIVE)
    message(FATAL_ERROR "\
This build of the SIMT machine is for this computer's instruction set alone (SIMT_NATIVE).\n\
  cmake --workflow --preset package builds one for any computer, and packs it.")
endif()
if(CPACK_GENERATOR STREQUAL "DEB")
    set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
