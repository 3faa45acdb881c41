/* Runs a group of tests and reports each, by cmocka or, if it is not installed (TEST_CMOCKA not defined), with the
   same lines but without its handlers for signals. */
#ifndef TESTS_SUPPORT_RUNNER_H
#define TESTS_SUPPORT_RUNNER_H
#include "tests/support/harness.h"

/* Call `run`, which returns true if a test passed, for each of n tests in order.  True if all passed. */
bool runner_run(const char *group, int n, const struct test_case *tests,
                bool (*run)(const struct test_case *test));
#endif
