# `cmake --install` lays out the command, the public headers, one static library per room, and a package that
# find_package(plimsoll) reads; it gives plimsoll::plimsoll.
include(CMakePackageConfigHelpers)

set(plimsoll_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/plimsoll)

set(plimsoll_installed plimsoll)
foreach(room IN ITEMS base hal kernels memory graph cpu gpu runtime io text nn lm)
  if(TARGET plimsoll_${room})
    list(APPEND plimsoll_installed plimsoll_${room})
  endif()
endforeach()

install(TARGETS ${plimsoll_installed} EXPORT plimsoll ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/plimsoll DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET plimsoll_cli)
  install(TARGETS plimsoll_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT plimsoll NAMESPACE plimsoll:: FILE plimsoll-targets.cmake DESTINATION ${plimsoll_package_dir})
configure_package_config_file(cmake/plimsoll-config.cmake.in ${PROJECT_BINARY_DIR}/plimsoll-config.cmake
  INSTALL_DESTINATION ${plimsoll_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/plimsoll-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/plimsoll-config.cmake ${PROJECT_BINARY_DIR}/plimsoll-config-version.cmake
  cmake/FindPlimsollDnnl.cmake cmake/FindPlimsollShaderc.cmake
  DESTINATION ${plimsoll_package_dir})
