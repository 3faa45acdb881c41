/*
 * Interrupts from another thread at random moments of training, programs, loaders, compilations and solvers.  Work is
 * done in pieces: steps, runs, batches.  A piece that was stopped is asked for again, and all bits are those of an
 * uninterrupted sequence of pieces.
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <tyto/data.h>
#include "base/hash.h"
#include "tests/support/nn_help.h"

enum {
    PIECES = 200000, /* most pieces of a row */
    FIRST = 5        /* pieces before the interrupts, whose shortest time is that of a piece */
};

/* Results of a piece of work. */
enum outcome { STOPPED, DONE, FAILED };

/* The work in progress: what the row made, the hash of the last piece, the sentence of the last failure. */
static struct {
    ty_trainer *trainer;
    ty_program *program;
    ty_tensor *variables[2], *operand;
    ty_loader *loader;
    uint64_t hash;
    char why[256];
} now;

/* Return FAILED or STOPPED for the sentence of a failure. */
static enum outcome failure(const char *sentence) {
    snprintf(now.why, sizeof now.why, "%s", sentence);
    return strstr(sentence, "interrupted: ") ? STOPPED : FAILED;
}

static uint64_t hash_of(ty_tensor *x) {
    size_t bytes = (size_t)ty_size(x) * ty_dtype_size(ty_dtype_of(x));
    char *data = malloc(bytes + 1);
    uint64_t hash = 0;
    bool read = data && ty_read(x, ty_dtype_of(x), data);
    for (size_t i = 0; i < bytes && read; i++) hash = hash_join(hash, (uint64_t)(unsigned char)data[i]);
    free(data);
    return hash;
}
/* End a piece with a result. */
static enum outcome result(ty_tensor *x) {
    if (!ty_ok(x)) return failure(ty_error(x));
    now.hash = hash_of(x);
    return DONE;
}

/* ---- training ---- */

static void train_with(bool lazy, bool early) {
    ty_tensor *images, *labels;
    nn_small_data(60, &images, &labels);
    now.trainer = nn_own_trainer(
        ty_trainer_new(nn_small_model(lazy), (ty_trainer_options){.inputs = images,
                                                                  .targets = labels,
                                                                  .batch = 12,
                                                                  .seed = 5,
                                                                  .early_updates = early,
                                                                  .optimiser = {.rule = &ty_adam}}));
}
static void make_training(void) { train_with(true, false); }
static void make_early_training(void) { train_with(true, true); }
static void make_eager_training(void) { train_with(false, false); }
static enum outcome step(void) {
    double loss = ty_trainer_step(now.trainer);
    if (*ty_trainer_error(now.trainer)) return failure(ty_trainer_error(now.trainer));
    memcpy(&now.hash, &loss, sizeof loss);
    return DONE;
}
/* Return the hash of all parameters. */
static uint64_t end_training(void) {
    ty_model *m = ty_trainer_model(now.trainer);
    uint64_t hash = (uint64_t)ty_trainer_steps(now.trainer);
    for (int i = 0; i < ty_model_parameters(m); i++)
        hash = hash_join(hash, hash_of(ty_model_parameter(m, i)));
    return hash;
}

/* ---- programs ---- */

static void make_program_that(bool stops) {
    enum { N = 40 };
    ty_update updates[2];
    for (int i = 0; i < 2; i++)
        now.variables[i] = ty_var(ty_uniform(TY_F64, TY_SHAPE(N, N), ty_key((uint64_t)i)), "v");
    ty_tensor *x = now.variables[0], *y = now.variables[1];
    for (int i = 0; i < 6; i++) x = ty_tanh(ty_matmul(x, ty_sub(y, ty_mean(x, TY_ALL))));
    updates[0] = (ty_update){now.variables[0], ty_add(ty_mul(x, ty_num(0.5)), ty_flip(y, 0))};
    updates[1] = (ty_update){now.variables[1], ty_sub(y, ty_mul(now.variables[0], ty_num(1e-3)))};
    x = ty_sum(ty_mul(x, y), TY_ALL);
    now.program = test_program(
        ty_compile(1, &x, (ty_compile_options){.updates = updates, .nupdates = 2, .stoppable = stops}));
}
static void make_stoppable(void) { make_program_that(true); }
static void make_program(void) { make_program_that(false); }
static enum outcome run(void) {
    return ty_run(now.program) ? result(ty_output(now.program, 0)) : failure(ty_program_error(now.program));
}
static uint64_t end_program(void) {
    return hash_join(hash_of(ty_eval(now.variables[0])), hash_of(ty_eval(now.variables[1])));
}

/* Compile again and run; caches of kernels are emptied. */
static void make_nothing(void) { now.program = NULL; }
static enum outcome compile(void) {
    ty_tensor *x = ty_var(ty_uniform(TY_F64, TY_SHAPE(9, 9), ty_key(4)), "x"), *y = x, *slope;
    ty_trim();
    for (int i = 0; i < 8; i++) y = ty_softmax(ty_matmul(y, ty_tanh(ty_add(y, ty_num(i)))), 1);
    y = ty_sum(ty_square(y), TY_ALL);
    if (!ty_grad(y, 1, &x, &slope)) return failure(ty_error(slope));
    ty_program *p = ty_compile(1, &slope, (ty_compile_options){0});
    enum outcome end =
        *ty_program_error(p) || !ty_run(p) ? failure(ty_program_error(p)) : result(ty_output(p, 0));
    ty_program_free(p);
    return end;
}
static uint64_t end_nothing(void) { return 0; }

/* ---- loaders ---- */

static void end_loader(void *loader) { ty_loader_free(loader); }
static void end_set(void *set) { ty_dataset_free(set); }
static void make_loader(void) {
    ty_tensor *images, *labels;
    nn_small_data(200, &images, &labels);
    const ty_image_step steps[] = {{.apply = ty_step_flip},
                                   {.apply = ty_step_resized_crop, .size = {12, 12}}};
    ty_dataset *set = test_own(ty_dataset_arrays(2, (ty_tensor *[]){images, labels}, NULL), end_set);
    now.loader =
        test_own(ty_loader_new(set, (ty_loader_options){.batch = 32, .seed = 2, .steps = steps, .nsteps = 2}),
                 end_loader);
}
/* The end of an epoch is a piece of its own. */
static enum outcome next_batch(void) {
    ty_tensor *batch[2];
    bool more = ty_loader_next(now.loader, 2, batch);
    if (ty_ok(batch[0])) return result(batch[0]);
    now.hash = 1;
    return !more && !strstr(ty_error(batch[0]), "interrupted: ") ? DONE : failure(ty_error(batch[0]));
}
static uint64_t end_loading(void) {
    ty_data_place place = ty_loader_tell(now.loader);
    return (uint64_t)place.epoch << 32 | (uint64_t)place.batch;
}

/* ---- solvers ---- */

static void make_matrix(void) {
    now.operand = ty_normal(TY_F64, 2, (int64_t[]){70, 50}, ty_key(1));
    ty_data(now.operand);
}
static enum outcome svd(void) {
    ty_svd_parts parts = ty_svd(now.operand, false);
    return ty_ok(parts.u) && ty_ok(parts.s) ? result(parts.vh)
                                            : failure(ty_error(ty_ok(parts.u) ? parts.s : parts.u));
}
static ty_tensor *slope_of(void *context, ty_tensor *const *x) {
    (void)context;
    return ty_sub(ty_mul(x[1], ty_num(-0.1)), ty_sin(x[1]));
}
static enum outcome ode(void) {
    ty_tensor *y = ty_full(TY_F64, 1, (int64_t[]){3}, 1), *times = ty_arange(TY_F64, 0, 3, 1);
    return result(ty_odeint(slope_of, NULL, y, times, 0, NULL, (ty_ode_options){0}));
}

static const struct row {
    const char *name;
    void (*make)(void);
    enum outcome (*piece)(void);
    uint64_t (*end)(void); /* the hash of what the pieces have changed */
    int stops, quick;      /* number of pieces that are to be stopped; with TY_TEST_QUICK=1 */
} rows[] = {{"training", make_training, step, end_training, 1000, 60},
            {"training with early updates", make_early_training, step, end_training, 1000, 60},
            {"eager training", make_eager_training, step, end_training, 300, 30},
            {"program", make_program, run, end_program, 1000, 60},
            {"stoppable program", make_stoppable, run, end_program, 1000, 60},
            {"compilation", make_nothing, compile, end_nothing, 300, 30},
            {"loader", make_loader, next_batch, end_loading, 300, 30},
            {"svd", make_matrix, svd, end_nothing, 300, 30},
            {"ode", make_nothing, ode, end_nothing, 300, 30}};

/* ---- interrupts ---- */

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A thread that interrupts a context again and again, after pauses of at most `longest` seconds. */
struct interrupter {
    pthread_t thread;
    ty_context *context;
    double longest;
    atomic_bool ends;
};
static void *interrupt_at_random(void *interrupter) {
    struct interrupter *x = interrupter;
    unsigned seed = 5;
    while (!atomic_load(&x->ends)) {
        double pause = x->longest * rand_r(&seed) / RAND_MAX;
        nanosleep(&(struct timespec){(time_t)pause, (long)(1e9 * (pause - floor(pause)))}, NULL);
        ty_interrupt(x->context);
    }
    return NULL;
}

static void end_context(void *context) {
    ty_context_use(NULL);
    ty_context_free(context);
}

/* Do a piece in a scope of its own. */
static enum outcome do_piece(const struct row *row) {
    ty_scope *scope = ty_open();
    enum outcome end = row->piece();
    ty_close(scope);
    return end;
}

/* Do pieces until `stops` were stopped, with their hashes in hashes[]; returns the number of pieces done. */
static int interrupted_pieces(const struct row *row, struct interrupter *x, int stops, uint64_t *hashes) {
    int done = 0, stopped = 0;
    enum outcome end = DONE;
    if (pthread_create(&x->thread, NULL, interrupt_at_random, x)) return -1;
    while (stopped < stops && done < PIECES && end != FAILED) {
        end = do_piece(row);
        ty_resume(x->context);
        if (end == STOPPED) stopped++;
        if (end == DONE) hashes[done++] = now.hash;
    }
    atomic_store(&x->ends, true);
    pthread_join(x->thread, NULL);
    ty_resume(x->context);
    if (test_verbose())
        printf("%s: %d stopped, %d done, pauses up to %.0f us\n", row->name, stopped, done, 1e6 * x->longest),
            fflush(stdout);
    CHECK(end != FAILED, "%s: %s", row->name, now.why);
    CHECK(stopped >= stops, "%s: only %d of %d pieces were stopped", row->name, stopped, done);
    return done;
}

static void check_row(const struct row *row, int threads) {
    struct interrupter x = {.context = ty_context_new((ty_context_options){.threads = threads})};
    test_own(x.context, end_context);
    ty_context_use(x.context);
    uint64_t *hashes = test_room((PIECES + FIRST) * sizeof *hashes), end = 0;
    row->make();
    for (int i = 0; i < FIRST; i++) { /* the first one compiles */
        double begin = seconds();
        CHECK(do_piece(row) == DONE, "%s: %s", row->name, now.why);
        hashes[i] = now.hash;
        x.longest = i < 2 ? 2 * (seconds() - begin) : fmin(x.longest, 2 * (seconds() - begin));
    }
    int done = interrupted_pieces(row, &x, test_some(row->stops, row->quick, 1), hashes + FIRST);
    end = row->end();
    row->make();
    for (int i = 0; i < done + FIRST; i++)
        CHECK(do_piece(row) == DONE && now.hash == hashes[i], "%s, %d threads: piece %d of %d differs",
              row->name, threads, i, done);
    CHECK(row->end() == end, "%s, %d threads: other values after %d pieces", row->name, threads, done);
}

static void random_moments(void) {
    if (test_starving()) return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int threads = 1; threads <= 3; threads += 2) {
            struct test_round round = test_round();
            check_row(&rows[i], threads);
            test_round_end(round);
        }
}

TESTS_MAIN(TEST(random_moments))
