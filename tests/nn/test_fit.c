/* Epochs of training: a training that ends after any step, even within the end of an epoch, resumes as if
   it had not ended. */
#include <math.h>
#include <string.h>
#include "tests/support/files.h"
#include "tests/support/nn_help.h"

enum { EPOCHS = 4, EACH = 5, STEPS = EPOCHS * EACH };

static const struct row {
    const char *name;
    double change; /* the least improvement of an epoch; 100: never reached */
    bool validation, lazy;
    int64_t patience, ends; /* the step after which patience ends the training */
    bool restore;
} rows[] = {{"by the loss", 0, false, true, 0, STEPS, false},
            {"by held-out examples", 0, true, true, 0, STEPS, false},
            {"eager", 0, true, false, 0, STEPS, false},
            {"without patience", 100, false, true, 2, 3 * EACH, false},
            {"without patience, held out", 100, true, false, 1, 2 * EACH, false},
            {"of more patience than epochs", 100, true, false, 9, STEPS, false},
            {"restored", 100, true, true, 2, 3 * EACH, true},
            {"restored, eager", 100, false, false, 9, STEPS, true}};
enum { ROWS = sizeof rows / sizeof *rows };

struct run {
    ty_trainer *trainer;
    const char *file;
    int64_t killed; /* last step before a kill, with its checkpoint; 0: never */
    ty_epoch ends[EPOCHS];
    bool seen[EPOCHS], failed;
};

static bool after_step(void *context, const ty_moment *now) {
    struct run *r = context;
    ty_tensor *error = NULL;
    if (now->step != r->killed) return true;
    r->failed = !ty_trainer_save(r->trainer, r->file, &error);
    return false;
}

static bool after_epoch(void *context, const ty_epoch *e) {
    struct run *r = context;
    int64_t i = e->epoch - 1;
    CHECK(i >= 0 && i < EPOCHS && e->step == e->epoch * EACH, "epoch %lld ends with step %lld",
          (long long)e->epoch, (long long)e->step);
    CHECK(!r->seen[i], "epoch %lld ends twice", (long long)e->epoch);
    r->seen[i] = true;
    r->ends[i] = *e;
    return true;
}

/* Fit a new trainer, from a checkpoint unless NULL; false: out of memory. */
static bool fit(const struct row *row, struct run *r, const char *from) {
    ty_tensor *held_out[2], *error = NULL;
    r->trainer = nn_small_trainer(row->lazy, (ty_optimiser){.rule = &ty_adam});
    nn_small_data(17, &held_out[0], &held_out[1]);
    if (from && !ty_trainer_load(r->trainer, from, &error)) {
        CHECK(test_starving(), "%s", error ? ty_error(error) : "no sentence");
        return false;
    }
    ty_fit_options options = {.epochs = EPOCHS,
                              .validation = row->validation ? held_out : NULL,
                              .nvalidation = row->validation ? 2 : 0,
                              .accuracy = row->validation,
                              .patience = row->patience,
                              .least_change = row->change,
                              .restore = row->restore,
                              .step = after_step,
                              .epoch = after_epoch,
                              .context = r};
    bool done = ty_trainer_fit(r->trainer, options, &error);
    CHECK(done || test_starving(), "%s: %s", row->name, error ? ty_error(error) : "no sentence");
    CHECK(!r->failed || test_starving(), "%s: the checkpoint was not written", row->name);
    return done && !r->failed;
}

static bool same(double a, double b) { return a == b || (isnan(a) && isnan(b)); }

/* Compare the ends of epochs from `step` on, and the contents of checkpoints. */
static void compare_runs(const struct row *row, const struct run *whole, const struct run *rest,
                         int64_t step) {
    for (int i = 0; i < EPOCHS; i++) {
        const ty_epoch *a = &whole->ends[i], *b = &rest->ends[i];
        bool due = whole->seen[i] && a->step >= step;
        CHECK(rest->seen[i] == due, "%s, after step %d: the end of epoch %d is %s", row->name, (int)step,
              i + 1, due ? "missing" : "one too many");
        if (due)
            CHECK(same(a->loss, b->loss) && same(a->validation, b->validation) &&
                      same(a->accuracy, b->accuracy) && a->best == b->best && a->since_best == b->since_best,
                  "%s, after step %d: epoch %d: loss %.17g, then %.17g; %d since the best, then %d",
                  row->name, (int)step, i + 1, a->loss, b->loss, (int)a->since_best, (int)b->since_best);
    }
    ty_tensor *error = NULL;
    if (!ty_trainer_save(whole->trainer, whole->file, &error) ||
        !ty_trainer_save(rest->trainer, rest->file, &error))
        return;
    size_t n = 0, m = 0;
    uint8_t *a = read_file(whole->file, &n), *b = read_file(rest->file, &m);
    CHECK(n && n == m && !memcmp(a, b, n), "%s, after step %d: the checkpoint at the end has other bytes",
          row->name, (int)step);
}

static void check_row(const struct row *row) {
    struct run whole = {.file = nn_file("whole")};
    if (!fit(row, &whole, NULL)) return;
    CHECK(ty_trainer_steps(whole.trainer) == row->ends, "%s ends after %lld steps", row->name,
          (long long)ty_trainer_steps(whole.trainer));
    for (int64_t step = 1; step <= row->ends; step += test_some(1, 3, STEPS)) {
        struct test_round round = test_round();
        const char *file = nn_file("killed");
        struct run first = {.file = file, .killed = step}, rest = {.file = nn_file("rest")};
        if (fit(row, &first, NULL) && fit(row, &rest, file)) compare_runs(row, &whole, &rest, step);
        test_round_end(round);
    }
}

static void goes_on_from_any_step(void) {
    for (int i = 0; i < ROWS; i++) {
        struct test_round round = test_round();
        if (test_some(1, 1, i < 2)) check_row(&rows[i]);
        test_round_end(round);
    }
}

/* Resuming from a checkpoint of a training that patience ended ends again, unless patience is increased. */
static void ends_again(void) {
    const char *file = nn_file("end");
    static const int64_t patience[] = {1, 1, 2}, steps[] = {2 * EACH, 2 * EACH, 3 * EACH};
    for (int i = 0; i < 3; i++) {
        ty_trainer *t = nn_small_trainer(false, (ty_optimiser){.rule = &ty_adam});
        ty_fit_options o = {
            .epochs = EPOCHS, .patience = patience[i], .least_change = 100, .checkpoint = file};
        ty_tensor *error = NULL;
        if ((i && !ty_trainer_load(t, file, &error)) || !ty_trainer_fit(t, o, &error)) {
            CHECK(test_starving(), "%s", error ? ty_error(error) : "no sentence");
            return;
        }
        CHECK(ty_trainer_steps(t) == steps[i], "%d: %lld steps", i, (long long)ty_trainer_steps(t));
    }
}

/* ---- the best epoch ---- */

enum { MOST = 4096 }; /* elements of the small model */

/* Read all parameters of the trainer's model into out[MOST]; return their number. */
static int64_t parameters(const ty_trainer *t, double *out) {
    const ty_model *m = ty_trainer_model(t);
    int64_t n = 0;
    for (int i = 0; i < ty_model_parameters(m); i++) {
        ty_tensor *x = ty_model_parameter(m, i);
        if (n + ty_size(x) > MOST || !ty_read(x, TY_F64, out + n)) return -1;
        n += ty_size(x);
    }
    return n;
}

struct kept {
    ty_trainer *trainer;
    int64_t n, ends; /* the epoch after which the function ends the training; 0: none */
    double best[MOST];
};

static bool note_best(void *context, const ty_epoch *e) {
    struct kept *k = context;
    if (e->best) k->n = parameters(k->trainer, k->best);
    return e->epoch != k->ends;
}

/* With a least change of 100 the first epoch stays the best one. */
static void check_best(bool lazy, bool restore, int64_t ends) {
    static struct kept k;
    static double now[MOST];
    k = (struct kept){.trainer = nn_small_trainer(lazy, (ty_optimiser){.rule = &ty_adam}), .ends = ends};
    ty_fit_options o = {.epochs = EPOCHS,
                        .patience = 2,
                        .least_change = 100,
                        .restore = restore,
                        .checkpoint = nn_file("kept"),
                        .epoch = note_best,
                        .context = &k};
    ty_tensor *error = NULL;
    bool done = ty_trainer_fit(k.trainer, o, &error);
    CHECK(done || test_starving(), "%s", error ? ty_error(error) : "no sentence");
    int64_t n = parameters(k.trainer, now);
    bool loaded =
        done && ty_model_load(ty_trainer_model(k.trainer), o.checkpoint, (ty_weights_options){0}, &error);
    CHECK(loaded || test_starving(), "a model refuses the checkpoint: %s", error ? ty_error(error) : "");
    if (!done || n != k.n || n <= 0) {
        CHECK(test_starving(), "%d parameters, then %d", (int)k.n, (int)n);
        return;
    }
    bool equal = !memcmp(now, k.best, (size_t)n * sizeof *now);
    CHECK(equal == (restore && !ends), "lazy %d, restore %d, ended after %d: the parameters are %s", lazy,
          restore, (int)ends, equal ? "those of the best epoch" : "others");
}

static void goes_back_to_the_best_epoch(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        check_best(lazy, true, 0);
        check_best(lazy, false, 0);
        check_best(lazy, true, 2);
        test_round_end(round);
    }
}

static void files_that_cannot_be_written(void) {
    for (int i = 0; i < 2; i++) {
        const char *file = "/no/such/folder/file.safetensors";
        ty_fit_options o = {.epochs = 2, .best = i ? file : NULL, .checkpoint = i ? NULL : file};
        ty_trainer *t = nn_small_trainer(false, (ty_optimiser){.rule = &ty_adam});
        ty_tensor *error = NULL;
        CHECK(!ty_trainer_fit(t, o, &error), "%s was written", file);
        if (error && !test_starving()) CHECK_POISON(error, "/no/such/folder");
        CHECK(!ty_trainer_steps(t), "it went on for %lld steps", (long long)ty_trainer_steps(t));
    }
    ty_tensor *error = NULL;
    ty_trainer *t = nn_small_trainer(false, (ty_optimiser){.rule = &ty_adam});
    CHECK(!ty_trainer_fit(t, (ty_fit_options){.epochs = 2, .best = "x.st"}, &error), "x.st was written");
    if (error && !test_starving())
        CHECK_POISON(error, "fit: x.st: expected a name that ends in .safetensors or .npz");
    CHECK(!ty_trainer_steps(t), "it went on for %lld steps", (long long)ty_trainer_steps(t));
}

/* ---- losses that are not finite ---- */

static void through(ty_layer *self, const void *context, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)context, (void)n;
    y[0] = ty_layer_linear(self, "line", x[0], (ty_linear_layer){.units = 1});
}

static ty_tensor *squares(ty_tensor *x, ty_tensor *y) { return ty_loss_l2(x, y, (ty_loss_options){0}); }

enum { ROW = 6, N = 8, WIDTH = 2 };

/* Return ones with one other value in row ROW. */
static ty_tensor *ones_but(double value, int64_t width) {
    double x[N * WIDTH];
    for (int i = 0; i < N * WIDTH; i++) x[i] = 1;
    x[ROW * width] = value;
    return ty_cast(ty_from(TY_F64, TY_SHAPE(N, width), x), TY_F32);
}

static void check_lost(double input, double target, double held_out, double rate, bool lazy,
                       const char *words) {
    ty_model *m = nn_own_model(ty_model_new(through, NULL, (ty_model_options){.seed = 1, .lazy = lazy}));
    ty_trainer *t =
        nn_own_trainer(ty_trainer_new(m, (ty_trainer_options){.inputs = ones_but(input, WIDTH),
                                                              .targets = ones_but(target, 1),
                                                              .batch = N,
                                                              .order = TY_IN_ORDER,
                                                              .loss = squares,
                                                              .optimiser = {.rule = &ty_sgd, .rate = rate}}));
    ty_tensor *parts[] = {ones_but(held_out, WIDTH), ones_but(1, 1)}, *error = NULL;
    ty_fit_options o = {.epochs = 300, .validation = parts, .nvalidation = held_out != 0 ? 2 : 0};
    CHECK(!ty_trainer_fit(t, o, &error), "the training went well");
    CHECK(error && (strstr(ty_error(error), words) || test_starving()), "%s: %s", words,
          error ? ty_error(error) : "");
    CHECK(!*ty_trainer_error(t) || test_starving(), "the trainer is lost: %s", ty_trainer_error(t));
}

static void lost_ways(void) {
    for (int lazy = 0; lazy < 2; lazy++) {
        struct test_round round = test_round();
        check_lost(
            NAN, 1, 1, 0.1, lazy,
            "the loss of step 1, in epoch 1, is nan: part 0 of its batch (inputs) has nan in example 6");
        check_lost(1, INFINITY, 1, 0.1, lazy,
                   "is inf: part 1 of its batch (targets) has inf in example 6 of the batch");
        check_lost(1, 1, NAN, 0.1, lazy, "the validation loss after epoch 1, step 1, is nan");
        check_lost(1, 1, 0, 1e10, lazy, "and its batch is finite: a lower rate");
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(goes_on_from_any_step), TEST(ends_again), TEST(goes_back_to_the_best_epoch),
           TEST(files_that_cannot_be_written), TEST(lost_ways))
