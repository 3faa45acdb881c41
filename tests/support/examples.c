#include "tests/support/examples.h"

#include "array/tensor.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

ty_tensor *examples_at(ty_tensor *x, int axis, int64_t k) {
    return ty_squeeze(ty_slice(x, axis, k, k + 1, 1), axis);
}

void examples_one_by_one(ty_branch body, void *context, int n, ty_tensor *const *x, const int *axes,
                         int64_t size, int nresults, ty_tensor **results) {
    ty_tensor **all = test_room((size_t)(nresults * size) * sizeof *all);
    ty_allow_unused(true); /* some subgraphs have constant gradients */
    for (int64_t k = 0; k < size; k++) {
        ty_tensor *one[EXAMPLES_MOST], *y[EXAMPLES_MOST];
        for (int i = 0; i < n; i++) {
            int axis = axes ? axes[i] : 0;
            one[i] = CHECK_OK(axis == TY_NO_AXIS ? x[i] : examples_at(x[i], axis, k));
        }
        body(context, one, y);
        for (int i = 0; i < nresults; i++) all[i * size + k] = CHECK_OK(ty_eval(y[i]));
    }
    for (int i = 0; i < nresults; i++) results[i] = CHECK_OK(ty_stack((int)size, all + i * size, 0));
}

ty_tensor *examples_leaf(ty_tensor *x, enum how how) {
    bool flows = dtype_is(ty_dtype_of(x), CLASS_FLOAT | CLASS_COMPLEX);
    return how == LAZY ? ty_var(x, "x") : how == TRACKED && flows ? ty_track(x, "x") : x;
}

void examples_check(const char *name, ty_branch body, void *context, int n, ty_tensor *const *x,
                    const int *axes, int64_t size, int nresults) {
    ty_tensor *want[EXAMPLES_MOST], *got[EXAMPLES_MOST], *given[EXAMPLES_MOST];
    examples_one_by_one(body, context, n, x, axes, size, nresults, want);
    for (enum how how = 0; how < HOWS; how++) {
        for (int i = 0; i < n; i++) given[i] = CHECK_OK(examples_leaf(x[i], how));
        ty_vmap(body, context, n, given, axes, nresults, got, NULL);
        for (int i = 0; i < nresults; i++) {
            CHECK_OK(got[i]);
            CHECK(how == LAZY || !ty_is_promise(got[i]), "%s: of values comes a promise", name);
            compare_near(CHECK_OK(ty_eval(got[i])), want[i], 1e-12, 1e-12, "%s, %d, result %d", name,
                         (int)how, i);
        }
    }
}
