/* Callbacks of minimisers, schedules and gradients in pieces that leave scopes open, close them, or return
   NULL. */
#include <tyto/nn.h>
#include "array/scope.h"
#include "tests/support/harness.h"
#include "tests/support/misbehave.h"

static ty_tensor *squares(void *context, ty_tensor *const *x) {
    (void)context;
    return misbehave(ty_sum(ty_square(x[0]), TY_ALL));
}
static ty_tensor *rate_of(const ty_schedule *s, ty_tensor *t) {
    (void)s;
    return misbehave(ty_add(t, ty_num(1)));
}
static ty_tensor *well_squares(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sum(ty_square(x[0]), TY_ALL);
}
static bool asked(void *context, const ty_minimum *now) {
    (void)context, (void)now;
    misbehave(ty_num(1));
    return true;
}

static ty_tensor *call_training(int which, ty_tensor *x) {
    ty_tensor *y = NULL, *value;
    ty_schedule s = {.at = rate_of};
    if (which == 0) ty_minimise(squares, NULL, 1, &x, (ty_minimise_options){0}, &y, NULL);
    if (which == 1) ty_accumulate(squares, NULL, 1, &x, 1, &x, 2, &value, &y);
    if (which == 2) y = ty_schedule_rate(&s, ty_int(3));
    return y;
}

static void training(void) {
    ty_tensor *x = ty_ones(TY_F64, TY_SHAPE(6)), *y;
    for (way = 0; way < WAYS; way++)
        for (int which = 0; which < 3; which++) {
            around = ty_open();
            int depth = scope_depth();
            y = call_training(which, x);
            bool well = way == WELL || way == LEAVES_OPEN;
            CHECK(y && (ty_ok(y) == well || test_starving()), "function %d, way %d: %s", which, way,
                  y ? ty_error(y) : "NULL");
            CHECK(scope_depth() == depth, "function %d, way %d: %d scopes", which, way, scope_depth());
            ty_close(around);
        }
    for (way = 0; way < WAYS; way++) { /* results do not depend on the work of `each` */
        around = ty_open();
        ty_minimise_options o = {.each = asked};
        int depth = scope_depth();
        ty_minimise(well_squares, NULL, 1, &x, o, &y, NULL);
        CHECK(ty_ok(y) || test_starving(), "each, way %d: %s", way, ty_error(y));
        CHECK(scope_depth() == depth, "each, way %d: %d scopes", way, scope_depth());
        ty_close(around);
    }
}

TESTS_MAIN(TEST(training))
