/* With the option `stoppable`, kernels that write over variables run last, with the same bits. */
#include <math.h>
#include <stdlib.h>
#include "base/context/stop.h"
#include "compile/program.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum { LAYERS = 6, SIZE = 24 };

/* A chain of products.  Each layer has a state that is the mean of its input, as batch norms have, and a weight that
   the gradient changes. */
struct step {
    ty_tensor *variables[2 * LAYERS], *loss;
    ty_update updates[2 * LAYERS];
};

static void record_step(struct step *s) {
    ty_tensor *x = ty_uniform(TY_F32, 2, (int64_t[]){SIZE, SIZE}, ty_key(LAYERS)), *weights[LAYERS],
              *slopes[LAYERS];
    for (int i = 0; i < LAYERS; i++) {
        ty_tensor *first = ty_uniform(TY_F32, 2, (int64_t[]){SIZE, SIZE}, ty_key((uint64_t)i));
        weights[i] = s->variables[i] = ty_var(ty_mul(first, ty_num(0.1)), "weight");
        s->variables[LAYERS + i] = ty_var(ty_zeros(TY_F32, TY_SHAPE(SIZE)), "state");
        ty_tensor *mean = ty_mean(x, ty_axis(0)), *state = s->variables[LAYERS + i];
        s->updates[LAYERS + i] =
            (ty_update){state, ty_add(ty_mul(state, ty_num(0.9)), ty_mul(mean, ty_num(0.1)))};
        x = ty_tanh(ty_matmul(ty_sub(x, mean), weights[i]));
    }
    s->loss = ty_mean(ty_square(x), TY_ALL);
    ty_grad(s->loss, LAYERS, weights, slopes);
    for (int i = 0; i < LAYERS; i++)
        s->updates[i] = (ty_update){weights[i], ty_sub(weights[i], ty_mul(slopes[i], ty_num(0.05)))};
}

/* Return the number of kernels from the first one on that writes over a variable. */
static int tail_of(const ty_program *p) {
    for (int k = 0; k < p->flow.nkernels; k++)
        if (kernel_updates(&p->flow, &p->flow.kernels[k])) return p->flow.nkernels - k;
    return 0;
}
static int updating(const ty_program *p) {
    int n = 0;
    for (int k = 0; k < p->flow.nkernels; k++) n += kernel_updates(&p->flow, &p->flow.kernels[k]);
    return n;
}

static ty_program *program_for(struct step *s, bool stoppable) {
    record_step(s);
    return test_program(ty_compile(
        1, &s->loss,
        (ty_compile_options){.updates = s->updates, .nupdates = 2 * LAYERS, .stoppable = stoppable}));
}

static void order_and_bits(void) {
    struct step plain, late;
    ty_program *p = program_for(&plain, false), *q = program_for(&late, true);
    if (*ty_program_error(p) || *ty_program_error(q)) return; /* no memory */
    CHECK(tail_of(q) == updating(q) && updating(q) > 0, "%d of the last %d kernels write over variables:\n%s",
          updating(q), tail_of(q), test_text(ty_program_text(q)));
    for (int k = 0; k < q->flow.nkernels; k++)
        CHECK(q->flow.kernels[k].kind != KERNEL_COPY, "kernel %d copies a new value:\n%s", k,
              test_text(ty_program_text(q)));
    CHECK(tail_of(p) > updating(p), "the order is the same without the option");
    for (int i = 0; i < 3; i++)
        if (!ty_run(p) || !ty_run(q)) return;
    compare_bits(ty_output(q, 0), ty_output(p, 0), "loss");
    for (int i = 0; i < 2 * LAYERS; i++)
        compare_bits(ty_eval(late.variables[i]), ty_eval(plain.variables[i]), "variable %d", i);
}

/* Store copies of the values of all variables.  They share no memory with them, so a run writes over the variables. */
static void copy_values(const struct step *s, ty_tensor **copies) {
    ty_scope *scope = ty_open();
    for (int i = 0; i < 2 * LAYERS; i++) copies[i] = ty_retain(ty_add(ty_eval(s->variables[i]), ty_num(0)));
    ty_close(scope);
}

/* Interrupt a run at its first, second, ... check; no variable changes.  Return the number of kernels that had been
   launched at the last moment that stopped a run. */
static int64_t last_stop(ty_program *p, const struct step *s) {
    int64_t launched = 0;
    if (!ty_run(p)) return -1; /* from now on the variables have memory that nobody else holds */
    for (int64_t n = 1; n < 10000; n++) {
        ty_tensor *before[2 * LAYERS];
        copy_values(s, before);
        stop_at(n);
        bool done = ty_run(p), asked = stop_checks() >= n;
        stop_at(0);
        ty_resume(NULL);
        if (!done) launched = atomic_load(&p->launched);
        ty_scope *scope = ty_open();
        for (int i = 0; i < 2 * LAYERS && !done; i++)
            compare_bits(ty_eval(s->variables[i]), before[i], "variable %d after a stop", i);
        ty_close(scope);
        for (int i = 0; i < 2 * LAYERS; i++) ty_release(before[i]);
        if (!asked) return launched;
    }
    return -1;
}

static void stops(void) {
    if (test_starving()) return;
    struct step plain, late;
    ty_program *p = program_for(&plain, false), *q = program_for(&late, true);
    int64_t early = last_stop(p, &plain), whole = last_stop(q, &late);
    CHECK(early >= 0 && early < p->flow.nkernels / 10,
          "without the option a run stops after %lld of %d kernels", (long long)early, p->flow.nkernels);
    CHECK(whole == q->flow.nkernels - updating(q), "a run stops until %lld of %d kernels, %d of which write",
          (long long)whole, q->flow.nkernels, updating(q));
    for (int i = 0; i < 2; i++) CHECK(ty_run(i ? q : p), "no run after the stops");
    CHECK(!isnan(ty_item(ty_output(q, 0))), "a loss that is NaN");
}

/* ---- random graphs ---- */

enum { VARIABLES = 4, NODES = 14, WAYS = 4 };

/* A random graph with an output and updates of some of its variables. */
struct graph_of_updates {
    ty_tensor *variables[VARIABLES], *output;
    ty_update updates[VARIABLES];
    int nupdates;
};

static ty_tensor *random_node(unsigned *seed, ty_tensor *a, ty_tensor *b) {
    switch (rand_r(seed) % 9) {
    case 0:
        return ty_matmul(a, ty_mul(b, ty_num(0.1)));
    case 1:
        return ty_mul(ty_sum(a, ty_axis(0)), ty_tanh(b));
    case 2:
        return ty_flip(a, 1);
    case 3:
        return ty_cumsum(ty_mul(a, ty_num(0.5)), 0, (ty_running){0});
    case 4:
        return ty_set_at(a, "2:4", ty_slice(b, 0, 0, 2, 1));
    case 5:
        return ty_take(a, ty_from(TY_I64, TY_SHAPE(6), (int64_t[]){5, 0, 3, 3, 1, 2}), 0);
    case 6:
        return ty_tanh(ty_sub(a, b));
    case 7:
        return ty_scatter_add(a, ty_from(TY_I64, TY_SHAPE(6), (int64_t[]){0, 0, 1, 4, 5, 2}), 0, 6);
    default:
        return ty_add(ty_mul(a, ty_num(0.25)), b);
    }
}

/* Record the graph of a seed.  Updates may exchange variables, share a value, or read each other's. */
static void record_random(struct graph_of_updates *g, unsigned seed) {
    ty_tensor *nodes[VARIABLES + NODES];
    for (int i = 0; i < VARIABLES; i++)
        nodes[i] = g->variables[i] = ty_var(ty_uniform(TY_F32, TY_SHAPE(6, 6), ty_key((uint64_t)i)), "v");
    for (int i = VARIABLES; i < VARIABLES + NODES; i++) {
        ty_tensor *a = nodes[rand_r(&seed) % (unsigned)i], *b = nodes[rand_r(&seed) % (unsigned)i];
        nodes[i] = random_node(&seed, a, b);
    }
    g->nupdates = 0;
    for (int i = 0; i < VARIABLES; i++)
        if (rand_r(&seed) % 4)
            g->updates[g->nupdates++] =
                (ty_update){g->variables[i], nodes[rand_r(&seed) % (VARIABLES + NODES)]};
    g->output = nodes[VARIABLES + NODES - 1];
}

static void check_random(unsigned seed) {
    struct graph_of_updates g[WAYS];
    ty_program *p[WAYS];
    for (int i = 0; i < WAYS; i++) { /* 0: neither, 1: unfused, 2: stoppable, 3: both */
        record_random(&g[i], seed);
        p[i] = test_program(ty_compile(
            1, &g[i].output,
            (ty_compile_options){
                .updates = g[i].updates, .nupdates = g[i].nupdates, .no_fuse = i & 1, .stoppable = i >> 1}));
        CHECK(!*ty_program_error(p[i]) || test_starving(), "seed %u, way %d: %s", seed, i,
              ty_program_error(p[i]));
        if (*ty_program_error(p[i])) return;
        ty_tensor *why = NULL;
        CHECK(ty_program_check(p[i], &why) || test_starving(), "seed %u: %s", seed, ty_error(why));
        for (int run = 0; run < 3; run++)
            if (!ty_run(p[i])) return;
    }
    for (int i = 1; i < WAYS; i++) {
        compare_bits(ty_output(p[i], 0), ty_output(p[0], 0), "seed %u, way %d: output", seed, i);
        for (int v = 0; v < VARIABLES; v++)
            compare_bits(ty_eval(g[i].variables[v]), ty_eval(g[0].variables[v]),
                         "seed %u, way %d: variable %d\n%s", seed, i, v, test_text(ty_program_text(p[i])));
    }
}

static void random_graphs(void) {
    int n = test_some(400, 60, 3);
    for (int seed = 1; seed <= n; seed++) {
        struct test_round round = test_round();
        check_random((unsigned)seed);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(order_and_bits), TEST(stops), TEST(random_graphs))
