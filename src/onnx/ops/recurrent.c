/* RNN, GRU and LSTM: the parts of products that do not depend on the state come before the loop over steps. */
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/shape.h>
#include "onnx/ops/activation.h"
#include "onnx/ops/quantized.h"
#include "onnx/ops/rows.h"

/* ---- activations ---- */

enum { MOST_ACTIVATIONS = 3 };

/* Read n activations for each direction; absent ones are `usual`. */
static bool read_activations(struct onnx_call *call, int n, int directions, const char *const *usual,
                             struct activation *out) {
    int names, alphas, betas, alpha = 0, beta = 0;
    const struct wire_bytes *name = onnx_texts(call, "activations", &names);
    const float *as = onnx_floats(call, "activation_alpha", &alphas);
    const float *bs = onnx_floats(call, "activation_beta", &betas);
    if (name && names != n && names != n * directions)
        return onnx_refuse(call, E_ARGUMENT, "%d activations; expected %d", names, n * directions);
    for (int i = 0; i < n * directions; i++) {
        const char *otherwise = usual[i % n];
        struct wire_bytes word =
            name ? name[i % names] : (struct wire_bytes){(const uint8_t *)otherwise, strlen(otherwise)};
        int constants;
        if (!onnx_activation(call, word, &out[i], &constants)) return false;
        if (constants > 0 && alpha < alphas) out[i].alpha = (double)as[alpha++];
        if (constants > 1 && beta < betas) out[i].beta = (double)bs[beta++];
    }
    return !call->fault->set;
}

/* ---- one direction ---- */

/* A recurrent layer in one direction. */
struct recurrent {
    ty_tensor *(*step)(struct recurrent *r, ty_tensor *x, ty_tensor *h, ty_tensor *c, ty_tensor **next_c);
    int64_t hidden;
    ty_tensor *weights, *bias, *peepholes,
        *lengths;            /* of the state: (G H,H), (G H); (3 H); (N,1); NULL: none */
    ty_tensor *scale, *zero; /* of weights of 8 bits; NULL: weights are floats */
    struct activation f[MOST_ACTIVATIONS];
    double clip; /* limit of operands of activations; 0: none */
    bool linear_before_reset, input_forget;
};

static ty_tensor *activate(const struct recurrent *r, int i, ty_tensor *x) {
    if (r->clip > 0) x = ty_clip(x, ty_num(-r->clip), ty_num(r->clip));
    return r->f[i].f(x, r->f[i].alpha, r->f[i].beta);
}
/* Return part i of the last or only axis, of r->hidden elements. */
static ty_tensor *gate(const struct recurrent *r, ty_tensor *x, int i) {
    return ty_slice(x, -1, i * r->hidden, (i + 1) * r->hidden, 1);
}
static ty_tensor *times(ty_tensor *h, ty_tensor *weights) { return ty_matmul(h, ty_transpose(weights)); }
/* The same with weights of 8 bits and a scale and zero point, of one number or one for each row: h is quantised by its own
   range. */
static ty_tensor *times_quantized(ty_tensor *h, ty_tensor *weights, ty_tensor *scale, ty_tensor *zero) {
    ty_tensor *h_scale, *h_zero, *q = onnx_quantized_dynamic(h, &h_scale, &h_zero);
    ty_tensor *y = ty_matmul_integer(q, ty_transpose(weights), h_zero, zero);
    return ty_mul(ty_cast(y, TY_F32), ty_mul(h_scale, scale));
}

static ty_tensor *rnn_step(struct recurrent *r, ty_tensor *x, ty_tensor *h, ty_tensor *c,
                           ty_tensor **next_c) {
    (void)c, (void)next_c;
    return activate(r, 0, ty_add(ty_add(x, times(h, r->weights)), r->bias));
}

/* Gates z, r, h (Cho et al. 2014); linear_before_reset: the reset multiplies the product with its bias. */
static ty_tensor *gru_step(struct recurrent *r, ty_tensor *x, ty_tensor *h, ty_tensor *c,
                           ty_tensor **next_c) {
    (void)c, (void)next_c;
    int64_t two = 2 * r->hidden;
    ty_tensor *w = ty_slice(r->weights, 0, 0, two, 1), *wh = ty_slice(r->weights, 0, two, TY_END, 1);
    ty_tensor *gates =
        ty_add(ty_add(ty_slice(x, -1, 0, two, 1), times(h, w)), ty_slice(r->bias, 0, 0, two, 1));
    ty_tensor *z = activate(r, 0, gate(r, gates, 0)), *reset = activate(r, 0, gate(r, gates, 1));
    ty_tensor *bias = gate(r, r->bias, 2), *candidate;
    if (r->linear_before_reset)
        candidate = ty_mul(reset, ty_add(times(h, wh), bias));
    else
        candidate = ty_add(times(ty_mul(reset, h), wh), bias);
    candidate = activate(r, 1, ty_add(gate(r, x, 2), candidate));
    return ty_add(ty_mul(ty_sub(ty_num(1), z), candidate), ty_mul(z, h));
}

static ty_tensor *peep(const struct recurrent *r, ty_tensor *x, int i, ty_tensor *c) {
    return r->peepholes ? ty_add(x, ty_mul(gate(r, r->peepholes, i), c)) : x;
}
/* Gates i, o, f, c (Hochreiter and Schmidhuber 1997), with peepholes i, o, f (Gers and Schmidhuber 2000). */
static ty_tensor *lstm_step(struct recurrent *r, ty_tensor *x, ty_tensor *h, ty_tensor *c,
                            ty_tensor **next_c) {
    ty_tensor *product = r->scale ? times_quantized(h, r->weights, r->scale, r->zero) : times(h, r->weights);
    ty_tensor *gates = ty_add(ty_add(x, product), r->bias);
    ty_tensor *in = activate(r, 0, peep(r, gate(r, gates, 0), 0, c));
    ty_tensor *forget =
        r->input_forget ? ty_sub(ty_num(1), in) : activate(r, 0, peep(r, gate(r, gates, 2), 2, c));
    ty_tensor *cell = ty_add(ty_mul(forget, c), ty_mul(in, activate(r, 1, gate(r, gates, 3))));
    ty_tensor *out = activate(r, 0, peep(r, gate(r, gates, 1), 1, cell));
    *next_c = cell;
    return ty_mul(out, r->f[2].f(cell, r->f[2].alpha, r->f[2].beta)); /* not clipped, as in ONNX Runtime */
}

/* Compute one step of all examples; examples that have ended keep their state, and give zeros. */
static void step(void *context, ty_step *s) {
    struct recurrent *r = context;
    ty_tensor *h = s->carry[0], *c = s->carry[1], *next_c = c;
    ty_tensor *next = r->step(r, s->x[0], h, c, &next_c);
    s->y[0] = next;
    if (r->lengths) {
        ty_tensor *runs = ty_lt(s->index, r->lengths);
        s->y[0] = ty_where(runs, next, ty_num(0));
        next = ty_where(runs, next, h);
        next_c = ty_where(runs, next_c, c);
    }
    s->next[0] = next;
    s->next[1] = next_c;
}

/* ---- operands ---- */

/* The operands of a call, with steps before examples. */
struct operands {
    ty_tensor *x, *w, *r, *b, *lengths, *h, *c, *p; /* NULL: absent */
    ty_tensor *w_scale, *w_zero, *r_scale, *r_zero; /* of w and r of 8 bits; NULL: these are floats */
    int gates, directions, states;
    int64_t t, n, hidden;
    bool layout, reverse, quantized;
};

/* Return x[i] of a tensor whose first axis counts directions; zeros of a shape for NULL. */
static ty_tensor *of_direction(const struct operands *o, ty_tensor *x, int i, int rank,
                               const int64_t *shape) {
    return x ? ty_squeeze(ty_slice(x, 0, i, i + 1, 1), 0) : ty_zeros(ty_dtype_of(o->x), rank, shape);
}

/* Return input i, a number or numbers (rows) for each direction, as (directions) or (directions,rows). */
static ty_tensor *of_weights(struct onnx_call *call, int i, int directions) {
    ty_tensor *x = onnx_input(call, i);
    if (!ty_ok(x) || ty_size(x) != directions) return x;
    return ty_reshape(x, 1, (int64_t[]){directions});
}
/* Read weights of 8 bits (D,I,G*H), and their scales and zero points: inputs 8 to 11. */
static void read_quantized(struct onnx_call *call, struct operands *o) {
    if (ty_rank(o->w) == 3) o->w = ty_swap(o->w, 1, 2);
    if (ty_rank(o->r) == 3) o->r = ty_swap(o->r, 1, 2);
    o->w_scale = of_weights(call, 8, o->directions), o->w_zero = of_weights(call, 9, o->directions);
    o->r_scale = of_weights(call, 10, o->directions), o->r_zero = of_weights(call, 11, o->directions);
}
static bool read_operands(struct onnx_call *call, struct operands *o) {
    static const char *const ways[] = {"forward", "reverse", "bidirectional", NULL};
    int way = onnx_word(call, "direction", "forward", ways);
    o->x = onnx_input(call, 0), o->w = onnx_input(call, 1), o->r = onnx_input(call, 2);
    o->b = onnx_input_or(call, 3, NULL), o->lengths = onnx_input_or(call, 4, NULL);
    o->h = onnx_input_or(call, 5, NULL);
    if (o->states > 1) o->c = onnx_input_or(call, 6, NULL), o->p = onnx_input_or(call, 7, NULL);
    int64_t layout = onnx_int(call, "layout", 0);
    if (layout != 0 && layout != 1)
        return onnx_refuse(call, E_ARGUMENT, "layout is %lld; expected 0 or 1", (long long)layout);
    o->layout = layout, o->reverse = way == 1, o->directions = way == 2 ? 2 : 1;
    if (o->quantized) read_quantized(call, o);
    if (ty_rank(o->x) != 3 || ty_rank(o->w) != 3 || ty_rank(o->r) != 3)
        return onnx_refuse(call, E_SHAPE, "X, W and R have %d, %d and %d axes; expected 3", ty_rank(o->x),
                           ty_rank(o->w), ty_rank(o->r));
    o->hidden = ty_shape(o->r)[2];
    if (ty_shape(o->w)[0] != o->directions || ty_shape(o->r)[0] != o->directions ||
        ty_shape(o->w)[1] != o->gates * o->hidden || ty_shape(o->r)[1] != o->gates * o->hidden ||
        onnx_int(call, "hidden_size", o->hidden) != o->hidden)
        return onnx_refuse(
            call, E_SHAPE, "weights of %lld and %lld directions, %lld and %lld rows; expected %d and %lld",
            (long long)ty_shape(o->w)[0], (long long)ty_shape(o->r)[0], (long long)ty_shape(o->w)[1],
            (long long)ty_shape(o->r)[1], o->directions, (long long)(o->gates * o->hidden));
    if (o->layout) {
        o->x = ty_swap(o->x, 0, 1);
        if (o->h) o->h = ty_swap(o->h, 0, 1);
        if (o->c) o->c = ty_swap(o->c, 0, 1);
    }
    o->t = ty_shape(o->x)[0], o->n = ty_shape(o->x)[1];
    const int64_t d = o->directions, h = o->hidden, state[] = {d, o->n, h};
    return onnx_sized(call, "B", o->b, 2, (int64_t[]){d, 2 * o->gates * h}) &&
           onnx_sized(call, "sequence_lens", o->lengths, 1, &o->n) &&
           onnx_sized(call, "initial_h", o->h, 3, state) && onnx_sized(call, "initial_c", o->c, 3, state) &&
           onnx_sized(call, "P", o->p, 2, (int64_t[]){d, 3 * h});
}

/* Run direction i: *y (T,N,H), and the last states (N,H). */
static bool run_direction(struct onnx_call *call, const struct operands *o, struct recurrent *r, int i,
                          ty_tensor **y, ty_tensor **last) {
    int64_t biases[] = {2 * o->gates * o->hidden}, state[] = {o->n, o->hidden}, half = o->gates * o->hidden;
    bool backward = o->reverse || i == 1;
    ty_tensor *w = of_direction(o, o->w, i, 0, NULL), *b = of_direction(o, o->b, i, 1, biases), *x = o->x;
    r->hidden = o->hidden;
    r->weights = of_direction(o, o->r, i, 0, NULL);
    r->bias = ty_slice(b, 0, half, TY_END, 1);
    r->peepholes = o->p ? of_direction(o, o->p, i, 0, NULL) : NULL;
    r->lengths = o->lengths ? ty_reshape(ty_cast(o->lengths, TY_I64), 2, (int64_t[]){o->n, 1}) : NULL;
    if (backward) x = o->lengths ? onnx_reversed(x, o->lengths) : ty_flip(x, 0);
    if (o->quantized) {
        r->scale = of_direction(o, o->r_scale, i, 0, NULL), r->zero = of_direction(o, o->r_zero, i, 0, NULL);
        x = times_quantized(x, w, of_direction(o, o->w_scale, i, 0, NULL),
                            of_direction(o, o->w_zero, i, 0, NULL));
    } else {
        x = times(x, w);
    }
    x = ty_add(x, ty_slice(b, 0, 0, half, 1));
    ty_tensor *first[] = {of_direction(o, o->h, i, 2, state), of_direction(o, o->c, i, 2, state)};
    ty_scan_spec loop = {.ncarry = 2, .carry = first, .nx = 1, .x = &x, .ny = 1};
    if (!ty_scan(step, r, loop, last, y, NULL)) return onnx_output(call, 0, *y);
    if (backward) *y = o->lengths ? onnx_reversed(*y, o->lengths) : ty_flip(*y, 0);
    return true;
}

static bool recurrent(struct onnx_call *call, struct recurrent *r, int gates, int states, int n,
                      const char *const *usual, bool quantized) {
    struct operands o = {.gates = gates, .states = states, .quantized = quantized};
    struct activation f[2 * MOST_ACTIVATIONS];
    ty_tensor *y[2], *last[2][2], *h[2], *c[2];
    if (!read_operands(call, &o) || !read_activations(call, n, o.directions, usual, f)) return false;
    r->clip = onnx_float(call, "clip", 0);
    for (int i = 0; i < o.directions; i++) {
        memcpy(r->f, f + i * n, (size_t)n * sizeof *f);
        if (!run_direction(call, &o, r, i, &y[i], last[i])) return false;
        h[i] = last[i][0], c[i] = last[i][1];
    }
    ty_tensor *all = ty_stack(o.directions, y, o.layout ? 2 : 1); /* (T,D,N,H), or (T,N,D,H) */
    if (o.layout) all = ty_swap(all, 0, 1);
    int axis = o.layout ? 1 : 0;
    return onnx_output(call, 0, all) && onnx_output(call, 1, ty_stack(o.directions, h, axis)) &&
           (states < 2 || onnx_output(call, 2, ty_stack(o.directions, c, axis)));
}

bool onnx_op_rnn(struct onnx_call *call) {
    struct recurrent r = {.step = rnn_step};
    return recurrent(call, &r, 1, 1, 1, (const char *const[]){"Tanh"}, false);
}
bool onnx_op_gru(struct onnx_call *call) {
    struct recurrent r = {.step = gru_step, .linear_before_reset = onnx_int(call, "linear_before_reset", 0)};
    return recurrent(call, &r, 3, 1, 2, (const char *const[]){"Sigmoid", "Tanh"}, false);
}
static bool lstm(struct onnx_call *call, bool quantized) {
    struct recurrent r = {.step = lstm_step, .input_forget = onnx_int(call, "input_forget", 0)};
    return recurrent(call, &r, 4, 2, 3, (const char *const[]){"Sigmoid", "Tanh", "Tanh"}, quantized);
}
bool onnx_op_lstm(struct onnx_call *call) { return lstm(call, false); }
/* Recurrent layer of com.microsoft: weights have 8 bits, and products quantise inputs and states by their ranges. */
bool onnx_op_dynamic_quantize_lstm(struct onnx_call *call) { return lstm(call, true); }
