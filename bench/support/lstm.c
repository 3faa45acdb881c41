#include "bench/support/lstm.h"
#include <stdio.h>
#include <stdlib.h>

const char *const lstm_ways[LSTM_WAYS] = {"lstm, unrolled", "lstm, scan", "lstm, scan of words",
                                          "lstm, checkpoints"};

static void lstm_stop(const char *why) {
    fprintf(stderr, "lstm: %s\n", why);
    exit(1);
}

enum {
    SEGMENT = 10,
    WINDOW = 100,
    BATCH = 100,
    WORDS = 27,
    EMBEDDING = 40,
    HIDDEN = 128,
    GATES = 4 * HIDDEN,
    LINEAR = 512
};

struct lstm {
    ty_tensor *embedding, *x, *h, *bias, *linear, *linear_bias, *last, *last_bias;
};

static ty_tensor *parameter(struct lstm_graph *g, int rank, const int64_t *shape, const char *name) {
    ty_tensor *values = ty_mul(ty_normal(TY_F32, rank, shape, ty_key((uint64_t)g->nupdates)), ty_num(0.1));
    ty_tensor *v = ty_var(values, name);
    g->updates[g->nupdates++].variable = v;
    return v;
}

static void cell(const struct lstm *l, ty_tensor *inputs, ty_tensor *h, ty_tensor *c, ty_tensor **next) {
    ty_tensor *z = ty_add(ty_add(inputs, ty_matmul(h, l->h)), l->bias), *gate[4];
    for (int i = 0; i < 4; i++) gate[i] = ty_slice(z, 1, i * HIDDEN, (i + 1) * HIDDEN, 1);
    next[1] = ty_add(ty_mul(ty_sigmoid(gate[0]), c), ty_mul(ty_sigmoid(gate[1]), ty_tanh(gate[2])));
    next[0] = ty_mul(ty_sigmoid(gate[3]), ty_tanh(next[1]));
}

static void step(void *context, ty_step *s) { cell(context, s->x[0], s->carry[0], s->carry[1], s->next); }

static ty_tensor *product_of(const struct lstm *l, ty_tensor *words) {
    return ty_matmul(ty_gather(l->embedding, words, 0), l->x);
}
static void step_of_words(void *context, ty_step *s) {
    cell(context, product_of(context, s->x[0]), s->carry[0], s->carry[1], s->next);
}

void lstm_record(struct lstm_graph *g, int how) {
    struct lstm l = {.embedding = parameter(g, TY_SHAPE(WORDS, EMBEDDING), "embedding"),
                     .x = parameter(g, TY_SHAPE(EMBEDDING, GATES), "x"),
                     .h = parameter(g, TY_SHAPE(HIDDEN, GATES), "h"),
                     .bias = parameter(g, TY_SHAPE(GATES), "bias"),
                     .linear = parameter(g, TY_SHAPE(HIDDEN, LINEAR), "linear"),
                     .linear_bias = parameter(g, TY_SHAPE(LINEAR), "linear bias"),
                     .last = parameter(g, TY_SHAPE(LINEAR, WORDS), "last"),
                     .last_bias = parameter(g, TY_SHAPE(WORDS), "last bias")};
    ty_tensor *text =
        ty_var(ty_randint(TY_I64, TY_SHAPE(WINDOW, BATCH), ty_int(0), ty_int(WORDS), ty_key(91)), "text");
    ty_tensor *target =
        ty_var(ty_randint(TY_I64, TY_SHAPE(BATCH), ty_int(0), ty_int(WORDS), ty_key(92)), "target");
    ty_tensor *zero = ty_zeros(TY_F32, TY_SHAPE(BATCH, HIDDEN)), *state[2] = {zero, zero};
    if (how != LSTM_UNROLLED) {
        ty_tensor *inputs = how == LSTM_SCAN ? product_of(&l, text) : text, *last[2];
        int64_t checkpoint = how == LSTM_CHECKPOINTS ? SEGMENT : 0;
        ty_scan(how == LSTM_SCAN ? step : step_of_words, &l,
                (ty_scan_spec){.ncarry = 2, .carry = state, .nx = 1, .x = &inputs, .checkpoint = checkpoint},
                last, NULL, NULL);
        state[0] = last[0];
    }
    for (int t = 0; t < WINDOW && how == LSTM_UNROLLED; t++) {
        ty_tensor *next[2];
        cell(&l, product_of(&l, ty_gather(text, ty_int(t), 0)), state[0], state[1], next);
        state[0] = next[0], state[1] = next[1];
    }
    ty_tensor *hidden = ty_relu(ty_add(ty_matmul(state[0], l.linear), l.linear_bias));
    ty_tensor *loss = ty_cross_entropy(ty_add(ty_matmul(hidden, l.last), l.last_bias), target);
    ty_tensor *x[LSTM_MOST], *gradients[LSTM_MOST];
    int n = g->nupdates;
    for (int i = 0; i < n; i++) x[i] = g->updates[i].variable;
    if (!ty_grad(loss, n, x, gradients)) lstm_stop(ty_error(gradients[0]));
    for (int i = 0; i < n; i++) {
        ty_tensor *sums = ty_var(ty_full(TY_F32, ty_rank(x[i]), ty_shape(x[i]), 0.1), "sum of squares");
        ty_tensor *sum = ty_add(sums, ty_square(gradients[i]));
        g->updates[i].value = ty_sub(x[i], ty_div(ty_mul(gradients[i], ty_num(0.01)), ty_sqrt(sum)));
        g->updates[g->nupdates++] = (ty_update){sums, sum};
    }
    g->outputs[g->noutputs++] = loss;
}
