/* ty_while: a scan without sequences that may stop. The condition is also evaluated before the first step. */
#include <tyto/arithmetic.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include "array/scope.h"
#include "control/loop.h"
#include "control/scan.h"
#include "ops/core/memory/give.h"

/* Context of the loop's step. */
struct looping {
    ty_condition condition;
    ty_next next;
    void *context;
    int n;
};

/* Call the caller's condition on the carries and return its value. Poison on failure. */
static ty_tensor *condition_of(const struct looping *w, ty_tensor *const *carry) {
    struct scope_fence fence = scope_fence();
    ty_tensor *go = w->condition(w->context, carry);
    if (!go) go = ty_poison_code(E_USER, "the condition returned NULL; expected bool[]");
    return scope_fence_result(fence, "the condition", go);
}

/* Step of the loop, whose context is a struct looping: set the next carries by the caller's function, and set
   the stop flag to true if the condition no longer holds. */
static void step(void *context, ty_step *s) {
    const struct looping *w = context;
    w->next(w->context, s->carry, s->next);
    for (int i = 0; i < w->n; i++)
        if (!s->next[i] || !ty_ok(s->next[i])) return; /* the scan reports it */
    s->stop = ty_logical_not(condition_of(w, s->next));
}

/* Return the number of steps to run, i64 []: `most`, or 0 if the condition is false for the first values
   carry[]. Poison on failure. */
static ty_tensor *steps_wanted(const struct looping *w, ty_tensor *const *carry, int64_t most) {
    ty_tensor *go = condition_of(w, carry);
    if (ty_ok(go) && (ty_dtype_of(go) != TY_BOOL || ty_rank(go) != 0))
        return ty_poison_code(E_DTYPE, "while: the condition must be bool[], not %s[%s]",
                              ty_dtype_name(ty_dtype_of(go)), ty_rank(go) ? "..." : "");
    return ty_mul(ty_cast(go, TY_I64), ty_int(most));
}

bool ty_while(ty_condition condition, ty_next next, void *context, int n, ty_tensor *const *carry,
              int64_t most, ty_tensor **last, ty_tensor **steps) {
    struct looping w = {condition, next, context, n};
    ty_scan_spec loop = {.ncarry = n, .carry = carry, .length = most ? most : INT64_MAX};
    if (!loop_given("while", condition && next, &loop, last, NULL, steps)) return false;
    ty_scope *scope = ty_open();
    ty_tensor *count = steps_wanted(&w, carry, loop.length);
    for (int i = 0; i < n; i++) give_on(tensor_of(carry[i]));
    bool done =
        ty_ok(count) && scan_counted("while", step, &w, &loop, tensor_resolve(count), last, NULL, steps);
    int carries = n > 0 ? n : 0;
    for (int i = 0; i < carries + (steps != NULL); i++) {
        ty_tensor **result = i < carries ? &last[i] : steps;
        if (!ty_ok(count)) *result = count;
        if (scope) *result = ty_keep(*result);
    }
    ty_close(scope);
    return done;
}
