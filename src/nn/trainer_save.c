/*
 * A trainer's checkpoint: the tensors that live from step to step, and as texts the few numbers that the rest
 * is a function of (the order of examples, dropout).  What must agree for that is compared on loading.
 */
#include "array/number_read.h"
#include "base/alloc.h"
#include "base/floating.h"
#include "nn/checkpoint.h"
#include "nn/optimiser.h"
#include "nn/trainer.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum meta {
    META_STEP,
    META_SEED,
    META_RATE,
    META_BATCH,
    META_EXAMPLES,
    META_OPTIMISER,
    META_BEST,
    META_EPOCH,
    METAS
};
static const char *const keys[METAS] = {"step",     "seed",      "rate", "batch",
                                        "examples", "optimiser", "best", "epoch"};
/* Those that a resumed training must have from its own options. */
static const bool must_agree[METAS] = {[META_BATCH] = true, [META_EXAMPLES] = true, [META_OPTIMISER] = true};

struct texts {
    char text[METAS][2048];
};

/* Numbers of the trainer that a step hangs on, in the digits that tell each from its neighbours; zeros are not told. */
static void add_numbers(const ty_trainer *t, struct text *out) {
    const ty_trainer_options *o = &t->options;
    const struct {
        const char *name;
        double value;
    } rows[] = {{"accumulate", o->accumulate > 1 ? (double)o->accumulate : 0},
                {"loss_scale", o->loss_scale},
                {"clip_value", o->clip_value},
                {"clip_norm", o->clip_norm},
                {"clip_global_norm", o->clip_global_norm},
                {"l1", o->l1},
                {"l2", o->l2},
                {"order", o->order}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].value != 0) text_add(out, " %s=%.17g", rows[i].name, rows[i].value);
    for (int i = 0; i < o->ngroups; i++)
        text_add(out, " %s:%.17g,%.17g", o->groups[i].prefix, o->groups[i].rate, o->groups[i].decay);
    if (t->scheduled) text_add(out, " schedule=%016llx", (unsigned long long)t->schedule_hash);
}

/* Equal texts are equal options.  What is not given and what is the rule's own are the same. */
static bool describe_optimiser(const ty_trainer *t, char *out, size_t room, struct fault *fault) {
    struct text words = {0};
    optimiser_describe(&t->options.optimiser, &words);
    add_numbers(t, &words);
    bool done = !words.failed || fault_memory(fault, room);
    if (done) text_print(out, room, "%s", words.data);
    text_drop(&words);
    return done;
}

/* The trainer's own texts, as they are written. */
static bool describe(const ty_trainer *t, struct texts *out, struct fault *fault) {
    size_t room = sizeof out->text[0];
    text_print(out->text[META_STEP], room, "%" PRId64, t->step);
    text_print(out->text[META_SEED], room, "%" PRIu64, t->options.seed);
    text_print(out->text[META_RATE], room, "%.17g", t->rate);
    text_print(out->text[META_BATCH], room, "%" PRId64, t->options.batch);
    text_print(out->text[META_EXAMPLES], room, "%" PRId64, t->batches.n);
    text_print(out->text[META_BEST], room, "%.17g %" PRId64, t->best, t->since_best);
    text_print(out->text[META_EPOCH], room, "%.17g %" PRId64, t->epoch_loss, t->epoch_steps);
    return describe_optimiser(t, out->text[META_OPTIMISER], room, fault);
}

/* What lives from step to step, and parameters that do not learn: *n of them. */
static ty_tensor **variables(const ty_trainer *t, int *n, struct fault *fault) {
    int parameters = ty_model_parameters(t->model);
    size_t most = (size_t)t->nupdates + (size_t)parameters + 1;
    ty_tensor **list = mem_array(most, sizeof *list);
    *n = 0;
    if (!list) fault_memory(fault, most * sizeof *list);
    for (int i = 0; list && i < t->nupdates; i++) list[(*n)++] = t->updates[i].variable;
    for (int i = 0, k = 0; list && i < parameters; i++) { /* learners come in the order of the parameters */
        ty_tensor *x = ty_model_parameter(t->model, i);
        if (k < t->nlearners && t->learners[k].parameter == x)
            k++;
        else
            list[(*n)++] = x;
    }
    return list;
}

bool ty_trainer_save(const ty_trainer *t, const char *path, ty_tensor **error) {
    struct fault fault = (t = trainer_of(t))->fault;
    int n = 0;
    ty_tensor **list = fault.set ? NULL : variables(t, &n, &fault);
    struct texts own;
    if (list && describe(t, &own, &fault)) {
        const char *values[METAS];
        for (int i = 0; i < METAS; i++) values[i] = own.text[i];
        checkpoint_write(path, n, list, METAS, keys, values, &fault);
    }
    mem_free(list);
    return model_tell(&fault, error);
}

static bool check_texts(const ty_trainer *t, const ty_archive *archive, const char *path,
                        struct fault *fault) {
    struct texts own;
    if (!describe(t, &own, fault)) return false;
    for (int i = 0; i < METAS; i++) {
        const char *found = ty_archive_meta(archive, keys[i]);
        if (!found)
            return fault_set(fault, "%s: no \"%s\", so this is no checkpoint of a training", path, keys[i]);
        if (must_agree[i] && strcmp(found, own.text[i]))
            return fault_set(fault, "%s: the checkpoint was written with %s %s, but this training has %s %s",
                             path, keys[i], found, keys[i], own.text[i]);
    }
    return true;
}

/* The whole number, at most `most`, that is all of the text. */
static bool parse_whole(const char *text, uint64_t most, uint64_t *out) {
    struct number number;
    size_t n = strlen(text);
    bool whole = text[0] >= '0' && text[0] <= '9' && number_read(text, n, &number) == n && number.whole;
    if (whole) *out = number.size;
    return whole && *out <= most;
}

/* A step is counted in f64, too (the optimiser's), so there are no more. */
static bool parse(const ty_archive *archive, const char *path, int64_t *step, uint64_t *seed, double *rate,
                  struct fault *fault) {
    const char *steps = ty_archive_meta(archive, "step"), *seeds = ty_archive_meta(archive, "seed"),
               *rates = ty_archive_meta(archive, "rate");
    uint64_t count = 0;
    struct number number;
    if (!parse_whole(steps, UINT64_C(1) << DBL_MANT_DIG, &count))
        return fault_set(fault, "%s: step \"%s\"; expected a whole number of at most 2^%d", path, steps,
                         DBL_MANT_DIG);
    if (!parse_whole(seeds, UINT64_MAX, seed))
        return fault_set(fault, "%s: seed \"%s\"; expected a whole number of 64 bits", path, seeds);
    bool whole = *rates && number_read(rates, strlen(rates), &number) == strlen(rates);
    *step = (int64_t)count;
    *rate = whole ? number.value : NAN;
    return trainer_takes_rate(*rate) ||
           fault_set(fault, "%s: rate \"%s\"; expected a finite number of at least 0", path, rates);
}

/* "0.25 3": a loss, and a count of epochs or steps. */
static bool parse_loss(const ty_archive *archive, const char *path, enum meta key, double *loss,
                       int64_t *count, struct fault *fault) {
    const char *words = ty_archive_meta(archive, keys[key]), *blank = strchr(words, ' ');
    struct number number = {.value = NAN};
    uint64_t whole = 0;
    size_t n = blank ? (size_t)(blank - words) : 0;
    bool well = n && parse_whole(blank + 1, INT64_MAX, &whole) && number_read(words, n, &number) == n;
    *loss = number.value;
    *count = (int64_t)whole;
    return well || fault_set(fault, "%s: %s \"%s\"; expected a loss and a count", path, keys[key], words);
}

static bool restore(ty_trainer *t, const ty_archive *archive, const char *path, int n, ty_tensor **list,
                    struct fault *fault) {
    int64_t step = 0;
    uint64_t seed = 0;
    double rate = 0, best = NAN, sum = 0;
    int64_t since = 0, steps = 0;
    if (*ty_archive_error(archive)) return fault_set(fault, "%s", ty_archive_error(archive));
    if (model_is_folded(t->model, fault)) return false;
    if (!check_texts(t, archive, path, fault) || !parse(archive, path, &step, &seed, &rate, fault) ||
        !parse_loss(archive, path, META_BEST, &best, &since, fault) ||
        !parse_loss(archive, path, META_EPOCH, &sum, &steps, fault) ||
        !checkpoint_read(archive, path, n, list, fault))
        return false;
    t->best = best;
    t->since_best = since;
    t->epoch_loss = sum;
    t->epoch_steps = steps;
    t->step = step;
    t->rate = rate;
    t->options.seed = t->batches.seed = seed;
    t->batches.epoch = -1;
    return true;
}

bool ty_trainer_load(ty_trainer *t, const char *path, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = (t = trainer_of(t))->fault;
    int n = 0;
    ty_tensor **list = fault.set ? NULL : variables(t, &n, &fault);
    if (list) {
        ty_archive *archive = ty_checkpoint_load(path);
        restore(t, archive, path, n, list, &fault);
        ty_archive_free(archive);
    }
    mem_free(list);
    return model_tell(&fault, error);
}
