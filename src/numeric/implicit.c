/*
 * Implicit differentiation of searches: equation(x, p) = 0 gives dx = - (de/dx)^-1 (de/dp) dp, however x was
 * found.
 */
#include "array/remote.h"
#include "numeric/implicit.h"
#include <math.h>
#include <tyto/contract.h>
#include <tyto/linalg.h>
#include "array/scope.h"
#include "base/alloc.h"
#include "grad/unused.h"

int64_t first_true(ty_tensor *mask, ty_tensor **bad) {
    ty_scope *scope = ty_open();
    ty_tensor *flat = ty_ravel(ty_detach(mask)), *any = ty_any(flat, TY_ALL), *place = NULL;
    double found = ty_item(any), at = -1;
    if (found == 1) {
        place = ty_argmax(ty_cast(flat, TY_I32), TY_ALL);
        at = ty_item(place);
    }
    *bad = NULL;
    if (isnan(found) || isnan(at)) {
        ty_tensor *failed = place ? place : any;
        *bad = ty_keep(ty_ok(failed) ? tensor_out_of_memory() : failed);
        at = -1;
    }
    ty_close(scope);
    return (int64_t)at;
}

double element_of(const ty_tensor *x, int64_t i) {
    x = at_home(tensor_resolve(x));
    if (!ty_ok(x) || !x->buffer) return NAN;
    const char *data = tensor_data(x);
    int64_t step = (int64_t)dtype_table[x->dtype].size;
    for (int axis = x->layout.rank - 1; axis >= 0; axis--) {
        int64_t n = x->layout.shape[axis];
        data += i % n * x->layout.strides[axis] * step;
        i /= n;
    }
    return element_number(x->dtype, element_load(x->dtype, data));
}

double unit_of(ty_dtype dtype) { return dtype == TY_F64 ? 0x1p-52 : dtype == TY_F32 ? 0x1p-23 : 0x1p-8; }

ty_tensor *call_alike(const struct search *s, ty_tensor *const *operands) {
    ty_tensor *y = call_body(s->name, s->f, s->context, operands[0], s->n, operands + 1), *x = operands[0];
    if (!ty_ok(y)) return y;
    bool same = ty_rank(y) == ty_rank(x);
    for (int i = 0; same && i < ty_rank(x); i++) same = ty_shape(y)[i] == ty_shape(x)[i];
    if (!same || dtype_is(ty_dtype_of(y), CLASS_COMPLEX))
        return refuse(s->name, 2, ((ty_tensor *[]){y, x}), E_USER,
                      "f returned the first for the second; it must be real and of the same shape");
    return ty_cast(y, ty_dtype_of(x));
}

/* ---- differentiation ---- */

/* The equation as a function of x and some of the parameters; the others are constant. */
struct solved_equation {
    const struct search *s;
    ty_tensor *const *parameters;
    int moving[MOST_PARAMETERS_OF_BODY]; /* indices of parameters that are operands of the function */
    int nmoving;
};

/* Return the value of the equation at x[0]; its parameters are those of e, except that number e->moving[i]
   is replaced by x[1 + i]. A body to differentiate; context is the struct equation. */
static ty_tensor *equation_body(void *context, ty_tensor *const *x) {
    const struct solved_equation *e = context;
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1] = {x[0]};
    for (int i = 0; i < e->s->n; i++) operands[1 + i] = e->parameters[i];
    for (int i = 0; i < e->nmoving; i++) operands[1 + e->moving[i]] = x[1 + i];
    return e->s->equation(e->s, operands);
}

/* Return -J^-T g, shaped like x: the gradient of the equation's value that gives the gradient g of its
   solution x, where J is the equation's Jacobian by x. */
static ty_tensor *flow_back(struct solved_equation *e, ty_tensor *x, ty_tensor *g) {
    ty_tensor *jacobian;
    struct solved_equation alone = {.s = e->s, .parameters = e->parameters};
    if (e->s->elementwise) {
        ty_value_and_vjp(equation_body, &alone, ty_ones_like(x), 1, &x, NULL, &jacobian);
        return ty_neg(ty_div(g, jacobian));
    }
    int64_t n = ty_size(x);
    ty_value_and_jacobian(equation_body, &alone, 1, &x, 0, NULL, &jacobian);
    ty_tensor *matrix = ty_transpose(ty_reshape(jacobian, TY_SHAPE(n, n)));
    ty_tensor *flow = ty_neg(ty_solve(matrix, ty_reshape(g, TY_SHAPE(n))));
    return ty_reshape(flow, ty_rank(x), ty_shape(x));
}

/* Gradient rule of a search: set gradients[] of its parameters from g, the gradient of its solution y, by
   the implicit function theorem. x are the n operands; gradients of the start and of integers stay NULL. */
static void implicit_vjp(void *context, int n, ty_tensor *const *x, ty_tensor *y, ty_tensor *g,
                         ty_tensor **gradients) {
    const struct search *s = context;
    struct solved_equation e = {.s = s, .parameters = x + s->start};
    ty_tensor *operands[MOST_PARAMETERS_OF_BODY + 1], *found[MOST_PARAMETERS_OF_BODY + 1];
    (void)n;
    if (s->extra) {
        y = ty_reshape(part_of(y, 0, 0, ty_size(y) - s->extra), s->rank, s->shape);
        g = ty_reshape(part_of(g, 0, 0, ty_size(g) - s->extra), s->rank, s->shape);
    }
    operands[0] = y;
    for (int i = 0; i < s->n; i++)
        if (dtype_is(ty_dtype_of(e.parameters[i]), CLASS_FLOAT | CLASS_COMPLEX)) {
            operands[1 + e.nmoving] = e.parameters[i];
            e.moving[e.nmoving++] = i;
        }
    if (!e.nmoving) return;
    ty_tensor *flow = flow_back(&e, y, g);
    bool unused = unused_allow(true); /* f need not use all parameters */
    ty_value_and_vjp(equation_body, &e, flow, 1 + e.nmoving, operands, NULL, found);
    unused_allow(unused);
    for (int i = 0; i < e.nmoving; i++) gradients[s->start + e.moving[i]] = found[1 + i];
}

static ty_tensor *run_search(void *context, ty_tensor *const *operands) {
    const struct search *s = context;
    return s->run(s, operands);
}

ty_tensor *implicit_apply(const struct search *s, ty_tensor *const *operands) {
    struct search *own = mem_alloc(sizeof *own);
    if (!own) return tensor_out_of_memory();
    *own = *s;
    ty_custom rule = {.f = run_search, .vjp = implicit_vjp, .context = own, .release = mem_free};
    return ty_apply(rule, s->start + s->n, operands);
}
