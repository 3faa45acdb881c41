/* With the option `stoppable`, kernels that write over variables run last, with the same bits. */
#include <string.h>
#include "base/stop.h"
#include "compile/program.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

enum { LAYERS = 6, SIZE = 24 };

/* A chain of products.  Each layer has a state that is the mean of its input, as batch norms have, and a weight that
   the gradient changes. */
struct step {
    ty_tensor *variables[2 * LAYERS], *loss;
    ty_update updates[2 * LAYERS];
};

static void record_step(struct step *s) {
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){SIZE, SIZE}, 0, 1), *weights[LAYERS], *slopes[LAYERS];
    for (int i = 0; i < LAYERS; i++) {
        ty_tensor *first = sample_shape(TY_F32, 2, (int64_t[]){SIZE, SIZE}, i, 1);
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
    CHECK(tail_of(p) > updating(p), "the order is the same without the option");
    for (int i = 0; i < 3; i++)
        if (!ty_run(p) || !ty_run(q)) return;
    compare_bits(ty_output(q, 0), ty_output(p, 0), "loss");
    for (int i = 0; i < 2 * LAYERS; i++)
        compare_bits(ty_eval(late.variables[i]), ty_eval(plain.variables[i]), "variable %d", i);
}

/* Interrupt a run at each of its checks; no variable changes.  Return the number of checks.  From the first kernel on
   that writes over a variable there are none. */
static int stopped_runs(bool stoppable) {
    struct step s;
    ty_program *p = program_for(&s, stoppable);
    int stopped = 0;
    for (int n = 1; ty_program_failure(p) == NULL && n < 1000; n++) {
        ty_tensor *before[2 * LAYERS];
        ty_scope *scope =
            ty_open(); /* no value of a variable is held in the run, so that it is overwritten */
        for (int i = 0; i < 2 * LAYERS; i++)
            before[i] = ty_retain(ty_eval(ty_add(ty_eval(s.variables[i]), ty_num(0))));
        ty_close(scope);
        stop_at(n);
        bool done = ty_run(p), reached = stop_checks() >= n;
        stop_at(0);
        ty_resume(NULL);
        for (int i = 0; i < 2 * LAYERS && !done; i++)
            compare_bits(ty_eval(s.variables[i]), before[i], "variable %d after a stop", i);
        for (int i = 0; i < 2 * LAYERS; i++) ty_release(before[i]);
        if (!reached) break;
        stopped++;
        CHECK(!done, "a run goes on after check %d", n);
        p = program_for(&s, stoppable); /* a program with an error starts anew */
    }
    return stopped;
}

static void stops(void) {
    if (test_starving()) return;
    int plain = stopped_runs(false), late = stopped_runs(true);
    CHECK(plain > 0 && late > 2 * plain, "runs stop at %d checks, and at %d with the option", plain, late);
}

TESTS_MAIN(TEST(order_and_bits), TEST(stops))
