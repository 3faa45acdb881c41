# The extension of Python (python/) and its test, for the interpreter that is found.  Sanitizers must be loaded before the
# interpreter, so their builds leave it out.
option(TY_PYTHON "the extension of Python and its test, where Python.h is installed" ON)
if(NOT TY_PYTHON OR TY_SANITIZE OR TY_COVERAGE OR CMAKE_CROSSCOMPILING OR NOT BUILD_TESTING OR NOT TARGET tyto)
  return()
endif()
if(NOT TYTO_PYTHON)
  find_program(TYTO_PYTHON NAMES python3 DOC "the interpreter that the extension is for")
endif()
set(reason "no python3 is installed")
if(TYTO_PYTHON)
  execute_process(COMMAND ${TYTO_PYTHON} -B -c "import sys; sys.path.insert(0, sys.argv[1]); import facts; sys.exit(not facts.has_headers() or sys.version_info < (3, 9))"
                  ${PROJECT_SOURCE_DIR}/python/backend RESULT_VARIABLE code)
  set(reason "${TYTO_PYTHON} is older than 3.9 or has no Python.h (Debian: python3-dev)")
endif()
if(NOT TYTO_PYTHON OR code)
  message(STATUS "python: ${reason}; the package is not built")
  add_test(NAME python COMMAND ${CMAKE_COMMAND} -E echo "python: skipped: ${reason}")
  set_tests_properties(python PROPERTIES SKIP_REGULAR_EXPRESSION "python: skipped")
  return()
endif()
add_subdirectory(python)
add_test(NAME python COMMAND ${TYTO_PYTHON} -B -X dev ${PROJECT_SOURCE_DIR}/python/tests/run.py ${PROJECT_BINARY_DIR}/python/package)
# The array API standard's own suite, which is not in the tree; docs/python.md says where it comes from.
add_test(NAME python_suite COMMAND ${TYTO_PYTHON} -B ${PROJECT_SOURCE_DIR}/python/tests/suite/run.py
                                   ${PROJECT_SOURCE_DIR}/../shared/conformance/array-api-tests.tar.xz
                                   --package ${PROJECT_BINARY_DIR}/python/package)
set_tests_properties(python_suite PROPERTIES SKIP_RETURN_CODE 77)
