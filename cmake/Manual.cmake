# The overview tyto.3 is always installed.  The manual in HTML is built by Sphinx with MyST, which the library does not
# need (docs/design.md).
option(TY_MANUAL "the manual in HTML, by Sphinx and MyST" OFF)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/../docs/tyto.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3)
if(TY_MANUAL)
  find_program(SPHINX_BUILD sphinx-build)
  find_program(PYTHON3 python3)
  if(NOT SPHINX_BUILD OR NOT PYTHON3)
    message(FATAL_ERROR "TY_MANUAL: sphinx-build or python3 not found; install Sphinx and MyST (Debian's python3-sphinx and "
                        "python3-myst-parser), or switch the option off")
  endif()
  set(html ${CMAKE_CURRENT_BINARY_DIR}/html)
  set(command)
  set(command_file)
  if(TARGET tyto_tool AND (NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR))
    set(command tyto_tool) # describes the commands
    set(command_file $<TARGET_FILE:tyto_tool>)
  endif()
  file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/* ${PROJECT_SOURCE_DIR}/docs/manual/* ${PROJECT_SOURCE_DIR}/examples/*.c)
  list(FILTER pages EXCLUDE REGEX "/(__pycache__|interface|manual|theme)$")
  add_custom_command(OUTPUT ${html}.stamp
                     COMMAND ${CMAKE_COMMAND} -E env SPHINX_BUILD=${SPHINX_BUILD} PYTHON3=${PYTHON3}
                             sh ${PROJECT_SOURCE_DIR}/docs/manual/make.sh ${html} ${command_file}
                     COMMAND ${CMAKE_COMMAND} -E touch ${html}.stamp
                     DEPENDS ${command} ${pages} VERBATIM)
  add_custom_target(manual_html ALL DEPENDS ${html}.stamp)
  install(DIRECTORY ${html}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html)
endif()
