/* Runs a group of tests and reports each: cmocka, or where it is not installed (TEST_CMOCKA not defined), the same lines
   without its handlers for signals. */
#ifndef TESTS_SUPPORT_RUNNER_H
#define TESTS_SUPPORT_RUNNER_H
#include "tests/support/harness.h"

/* `run` is called for each of n tests in order and says whether it passed; true when all did. */
bool runner_run(const char *group, int n, const struct test_case *tests,
                bool (*run)(const struct test_case *test));
#endif
