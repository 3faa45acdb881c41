/* Graphs and programs for the tests of sections. */
#ifndef TESTS_SUPPORT_SECTIONS_H
#define TESTS_SUPPORT_SECTIONS_H
#include "compile/passes/sections.h"
#include "compile/program.h"
#include "tests/support/harness.h"

enum { SIZE = 6, CHAINS = 8 };
static const int widths[] = {1, 2, 3, 8};
enum { WIDTHS = sizeof widths / sizeof *widths };

/* Return a variable of n by n numbers in -0.25 .. 0.25. */
static inline ty_tensor *square(uint64_t key, int64_t n) {
    return ty_var(ty_mul(ty_sub(ty_uniform(TY_F32, TY_SHAPE(n, n), ty_key(key)), ty_num(0.5)), ty_num(0.5)),
                  "x");
}

/* Compile for `threads` threads, with sections as `how` says. */
static inline ty_program *compiled(int threads, enum sections_forced how, int n, ty_tensor *const *outputs,
                                   ty_compile_options options) {
    ty_set_threads(threads);
    sections_force(how);
    ty_program *p = test_program(ty_compile(n, outputs, options));
    sections_force(SECTIONS_BY_COST);
    return p;
}

/* True if p was compiled and its plan is well; a failed allocation is no failure of the test. */
static inline bool is_well(ty_program *p, const char *what) {
    ty_tensor *why = NULL;
    if (*ty_program_error(p)) {
        CHECK(test_starving(), "%s: %s", what, ty_program_error(p));
        return false;
    }
    CHECK(ty_program_check(p, &why) || test_starving(), "%s: %s\n%s", what, ty_error(why),
          test_text(ty_program_text(p)));
    return true;
}

/* Return the product of steps + 1 factors x. */
static inline ty_tensor *chain(ty_tensor *x, int steps) {
    ty_tensor *y = x;
    for (int i = 0; i < steps; i++) y = ty_matmul(y, x);
    return y;
}

static inline void step_of_two(void *context, ty_step *s) {
    (void)context;
    for (int i = 0; i < 2; i++)
        s->next[i] = ty_tanh(ty_matmul(ty_matmul(s->carry[i], s->carry[i]), s->carry[i]));
}

/* Return the sum of the last carries of a loop whose steps have two independent parts. */
static inline ty_tensor *looped(ty_tensor *a, ty_tensor *b) {
    ty_tensor *last[2];
    ty_scan(step_of_two, NULL, (ty_scan_spec){.ncarry = 2, .carry = (ty_tensor *[]){a, b}, .length = 3}, last,
            NULL, NULL);
    return ty_add(last[0], last[1]);
}

#endif
