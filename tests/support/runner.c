#include "tests/support/runner.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool runner_leaves_out(const char *name) {
    const char *words = getenv("TY_TEST_WITHOUT");
    for (size_t n = strlen(name); words && *words; words += strcspn(words, " "), words += strspn(words, " "))
        if (strcspn(words, " ") == n && !memcmp(words, name, n)) return true;
    return false;
}

#ifdef TEST_CMOCKA
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
enum { CRASHES = sizeof crashes / sizeof *crashes };
static struct sigaction before[CRASHES];
static bool (*run_one)(const struct test_case *test);

static void run_it(void **test) {
    /* cmocka continues after a crash, with the next test, which would wait for locks that the crash left */
    for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], &before[i], NULL);
    if (!run_one(*test)) fail();
}

bool runner_run(const char *group, int n, const struct test_case *tests,
                bool (*run)(const struct test_case *test)) {
    struct CMUnitTest *units = calloc((size_t)n + 1, sizeof *units);
    if (!units) return false;
    for (int i = 0; i < n; i++)
        units[i] = (struct CMUnitTest){
            .name = tests[i].name, .test_func = run_it, .initial_state = (void *)(uintptr_t)&tests[i]};
    run_one = run;
    for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], NULL, &before[i]);
    int failed = _cmocka_run_group_tests(group, units, (size_t)n, NULL, NULL);
    free(units);
    return failed == 0;
}
#else
bool runner_run(const char *group, int n, const struct test_case *tests,
                bool (*run)(const struct test_case *test)) {
    bool well = true;
    fprintf(stderr, "[==========] %s: Running %d test(s).\n", group, n);
    for (int i = 0; i < n; i++) {
        fprintf(stderr, "[ RUN      ] %s\n", tests[i].name);
        bool passed = run(&tests[i]);
        fprintf(stderr, passed ? "[       OK ] %s\n" : "[  FAILED  ] %s\n", tests[i].name);
        well = well && passed;
    }
    return well;
}
#endif
