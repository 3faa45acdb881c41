/* Functions that public functions call back. */
#include <stdlib.h>
#include <string.h>
#include "tests/support/calls/take.h"

static void fill(const int64_t *index, void *element, void *context) {
    (void)index, (void)element, (void)context;
}
static void do_nothing(void *context, void *data) { (void)context, (void)data; }
static ty_tensor *lambda(ty_tensor *x, void *context) {
    (void)context;
    return ty_neg(x);
}
static ty_tensor *lambda_null(ty_tensor *x, void *context) {
    (void)x, (void)context;
    return NULL;
}
static ty_tensor *body(void *context, ty_tensor *const *x) {
    (void)context;
    return calls_now->count > 0 ? ty_exp(x[0]) : ty_num(1);
}
static ty_tensor *body_null(void *context, ty_tensor *const *x) {
    (void)context, (void)x;
    return NULL;
}

TAKE(callback_done, calls_done) {
    (void)c, (void)name;
    return do_nothing;
}
TAKE(callback_f, calls_fill) {
    (void)c, (void)name;
    return fill;
}
TAKE(callback_function, calls_lambda) {
    (void)name;
    return calls_choose(c, 4) < 3 ? lambda : lambda_null;
}
TAKE(callback_ty_body, ty_body) {
    (void)name;
    return calls_choose(c, 4) < 3 ? body : body_null;
}
TAKE(callback_ty_activation, ty_activation) {
    (void)c, (void)name;
    return ty_relu;
}

/* Return the carries plus one; results are the elements. */
static void step_on(void *context, ty_step *step) {
    (void)context;
    for (int64_t i = 0; i < calls_now->count; i++) {
        step->next[i] = ty_add(step->carry[i], ty_num(1));
        step->y[i] = step->x[i];
    }
}
static void step_idle(void *context, ty_step *step) { (void)context, (void)step; }
TAKE(callback_ty_step_function, ty_step_function) {
    (void)name;
    return calls_choose(c, 8) < 7 ? step_on : step_idle;
}

static ty_tensor *holds(void *context, ty_tensor *const *carry) {
    (void)context;
    return calls_now->count > 0 ? ty_any(ty_lt(carry[0], ty_num(3)), TY_ALL) : ty_scalar(TY_BOOL, 0);
}
TAKE(callback_ty_condition, ty_condition) {
    (void)c, (void)name;
    return holds;
}

static void go_on(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context;
    for (int64_t i = 0; i < calls_now->count; i++) next[i] = ty_mul(carry[i], carry[i]);
}
static void stay(void *context, ty_tensor *const *carry, ty_tensor **next) {
    (void)context, (void)carry, (void)next;
}
TAKE(callback_ty_next, ty_next) {
    (void)name;
    return calls_choose(c, 8) < 7 ? go_on : stay;
}

static void branch(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context;
    for (int64_t i = 0; i < calls_now->count; i++)
        results[i] = calls_now->operands > 0 ? ty_neg(x[0]) : ty_num(1);
}
static void branch_null(void *context, ty_tensor *const *x, ty_tensor **results) {
    (void)context, (void)x, (void)results;
}
TAKE(callback_ty_branch, ty_branch) {
    (void)name;
    return calls_choose(c, 8) < 7 ? branch : branch_null;
}

static bool visit_on(void *context, int64_t node, ty_tensor *x) {
    (void)context, (void)node;
    return ty_ok(x);
}
static bool visit_once(void *context, int64_t node, ty_tensor *x) {
    (void)context, (void)node, (void)x;
    return false;
}
TAKE(callback_ty_node_visitor, ty_node_visitor) {
    (void)name;
    return calls_choose(c, 8) < 7 ? visit_on : visit_once;
}

static ty_tensor *pass_on(void *context, ty_tensor *x, ty_tensor *y) {
    (void)context, (void)x;
    return ty_operands(y) ? ty_neg(y) : NULL;
}
static ty_tensor *pass_bad(void *context, ty_tensor *x, ty_tensor *y) {
    (void)context, (void)x, (void)y;
    return ty_poison("refused by the pass");
}
TAKE(callback_ty_pass, ty_pass) {
    (void)name;
    return calls_choose(c, 8) < 7 ? pass_on : pass_bad;
}

static ty_tensor *bell(void *context, ty_tensor *x) {
    (void)context;
    return ty_mul(ty_sum(ty_square(x), TY_ALL), ty_num(-0.5));
}
static ty_tensor *bell_null(void *context, ty_tensor *x) {
    (void)context, (void)x;
    return NULL;
}
TAKE(callback_ty_log_density, ty_log_density) {
    (void)name;
    return calls_choose(c, 8) < 7 ? bell : bell_null;
}

static ty_tensor *half_of_first(void *context, ty_tensor *const *x, ty_tensor *key) {
    (void)context, (void)key;
    return ty_cast(ty_mul(x[0], ty_num(0.5)), ty_dtype_of(x[0]));
}
TAKE(c_ty_conditional_p, const ty_conditional *) {
    size_t n = calls_elements(c);
    ty_conditional *all = calls_room(c, n * sizeof *all);
    (void)name;
    for (size_t i = 0; i < n; i++) all[i] = calls_choose(c, 32) == 31 ? NULL : half_of_first;
    return all;
}

static void do_nothing_with(void *context) { (void)context; }
static void flow_on(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                    ty_tensor **gradients) {
    (void)context, (void)x, (void)y;
    for (int i = 0; i < n; i++) gradients[i] = i ? NULL : g;
}
static ty_tensor *move_on(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *const *t) {
    (void)context, (void)n, (void)x, (void)y;
    return t[0];
}
static void give_first(void *context, ty_called *call) {
    (void)context;
    for (int i = 0; i < call->m; i++)
        call->y[i] = ty_zeros(call->forms[i].dtype, call->forms[i].rank, call->forms[i].shape);
}
static void flow_all(void *context, int n, ty_tensor *const *x, int m, ty_tensor *const *y,
                     ty_tensor *const *g, ty_tensor **gradients) {
    (void)context, (void)x, (void)m, (void)y;
    for (int i = 0; i < n; i++) gradients[i] = i ? NULL : g[0];
}
TAKE(ty_callee, ty_callee) {
    int kind = calls_choose(c, 4);
    (void)name;
    return (ty_callee){.f = calls_choose(c, 8) < 7 ? give_first : NULL,
                       .vjp = kind < 2 ? flow_all : NULL,
                       .release = kind == 3 ? do_nothing_with : NULL,
                       .ordered = kind == 2};
}
/* A small form, since a call allocates it. */
static size_t form_elements;
TAKE(ty_form, ty_form) {
    static const int64_t sizes[] = {2, 3}, bad[] = {-1, INT64_MAX};
    int kind = calls_choose(c, 8), rank = kind == 6 ? 65 : kind % 3;
    (void)name;
    form_elements = rank == 0 ? 1 : rank == 1 ? 2 : 6;
    return (ty_form){kind == 7 ? TY_DTYPES : TY_F64, rank, kind == 5 ? bad : sizes};
}
/* Look at the slices, and fail for those of 5 elements. */
static bool see_slice(void *context, ty_visit *v) {
    (void)context;
    if (v->n < 1 || !v->x || !v->size) abort();
    return v->size[0] != 5;
}
/* Also fill a result of the last form. */
static bool fill_slice(void *context, ty_visit *v) {
    memset(v->y, 0, form_elements * sizeof(double));
    return see_slice(context, v);
}
TAKE(ty_slicing, ty_slicing) {
    int kind = calls_choose(c, 4);
    ty_slice_function f = strncmp(c->function, "ty_map_", 7) ? see_slice : fill_slice;
    return (ty_slicing){.f = calls_choose(c, 8) < 7 ? f : NULL,
                        .axes = take_ty_axes(c, name),
                        .threads = kind == 1,
                        .ordered = kind == 2,
                        .release = kind == 3 ? do_nothing_with : NULL};
}
TAKE(ty_custom, ty_custom) {
    int kind = calls_choose(c, 4);
    return (ty_custom){.f = calls_choose(c, 8) < 7 ? take_callback_ty_body(c, name) : NULL,
                       .vjp = kind < 2 ? flow_on : NULL,
                       .jvp = kind % 2 ? move_on : NULL,
                       .release = kind == 3 ? do_nothing_with : NULL};
}
