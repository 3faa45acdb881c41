/*
 * A trainer's checkpoint: the tensors that live from step to step, and as texts the few numbers that the rest
 * is a function of (the order of examples, dropout).  What must agree for that is compared on loading.
 */
#include "base/alloc.h"
#include "nn/checkpoint.h"
#include "nn/trainer.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum meta { META_STEP, META_SEED, META_RATE, META_BATCH, META_EXAMPLES, META_OPTIMISER, METAS };
static const char *const keys[METAS] = {"step", "seed", "rate", "batch", "examples", "optimiser"};
/* Those that a resumed training must have from its own options. */
static const bool must_agree[METAS] = {[META_BATCH] = true, [META_EXAMPLES] = true, [META_OPTIMISER] = true};

struct texts {
    char text[METAS][160];
};

/* The trainer's own texts, as they are written. */
static void describe(const ty_trainer *t, struct texts *out) {
    const ty_optimiser *o = &t->options.optimiser;
    size_t room = sizeof out->text[0];
    snprintf(out->text[META_STEP], room, "%" PRId64, t->step);
    snprintf(out->text[META_SEED], room, "%" PRIu64, t->options.seed);
    snprintf(out->text[META_RATE], room, "%.17g", t->rate);
    snprintf(out->text[META_BATCH], room, "%" PRId64, t->options.batch);
    snprintf(out->text[META_EXAMPLES], room, "%" PRId64, t->batches.n);
    snprintf(out->text[META_OPTIMISER], room, "%s momentum=%g beta2=%g epsilon=%g decay=%g%s%s",
             o->rule->name, o->momentum, o->beta2, o->epsilon, o->decay, o->decoupled ? " decoupled" : "",
             o->nesterov ? " nesterov" : "");
}

static ty_tensor **variables(const ty_trainer *t, struct fault *fault) {
    ty_tensor **list = mem_array((size_t)t->nupdates + 1, sizeof *list);
    if (!list) fault_memory(fault, (size_t)t->nupdates * sizeof *list);
    for (int i = 0; list && i < t->nupdates; i++) list[i] = t->updates[i].variable;
    return list;
}

bool ty_trainer_save(const ty_trainer *t, const char *path, ty_tensor **error) {
    struct fault fault = t->fault;
    ty_tensor **list = fault.set ? NULL : variables(t, &fault);
    if (list) {
        struct texts own;
        const char *values[METAS];
        describe(t, &own);
        for (int i = 0; i < METAS; i++) values[i] = own.text[i];
        checkpoint_write(path, t->nupdates, list, METAS, keys, values, &fault);
    }
    mem_free(list);
    return checkpoint_tell(&fault, error);
}

static bool check_texts(const ty_trainer *t, const ty_archive *archive, const char *path,
                        struct fault *fault) {
    struct texts own;
    describe(t, &own);
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

/* The numbers that are taken over. */
static bool parse(const ty_archive *archive, const char *path, int64_t *step, uint64_t *seed, double *rate,
                  struct fault *fault) {
    const char *text[] = {ty_archive_meta(archive, "step"), ty_archive_meta(archive, "seed"),
                          ty_archive_meta(archive, "rate")};
    char *end[3];
    errno = 0;
    *step = strtoll(text[0], &end[0], 10);
    *seed = strtoull(text[1], &end[1], 10);
    *rate = strtod(text[2], &end[2]);
    bool whole = !errno && *step >= 0 && isfinite(*rate);
    for (int i = 0; i < 3; i++) whole = whole && end[i] != text[i] && !*end[i];
    return whole || fault_set(fault, "%s: step \"%s\", seed \"%s\", rate \"%s\": expected three numbers",
                              path, text[0], text[1], text[2]);
}

static bool restore(ty_trainer *t, const ty_archive *archive, const char *path, ty_tensor **list,
                    struct fault *fault) {
    int64_t step;
    uint64_t seed;
    double rate;
    if (*ty_archive_error(archive)) return fault_set(fault, "%s", ty_archive_error(archive));
    if (!check_texts(t, archive, path, fault) || !parse(archive, path, &step, &seed, &rate, fault) ||
        !checkpoint_read(archive, path, t->nupdates, list, fault))
        return false;
    t->step = step;
    t->rate = rate;
    t->options.seed = t->batches.seed = seed;
    t->batches.epoch = -1;
    return true;
}

bool ty_trainer_load(ty_trainer *t, const char *path, ty_tensor **error) {
    struct fault fault = t->fault;
    ty_tensor **list = fault.set ? NULL : variables(t, &fault);
    if (list) {
        ty_archive *archive = ty_checkpoint_load(path);
        restore(t, archive, path, list, &fault);
        ty_archive_free(archive);
    }
    mem_free(list);
    return checkpoint_tell(&fault, error);
}
