# Installed files can be moved: paths in them are relative to where they lie.
option(TY_STRIP "strip what is installed" ON)

# A folder that is given absolutely but lies in the prefix follows the prefix.
foreach(dir BINDIR LIBDIR INCLUDEDIR DATADIR MANDIR DOCDIR)
  string(FIND "${CMAKE_INSTALL_${dir}}" "${CMAKE_INSTALL_PREFIX}/" at)
  if(at EQUAL 0)
    file(RELATIVE_PATH CMAKE_INSTALL_${dir} "${CMAKE_INSTALL_PREFIX}" "${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
foreach(target ${public_libraries})
  target_include_directories(${target} PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()

if(TY_STRIP AND CMAKE_STRIP) # programs and shared libraries; CMake itself leaves archives alone
  install(CODE "set(CMAKE_INSTALL_DO_STRIP ON)")
endif()
install(TARGETS ${public_libraries} EXPORT tyto_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET tyto_tool)
  file(RELATIVE_PATH to_library /prefix/${CMAKE_INSTALL_BINDIR} /prefix/${CMAKE_INSTALL_LIBDIR})
  if(NOT command_shared) # it looks for no library of ours
  elseif(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_BINDIR}")
    set_target_properties(tyto_tool PROPERTIES INSTALL_RPATH "${CMAKE_INSTALL_FULL_LIBDIR}")
  else()
    set_target_properties(tyto_tool PROPERTIES INSTALL_RPATH "$ORIGIN/${to_library}")
  endif()
  install(TARGETS tyto_tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The command writes its man pages and scripts of completion, where it can run here.
if(TARGET tyto_tool AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
  set(manual ${CMAKE_CURRENT_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}.stamp
                     COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
                     COMMAND tyto_tool help --write ${manual}
                     COMMAND ${CMAKE_COMMAND} -E touch ${manual}.stamp
                     DEPENDS tyto_tool VERBATIM)
  add_custom_target(manual ALL DEPENDS ${manual}.stamp)
  install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY ${manual}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR})
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tyto DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(tree ${CMAKE_CURRENT_LIST_DIR}/..)
install(FILES ${tree}/docs/tyto.json DESTINATION ${CMAKE_INSTALL_DATADIR}/tyto)
install(FILES ${tree}/README.md ${tree}/CHANGELOG.md ${tree}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${tree}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tyto)
set_target_properties(tyto_static PROPERTIES EXPORT_NAME static)
install(EXPORT tyto_targets NAMESPACE Tyto:: FILE TytoTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TytoConfig.cmake.in TytoConfig.cmake INSTALL_DESTINATION ${package_dir})
set(compatible SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0) # as the name of the shared library (Public.cmake)
  set(compatible SameMinorVersion)
endif()
write_basic_package_version_file(TytoConfigVersion.cmake COMPATIBILITY ${compatible})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/TytoConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/TytoConfigVersion.cmake
        DESTINATION ${package_dir})

# The prefix is known only when it is installed (`cmake --install B --prefix P`).
string(REPLACE ";" " " pkgconfig_private "${private_libraries}")
set(pkgconfig_libraries "-ltyto")
if(NOT tyto IN_LIST public_libraries) # what the archive needs, it needs always
  string(APPEND pkgconfig_libraries " ${pkgconfig_private}")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/installed.cmake.in installed.cmake @ONLY)
install(SCRIPT ${CMAKE_CURRENT_BINARY_DIR}/installed.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/Manual.cmake)
