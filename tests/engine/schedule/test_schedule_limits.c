/* Copies of operands and parts of sums that schedules add keep the limit of ty_set_workspace. */
#include <tyto/tyto.h>
#include "base/arena.h"
#include "engine/nest/lower.h"
#include "engine/schedule/schedule.h"
#include "ops/core/op.h"
#include "tests/support/harness.h"

enum { LANES = 16 };

/* Bytes that the schedule of the last contraction or reduction has added, -1: there was none; its fault. */
static double added;
static struct fault why;

static double temporaries_of(const ty_nests *n) {
    double bytes = 0;
    for (int i = 0; i < n->ntemporaries; i++)
        bytes += (double)n->temporaries[i].size * (double)dtype_table[n->temporaries[i].dtype].size;
    return bytes;
}
static void watch(const struct op *op, const struct kernel *k) {
    struct arena arena = {0};
    ty_nests before, after;
    (void)op;
    if (!k || (k->kind != KERNEL_CONTRACT && k->kind != KERNEL_REDUCE)) return;
    bool done = nest_lower(k, &before, &arena, &why);
    after = before;
    done = done && schedule(&after, LANES, true, &arena, &why) && nests_check_kernel(k, &after, &why);
    added = done ? temporaries_of(&after) - temporaries_of(&before) : -1;
    arena_drop(&arena);
}

/* Return the bytes that the schedule of f(x, w) adds with this limit. */
static double bytes_added(ty_tensor *(*f)(ty_tensor *, ty_tensor *), ty_tensor *x, ty_tensor *w,
                          int64_t limit) {
    ty_set_workspace(limit);
    added = -1;
    op_watch = watch;
    ty_tensor *y = f(x, w);
    op_watch = NULL;
    CHECK(ty_ok(y) || test_starving(), "%s", ty_error(y));
    CHECK(added >= 0 || test_starving(), "no kernel was scheduled: %s", why.text);
    return added;
}

static ty_tensor *convolution(ty_tensor *x, ty_tensor *w) { return ty_conv2d(x, w, (ty_conv){.same = true}); }

static void keeps(ty_tensor *(*f)(ty_tensor *, ty_tensor *), ty_tensor *x, ty_tensor *w) {
    double all = bytes_added(f, x, w, 0);
    if (test_starving()) return;
    CHECK(all > 0, "nothing is copied without a limit");
    CHECK(bytes_added(f, x, w, (int64_t)all) == all, "a limit of all %g bytes changes the copies", all);
    for (double limit = all - 1; limit >= 1; limit = limit / 2 - 1) {
        double bytes = bytes_added(f, x, w, (int64_t)limit);
        CHECK(bytes <= limit, "copies have %g bytes with a limit of %g", bytes, limit);
    }
    ty_set_workspace(0);
}

static void products_keep_the_limit(void) {
    keeps(ty_matmul, ty_normal(TY_F32, TY_SHAPE(512, 512), ty_key(1)),
          ty_normal(TY_F32, TY_SHAPE(512, 512), ty_key(2)));
}
static void convolutions_keep_the_limit(void) {
    keeps(convolution, ty_normal(TY_F32, TY_SHAPE(4, 16, 16, 8), ty_key(1)),
          ty_normal(TY_F32, TY_SHAPE(3, 3, 8, 16), ty_key(2)));
}

static ty_tensor *sum_of_columns(ty_tensor *x, ty_tensor *w) { return ty_add(ty_sum(x, ty_axis(0)), w); }
static void sums_keep_the_limit(void) {
    keeps(sum_of_columns, ty_normal(TY_F32, TY_SHAPE(8192, 300), ty_key(1)), ty_num(0));
}

TESTS_MAIN(TEST(products_keep_the_limit), TEST(sums_keep_the_limit), TEST(convolutions_keep_the_limit))
