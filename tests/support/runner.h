/* Runs a group of tests and reports each by cmocka. Without cmocka (TEST_CMOCKA not defined) the report
   has the same lines, but signals are not handled. */
#ifndef TESTS_SUPPORT_RUNNER_H
#define TESTS_SUPPORT_RUNNER_H
#include "tests/support/harness.h"

/* Call `run`, which returns true if a test passed, for each of n tests in order.  True if all passed. */
bool runner_run(const char *group, int n, const struct test_case *tests,
                bool (*run)(const struct test_case *test));
/* Return true if the variable TY_TEST_WITHOUT, names with blanks between them, has this test. */
bool runner_leaves_out(const char *name);
#endif
