/* Programs whose blocks exceed 64-bit byte counts are refused before any pass adds them up. */
#include <string.h>
#include <tyto/tyto.h>

#include "tests/support/harness.h"

/* Return the sum of n cumulative sums of `size` elements, all alive at once. */
static ty_tensor *sum_of(int n, int64_t size) {
    ty_tensor *x = ty_broadcast(ty_var(ty_scalar(TY_F64, 1), "x"), 1, &size), *all[8], *y = NULL;
    for (int i = 0; i < n; i++) all[i] = ty_cumsum(ty_mul(x, ty_num(i + 1)), 0, (ty_running){0});
    for (int i = 0; i < n; i++) all[i] = ty_mul(ty_flip(all[i], 0), all[n - 1 - i]);
    for (int i = 0; i < n; i++) y = y ? ty_add(y, ty_sum(all[i], TY_ALL)) : ty_sum(all[i], TY_ALL);
    return CHECK_OK(y);
}

static void blocks_beyond_addresses(void) {
    for (int n = 2; n < 8; n += 3)
        for (int plain = 0; plain < 2; plain++) {
            ty_tensor *y = sum_of(n, (int64_t)1 << 59);
            ty_program *p = test_program(ty_compile(
                1, &y, (ty_compile_options){.no_fuse = plain, .no_rewrite = plain, .no_reuse = plain}));
            CHECK(strstr(ty_program_error(p), "exceed the address space") || test_starving(), "%d: '%s'", n,
                  ty_program_error(p));
            CHECK_POISON(ty_eval(y), "exceed the address space");
        }
}

/* A countable size compiles; only the run reports missing memory. */
static void blocks_within(void) {
    ty_tensor *y = sum_of(1, (int64_t)1 << 58);
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){.no_fuse = true}));
    CHECK(!*ty_program_error(p) || test_starving(), "%s", ty_program_error(p));
}

TESTS_MAIN(TEST(blocks_beyond_addresses), TEST(blocks_within))
