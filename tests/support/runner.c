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
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static bool (*run_one)(const struct test_case *test);

static void run_it(void **test) {
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
