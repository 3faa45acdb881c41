#include "tests/support/programs.h"
#include <string.h>
#include "base/alloc.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

bool program_is_well(ty_program *p) {
    const char *error = ty_program_error(p);
    if (*error && test_starving() && mem_failed())
        CHECK(strstr(error, "memory"), "a failed allocation says: %s", error);
    else
        CHECK(!*error, "the program says: %s", error);
    return !*error;
}

void program_gives(uint64_t seed, const char *how, ty_compile_options options, int n,
                   ty_tensor *const *promises, ty_tensor *const *want) {
    struct test_round round = test_round();
    ty_tensor *why = NULL;
    ty_program *program = test_program(ty_compile(n, promises, options));
    if (*ty_program_error(program)) CHECK_OK(ty_program_failure(program));
    CHECK(ty_program_check(program, &why), "program %llu, %s: %s", (unsigned long long)seed, how,
          ty_error(why));
    for (int run = 0; run < 2; run++) {
        bool ran = ty_run(program);
        for (int i = 0; i < n; i++)
            compare_bits(ty_output(program, i), want[i], "program %llu, %s, run %d, result %d",
                         (unsigned long long)seed, how, run, i);
        CHECK(ran, "program %llu, %s does not run", (unsigned long long)seed, how);
    }
    test_round_end(round);
}
