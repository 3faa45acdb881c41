/* Steps of optimisers (ai.onnx.preview.training): inputs are the rate, the count of steps, then groups of tensors. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include "ops/core/op.h"
#include "onnx/ops/rows.h"
#include "onnx/run.h"

/* Operands of a step for one tensor: x, its gradient with the penalty added, and up to two states. */
struct update {
    ty_tensor *rate, *count, *x, *g, *state[2];
    ty_tensor *next, *next_state[2]; /* to fill */
};

/* Call f for each of the tensors that come in `groups` groups of inputs; gives new tensors, then new states. */
static bool each_update(struct onnx_call *call, int groups,
                        void (*f)(struct onnx_call *call, struct update *u)) {
    int n = (call->ninputs - 2) / groups;
    double norm = onnx_float(call, "norm_coefficient", 0);
    struct update u = {.rate = onnx_input(call, 0), .count = onnx_input(call, 1)};
    if (n < 1 || call->ninputs != 2 + n * groups)
        return onnx_refuse(call, E_ARGUMENT, "%d inputs; expected 2 and a multiple of %d", call->ninputs,
                           groups);
    for (int i = 0; i < n; i++) {
        u.x = onnx_input(call, 2 + i);
        u.g = ty_add(ty_mul(u.x, ty_num(norm)), onnx_input(call, 2 + n + i));
        for (int k = 1; k < groups; k++) {
            ty_tensor *of_x = onnx_input(call, 2 + k * n + i);
            if (!onnx_sized(call, k == 1 ? "a gradient" : "a state", of_x, ty_rank(u.x), ty_shape(u.x)))
                return false;
            if (k > 1) u.state[k - 2] = of_x;
        }
        f(call, &u);
        if (!onnx_output(call, i, u.next)) return false;
        for (int k = 2; k < groups; k++)
            if (!onnx_output(call, (k - 1) * n + i, u.next_state[k - 2])) return false;
    }
    return true;
}

/* Return share a + (1 - share) b. */
static ty_tensor *mixed(double share, ty_tensor *a, ty_tensor *b) {
    return ty_add(ty_mul(a, ty_num(share)), ty_mul(b, ty_num(1 - share)));
}
static ty_tensor *scaled_root(struct onnx_call *call, ty_tensor *x) {
    return ty_add(ty_sqrt(x), ty_num(onnx_float(call, "epsilon", 1e-6)));
}

static void adagrad(struct onnx_call *call, struct update *u) {
    ty_tensor *decay =
        ty_mul(ty_cast(u->count, ty_dtype_of(u->rate)), ty_num(onnx_float(call, "decay_factor", 0)));
    ty_tensor *rate = ty_div(u->rate, ty_add(decay, ty_num(1)));
    u->next_state[0] = ty_add(u->state[0], ty_square(u->g));
    u->next = ty_sub(u->x, ty_div(ty_mul(rate, u->g), scaled_root(call, u->next_state[0])));
}

static void adam(struct onnx_call *call, struct update *u) {
    double alpha = onnx_float(call, "alpha", 0.9), beta = onnx_float(call, "beta", 0.999);
    double after = onnx_float(call, "norm_coefficient_post", 0);
    ty_tensor *t = ty_cast(u->count, ty_dtype_of(u->rate)), *one = ty_num(1);
    ty_tensor *unbias =
        ty_div(ty_sqrt(ty_sub(one, ty_pow(ty_num(beta), t))), ty_sub(one, ty_pow(ty_num(alpha), t)));
    ty_tensor *rate = ty_mul(u->rate, ty_where(ty_gt(t, ty_num(0)), unbias, one));
    u->next_state[0] = mixed(alpha, u->state[0], u->g);
    u->next_state[1] = mixed(beta, u->state[1], ty_square(u->g));
    u->next = ty_sub(u->x, ty_div(ty_mul(rate, u->next_state[0]), scaled_root(call, u->next_state[1])));
    if (after != 0) u->next = ty_mul(u->next, ty_num(1 - after));
}

static void momentum(struct onnx_call *call, struct update *u) {
    double alpha = onnx_float(call, "alpha", 0), beta = onnx_float(call, "beta", 1);
    const char *mode = onnx_text(call, "mode", "");
    bool nesterov = !strcmp(mode, "nesterov");
    if (!nesterov && strcmp(mode, "standard"))
        onnx_refuse(call, E_ARGUMENT, "mode is '%s'; expected standard or nesterov", mode);
    ty_tensor *fresh = ty_where(ty_gt(u->count, ty_int(0)), ty_num(beta), ty_num(1));
    u->next_state[0] =
        ty_add(ty_mul(u->state[0], ty_num(alpha)), ty_mul(u->g, ty_cast(fresh, ty_dtype_of(u->x))));
    ty_tensor *way = u->next_state[0];
    if (nesterov) way = ty_add(u->g, ty_mul(way, ty_num(alpha)));
    u->next = ty_sub(u->x, ty_mul(u->rate, way));
}

bool onnx_op_adagrad(struct onnx_call *call) { return each_update(call, 3, adagrad); }
bool onnx_op_adam(struct onnx_call *call) { return each_update(call, 4, adam); }
bool onnx_op_momentum(struct onnx_call *call) { return each_update(call, 3, momentum); }

/* ---- gradients ---- */

static bool has_history(ty_tensor *x) {
    const ty_tensor *value = tensor_resolve(x);
    return value->promise || value->tracked;
}
/* Return a copy of x that has no other uses, to differentiate by.  Gradients of gradients flow through it. */
static ty_tensor *leaf(ty_tensor *x) { return has_history(x) ? ty_mul(x, ty_num(1)) : ty_track(x, NULL); }

/* Compute the nodes that lead to y again on xs and zs, and differentiate y by xs. */
bool onnx_op_gradient(struct onnx_call *call) {
    int nx, nz;
    onnx_texts(call, "xs", &nx);
    onnx_texts(call, "zs", &nz);
    if (nx < 1 || call->ninputs != nx + nz || call->noutputs > nx)
        return onnx_refuse(call, E_ARGUMENT, "%d inputs and %d outputs, but %d names in xs and %d in zs",
                           call->ninputs, call->noutputs, nx, nz);
    struct onnx_value *inputs = onnx_memory(call, call->ninputs, sizeof *inputs), y;
    ty_tensor **x = onnx_memory(call, nx, sizeof *x), **g = onnx_memory(call, nx, sizeof *g);
    if (!inputs || !x || !g) return false;
    bool inside = false; /* of another gradient, which needs the history of this one */
    for (int i = 0; i < call->ninputs; i++) {
        ty_tensor *value = onnx_input(call, i);
        inside |= has_history(value);
        if (i < nx) value = x[i] = leaf(value);
        inputs[i] = onnx_value_tensor(value);
    }
    call->run->whole++; /* the end of a segment would cut y from x */
    bool good = !call->fault->set && onnx_body(call, "y", call->ninputs, inputs, 1, &y);
    call->run->whole--;
    if (!good) return false;
    if (y.kind != ONNX_TENSOR) return onnx_refuse(call, E_DTYPE, "y is no tensor");
    ty_grad(y.tensor, nx, x, g);
    for (int i = 0; i < call->noutputs; i++)
        if (onnx_wants(call, i) && !onnx_output(call, i, inside ? g[i] : ty_detach(g[i]))) return false;
    return !call->fault->set;
}
