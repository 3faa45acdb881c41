/*
 * Recurrent layers: one loop per layer and direction. Each step is one contraction for all gates; the input's
 * contribution to all steps is one contraction before the loop. A cell is a table entry: numbers of gates and
 * states, and its step function.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <tyto/arithmetic.h>
#include <tyto/contract.h>
#include <tyto/control.h>
#include <tyto/create.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include "base/options.h"
#include "array/tensor.h"
#include "base/machine/floating.h"
#include "nn/layers/options.h"

/* One step of a cell; `in` [N, gates * units] is the input's contribution with its bias. */
struct cell_step {
    const ty_recurrent_layer *o;
    ty_tensor *in, *bias; /* bias of the recurrent product; NULL: none */
    ty_tensor *weight, *h, *c;
    ty_tensor *next_h, *next_c;
};

/* A kind of recurrent cell; static tables. */
struct cell {
    const char *name;
    int gates, states;
    void (*step)(struct cell_step *s);
    const char *keras;   /* name of the layer in Keras */
    int keras_blocks[8]; /* order of gates in Keras */
    ty_join keras_bias;
};

/* Return the columns of gate g, from 0, [N, units], of `all` [N, gates * units]. */
static ty_tensor *gate(const struct cell_step *s, ty_tensor *all, int g) {
    return ty_slice(all, 1, g * s->o->units, (g + 1) * s->o->units, 1);
}

static ty_tensor *recurrent_products(const struct cell_step *s) {
    ty_tensor *products = ty_matmul(s->h, s->weight);
    return s->bias ? ty_add(products, s->bias) : products;
}

static void step_recurrent(struct cell_step *s) {
    ty_tensor *sum = ty_add(s->in, recurrent_products(s));
    s->next_h = activation_apply(s->o->activation ? s->o->activation : ty_tanh, sum);
}

/* Compute the next states s->next_h and s->next_c [N, units] of an LSTM cell from s->in [N, 4 units], s->h
   and s->c. */
static void step_lstm(struct cell_step *s) {
    ty_tensor *all = ty_add(s->in, recurrent_products(s));
    ty_tensor *kept = ty_mul(ty_sigmoid(gate(s, all, 1)), s->c);
    s->next_c = ty_add(kept, ty_mul(ty_sigmoid(gate(s, all, 0)), ty_tanh(gate(s, all, 2))));
    s->next_h = ty_mul(ty_sigmoid(gate(s, all, 3)), ty_tanh(s->next_c));
}

/* Compute the next state s->next_h [N, units] of a gated recurrent unit from s->in [N, 3 units] and s->h. */
static void step_gru(struct cell_step *s) {
    ty_tensor *of_h = recurrent_products(s);
    ty_tensor *reset = ty_sigmoid(ty_add(gate(s, s->in, 0), gate(s, of_h, 0)));
    ty_tensor *update = ty_sigmoid(ty_add(gate(s, s->in, 1), gate(s, of_h, 1)));
    ty_tensor *fresh = ty_tanh(ty_add(gate(s, s->in, 2), ty_mul(reset, gate(s, of_h, 2))));
    s->next_h = ty_add(fresh, ty_mul(update, ty_sub(s->h, fresh)));
}

static const struct cell cell_recurrent = {"recurrent", 1, 1, step_recurrent, "simple_rnn", {0}, TY_JOIN_SUM};
static const struct cell cell_lstm = {"lstm", 4, 2, step_lstm, "lstm", {0}, TY_JOIN_SUM};
static const struct cell cell_gru = {"gru", 3, 1, step_gru, "gru", {1, 0, 2}, TY_JOIN_STACK};

/* ---- one layer, one direction ---- */

/* Context of the loop over steps of one layer and direction. */
struct run {
    const struct cell *cell;
    const ty_recurrent_layer *o;
    ty_tensor *weight, *bias, *lengths; /* lengths [N, 1] or NULL */
};

/* Loop step: run the cell on one element of the sequence, step->x[0], and output its new h. Examples that
   have ended keep their states and output zeros. context is the struct run. */
static void one_step(void *context, ty_step *step) {
    const struct run *run = context;
    struct cell_step s = {
        .o = run->o, .in = step->x[0], .bias = run->bias, .weight = run->weight, .h = step->carry[0]};
    if (run->cell->states > 1) s.c = step->carry[1];
    run->cell->step(&s);
    ty_tensor *next[] = {s.next_h, s.next_c};
    step->y[0] = s.next_h;
    if (run->lengths) {
        ty_tensor *counts = ty_lt(step->index, run->lengths);
        for (int i = 0; i < run->cell->states; i++) next[i] = ty_where(counts, next[i], step->carry[i]);
        step->y[0] = ty_where(counts, s.next_h, ty_num(0));
    }
    for (int i = 0; i < run->cell->states; i++) step->next[i] = next[i];
}

/* Write Keras' name of parameter `what`, cut to `room` bytes, to out: "lstm_cell/kernel", for both
   directions "forward_lstm/lstm_cell/kernel". Layers after the first (0) are separate in Keras:
   "_1/lstm_cell/kernel", "_1/forward_lstm_1/lstm_cell/kernel", appended to the first one's name. */
static void keras_name(char *out, size_t room, const struct cell *cell, const ty_recurrent_layer *o,
                       const char *what, int layer, bool backward) {
    char number[16] = "", way[64] = "";
    if (layer) snprintf(number, sizeof number, "_%d", layer);
    if (o->bidirectional)
        snprintf(way, sizeof way, "%s_%s%s/", backward ? "backward" : "forward", cell->keras, number);
    snprintf(out, room, "%s%s%s%s_cell/%s", number, layer ? "/" : "", way, cell->keras, what);
}

/* Return parameter `what` of a layer, from 0, and direction, of shape[rank]; `keras` is the last part of
   its name in Keras files. An unset `init` means uniform in +-1 / sqrt(units). Poison on failure. */
static ty_tensor *parameter(ty_layer *self, const struct cell *cell, const ty_recurrent_layer *o,
                            const char *what, const char *keras, int layer, bool backward, int rank,
                            const int64_t *shape, ty_init init) {
    char name[64], theirs[160];
    double spread = 1 / sqrt((double)o->units);
    keras_name(theirs, sizeof theirs, cell, o, keras, layer, backward);
    snprintf(name, sizeof name, "%s_l%d%s", what, layer, backward ? "_reverse" : "");
    ty_parameter form = {
        .rank = rank, .shape = shape, .init = init_or_of(init, ty_init_uniform, -spread, spread)};
    form.fan_in = rank == 2 ? (double)shape[0] : (double)o->units;
    form.fan_out = (double)shape[rank - 1];
    if (rank == 2) form.pytorch[0] = 1;
    form.keras = theirs;
    form.keras_join = rank == 1 ? cell->keras_bias : TY_JOIN_NONE;
    memcpy(form.keras_blocks, cell->keras_blocks, sizeof form.keras_blocks);
    return ty_layer_parameter(self, name, form);
}

/* State of a pass: x or the last layer's results [T, N, ...], and states of all layers and directions. */
struct pass {
    const struct cell *cell;
    const ty_recurrent_layer *o;
    ty_tensor *x, *lengths;
    ty_tensor *first[2]; /* [layers * directions, N, units], or NULL */
    ty_tensor *last[2][128];
    int n; /* number of finished layers and directions */
};

static ty_tensor *first_state(const struct pass *p, int i, ty_dtype dtype) {
    int64_t shape[] = {ty_shape(p->x)[1], p->o->units};
    if (!p->first[i]) return ty_zeros(dtype, 2, shape);
    return ty_cast(ty_squeeze(ty_slice(p->first[i], 0, p->n, p->n + 1, 1), 0), dtype);
}

/* Run one layer, from 0, in one direction over the sequence p->x [T, N, C] and return all outputs [T, N,
   units]. Stores its last states in p->last and counts them in p->n. If p->x is poison, all of them are. */
static ty_tensor *run_one(ty_layer *self, struct pass *p, int layer, bool backward) {
    const ty_recurrent_layer *o = p->o;
    for (int i = 0; i < 2 && !ty_ok(p->x); i++) p->last[i][p->n] = p->x;
    if (!ty_ok(p->x)) return p->n++, p->x;
    int64_t wide = p->cell->gates * o->units, in[] = {size_from_end(p->x, 1), wide},
            of_h[] = {o->units, wide};
    struct run run = {.cell = p->cell, .o = o, .lengths = p->lengths};
    ty_tensor *weight = parameter(self, p->cell, o, "weight_ih", "kernel", layer, backward, 2, in, o->weight),
              *y = NULL, *last[2] = {0};
    run.weight =
        parameter(self, p->cell, o, "weight_hh", "recurrent_kernel", layer, backward, 2, of_h, o->weight);
    ty_tensor *products = ty_matmul(p->x, weight);
    ty_layer_count(self, 2 * (double)ty_size(products) * ((double)in[0] + (double)o->units));
    if (!o->no_bias) {
        ty_tensor *bias = parameter(self, p->cell, o, "bias_ih", "bias", layer, backward, 1, &wide, o->bias);
        run.bias = parameter(self, p->cell, o, "bias_hh", "bias", layer, backward, 1, &wide, o->bias);
        products = ty_add(products, bias);
    }
    ty_tensor *carry[] = {first_state(p, 0, ty_dtype_of(products)), NULL};
    if (p->cell->states > 1) carry[1] = first_state(p, 1, ty_dtype_of(products));
    ty_scan_spec loop = {
        .ncarry = p->cell->states, .carry = carry, .nx = 1, .x = &products, .ny = 1, .reverse = backward};
    ty_scan(one_step, &run, loop, last, &y, NULL);
    for (int i = 0; i < p->cell->states; i++) p->last[i][p->n] = last[i];
    p->n++;
    return y;
}

/* ---- all layers ---- */

/* Run all layers in sequence, with dropout in between. Return the last layer's outputs, [N, T, units] or
   [T, N, units] if o->time_first; if o->last only the last output, [N, units]. Two directions double the
   units. */
static ty_tensor *all_layers(ty_layer *self, struct pass *p) {
    const ty_recurrent_layer *o = p->o;
    ty_tensor *key = ty_layer_key(self);
    int layers = (int)size_or(o->layers, 1);
    for (int i = 0; i < layers; i++) {
        if (i) p->x = dropped(p->x, o->dropout, key ? ty_fold(key, (uint64_t)i) : NULL);
        ty_tensor *both[] = {run_one(self, p, i, false), NULL};
        if (o->bidirectional) both[1] = run_one(self, p, i, true);
        p->x = o->bidirectional ? ty_concat(2, both, 2) : both[0];
    }
    if (!o->last) return o->time_first ? p->x : ty_swap(p->x, 0, 1);
    ty_tensor **ends = p->last[0] + p->n - (o->bidirectional ? 2 : 1);
    return o->bidirectional ? ty_concat(2, ends, 1) : ends[0];
}

/* Check that x is floats of three axes, and the options. Return poison, or NULL if so. */
static ty_tensor *refuse(ty_layer *self, const ty_recurrent_layer *o, const ty_tensor *x) {
    int64_t layers = size_or(o->layers, 1);
    if (ty_rank(x) != 3)
        return layer_refuse(self, E_SHAPE, "the input has %d axes, expected 3: %s, channels", ty_rank(x),
                            o->time_first ? "steps, batch" : "batch, steps");
    if (!is_real(x))
        return layer_refuse(self, E_DTYPE, "the input is %s, expected floating-point numbers",
                            ty_dtype_name(ty_dtype_of(x)));
    /* Limit that keeps gates * units from overflowing. */
    if (o->units < 1 || o->units > INT64_MAX / 16)
        return layer_refuse(self, E_ARGUMENT, "%lld units, expected 1 to 2^59", (long long)o->units);
    if (layers < 1 || layers > 64)
        return layer_refuse(self, E_ARGUMENT, "%lld layers, expected 1 to 64", (long long)layers);
    return refuse_chance(self, o->dropout);
}

/* Return `state`, the initial state [layers * directions, N, units], NULL if it is NULL. If its shape or
   dtype is wrong, return NULL and, unless *bad is set already, set *bad to poison that begins with
   `name`. */
static ty_tensor *take_state(ty_layer *self, const struct pass *p, ty_tensor *state, const char *name,
                             ty_tensor **bad) {
    int64_t n = size_or(p->o->layers, 1) * (p->o->bidirectional ? 2 : 1), batch = ty_shape(p->x)[1];
    bool fits = !state || (ty_rank(state) == 3 && ty_shape(state)[0] == n && ty_shape(state)[1] == batch &&
                           ty_shape(state)[2] == p->o->units && is_real(state));
    if (!fits && !*bad)
        *bad =
            layer_refuse(self, E_SHAPE,
                         "the state %s must be floats [%lld,%lld,%lld]: layers and directions, batch, units",
                         name, (long long)n, (long long)batch, (long long)p->o->units);
    return fits ? state : NULL;
}

/* Return the lengths [N] as i64 [N, 1], NULL if they are NULL. If they do not fit, return NULL and, unless
   *bad is set already, set *bad to poison. */
static ty_tensor *take_lengths(ty_layer *self, const struct pass *p, ty_tensor *lengths, ty_tensor **bad) {
    if (!lengths) return NULL;
    bool fits = is_whole(lengths) && ty_rank(lengths) == 1 && ty_shape(lengths)[0] == ty_shape(p->x)[1];
    if (!fits && !*bad)
        *bad =
            layer_refuse(self, E_SHAPE,
                         "the lengths are %s with %d axes, expected integers, one for each of %lld examples",
                         ty_dtype_name(ty_dtype_of(lengths)), ty_rank(lengths), (long long)ty_shape(p->x)[1]);
    return fits ? ty_expand(ty_cast(lengths, TY_I64), 1) : NULL;
}

/* Run all layers of this cell. Operands x[0..n) are x and optionally h, c, lengths; y[0] receives the
   output, y[1] the last states h [layers * directions, N, units] and, for lstm, y[2] those of c. All are
   poison on failure. */
static void forward(ty_layer *self, const struct cell *cell, const ty_recurrent_layer *o, int n,
                    ty_tensor *const *x, ty_tensor **y) {
    FLOATING_DEFAULT;
    ty_tensor *bad = refuse_count(self, n, 4);
    if (!bad) bad = refuse(self, o, x[0]);
    struct pass p = {.cell = cell, .o = o, .x = n > 0 ? x[0] : NULL};
    if (!bad) {
        if (!o->time_first) p.x = ty_swap(x[0], 0, 1);
        bad = ty_ok(p.x) ? first_bad_of(n, x) : p.x;
    }
    if (!bad) {
        p.first[0] = take_state(self, &p, operand_or_null(n, x, 1), "h", &bad);
        p.first[1] = take_state(self, &p, operand_or_null(n, x, 2), "c", &bad);
        p.lengths = take_lengths(self, &p, operand_or_null(n, x, 3), &bad);
        if (!bad && cell->states < 2 && operand_or_null(n, x, 2))
            bad = layer_refuse(self, E_ARGUMENT, "a state c was given, but a %s has none", cell->name);
    }
    y[0] = bad ? bad : all_layers(self, &p);
    for (int i = 0; i < cell->states; i++) y[1 + i] = bad ? bad : ty_stack(p.n, p.last[i], 0);
}

#define AT(member, what) OPTION(ty_recurrent_layer, member, what)
static const ty_option options[] = {AT(units, INT),
                                    AT(layers, INT),
                                    AT(bidirectional, FLAG),
                                    AT(last, FLAG),
                                    AT(no_bias, FLAG),
                                    AT(time_first, FLAG),
                                    AT(dropout, REAL),
                                    AT(activation, ACTIVATION),
                                    AT(weight, INIT),
                                    AT(bias, INIT),
                                    {0}};

#define CELL(title, n, words)                                                                                \
    static void forward_##title(ty_layer *self, const void *o, int count, ty_tensor *const *x,               \
                                ty_tensor **y) {                                                             \
        forward(self, &cell_##title, o, count, x, y);                                                        \
    }                                                                                                        \
    const ty_layer_kind ty_kind_##title = {.name = #title,                                                   \
                                           .doc = words,                                                     \
                                           .bytes = sizeof(ty_recurrent_layer),                              \
                                           .options = options,                                               \
                                           .operands = -1,                                                   \
                                           .results = n,                                                     \
                                           .forward = forward_##title};                                      \
    ty_tensor *ty_layer_##title##_from_sized(ty_layer *at, const char *name, ty_tensor *x,                   \
                                             ty_recurrence *more, const ty_recurrent_layer *given,           \
                                             size_t size) {                                                  \
        OPTIONS(ty_recurrent_layer, o, given, size);                                                         \
        return call(at, name, &ty_kind_##title, &o, x, more);                                                \
    }

/* Call a recurrent layer on x, with the initial states and lengths of *more (may be NULL, as may they);
   *more then has the last states, c NULL for cells without it. Return the output; poison on failure. */
static ty_tensor *call(ty_layer *at, const char *name, const ty_layer_kind *kind, const ty_recurrent_layer *o,
                       ty_tensor *x, ty_recurrence *more) {
    ty_recurrence none = {0};
    struct fault fault;
    fault_clear(&fault);
    if (!more) more = &none;
    if (!OPTIONS_UNUSED(more, kind->name, &fault)) return tensor_fault(&fault);
    ty_tensor *operands[] = {x, operand_or_absent(more->h), operand_or_absent(more->c),
                             operand_or_absent(more->lengths)};
    ty_tensor *y[3] = {0};
    ty_layer_call(at, name, kind, o, sizeof *o, 4, operands, y);
    more->h = tensor_of(y[1]);
    more->c = kind->results > 2 ? tensor_of(y[2]) : NULL;
    return tensor_of(y[0]);
}

CELL(recurrent, 2, "h = tanh(W x + U h + b) for each step")
CELL(lstm, 3, "long short-term memory")
CELL(gru, 2, "gated recurrent units")
