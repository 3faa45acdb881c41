/*
 * Checkpoints of trainers: the tensors that persist across steps, and as texts the few numbers that determine
 * everything else (order of examples, dropout). Those that must agree are compared on loading.
 */
#include "array/number_read.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "nn/checkpoint.h"
#include "nn/optimiser.h"
#include "nn/model/notes.h"
#include "nn/option.h"
#include "nn/trainer.h"
#include "ops/core/field_value.h"
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
    META_SCHEDULE,
    METAS,
    META_NOTE = METAS /* the caller's text, if any */
};
static const char *const keys[METAS + 1] = {"step",      "seed", "rate",  "batch",    "examples",
                                            "optimiser", "best", "epoch", "schedule", "note"};
/* A resumed training must have equal values of these. */
static const bool must_agree[METAS] = {
    [META_BATCH] = true, [META_EXAMPLES] = true, [META_OPTIMISER] = true, [META_SCHEDULE] = true};
/* Checkpoints of earlier versions lack these. */
static const bool may_lack[METAS] = {[META_SCHEDULE] = true};

struct texts {
    char text[METAS][2048];
};

/* Append the trainer's numbers that affect a step as " name=value", with enough digits to distinguish
   doubles; zeros are omitted. */
static void add_numbers(const ty_trainer *t, struct text *out) {
    const ty_trainer_options *o = &t->options;
    if (o->accumulate > 1) text_add(out, " accumulate=%" PRId64, o->accumulate);
    fields_describe(out, &trainer_numbers, o);
    for (int i = 0; i < o->ngroups; i++)
        text_add(out, " %s:%.17g,%.17g", o->groups[i].prefix, o->groups[i].rate, o->groups[i].decay);
    if (t->scheduled) text_add(out, " schedule=%016llx", (unsigned long long)t->schedule_hash);
}

/* Append a description of the schedule, such as "cosine steps=200 warmup=5", without zeros; "none" if there is
   none. */
static void describe_schedule(const ty_trainer *t, struct text *out) {
    ty_schedule_function at = t->schedule.at ? t->schedule.at : ty_schedule_constant;
    const char *name = "own";
#define SCHEDULE(own, ...)                                                                                   \
    if (at == ty_schedule_##own) name = #own;
#include <tyto/tables/schedules.def>
    text_add(out, "%s", t->scheduled ? name : "none");
    if (t->scheduled) fields_describe(out, &schedule_numbers, &t->schedule);
}

/* Move a text to out[room], where it may be cut; false if it lacked memory. */
static bool settle(struct text *words, char *out, size_t room, struct fault *fault) {
    bool done = !words->failed || fault_memory(fault, room);
    if (done) text_print(out, room, "%s", words->data);
    text_drop(words);
    return done;
}

/* Fill all texts of a checkpoint from the trainer; false without memory. Equal texts of options mean equal options,
   explicit defaults included. */
static bool describe(const ty_trainer *t, struct texts *out, struct fault *fault) {
    size_t room = sizeof out->text[0];
    struct text optimiser = {0}, schedule = {0};
    text_print(out->text[META_STEP], room, "%" PRId64, t->step);
    text_print(out->text[META_SEED], room, "%" PRIu64, t->options.seed);
    text_print(out->text[META_RATE], room, "%.17g", t->rate);
    text_print(out->text[META_BATCH], room, "%" PRId64, t->options.batch);
    text_print(out->text[META_EXAMPLES], room, "%" PRId64, t->batches.n);
    text_print(out->text[META_BEST], room, "%.17g %" PRId64, t->best, t->since_best);
    text_print(out->text[META_EPOCH], room, "%.17g %" PRId64, t->epoch_loss, t->epoch_steps);
    optimiser_describe(&t->options.optimiser, &optimiser);
    add_numbers(t, &optimiser);
    describe_schedule(t, &schedule);
    bool done = settle(&optimiser, out->text[META_OPTIMISER], room, fault);
    return settle(&schedule, out->text[META_SCHEDULE], room, fault) && done;
}

/* Return a list of the *n tensors of a checkpoint, borrowed: persistent ones, then parameters that do not
   learn, then those of the best epoch. The caller frees the list; NULL sets the fault. */
static ty_tensor **variables(const ty_trainer *t, int *n, struct fault *fault) {
    int parameters = ty_model_parameters(t->model);
    size_t most = (size_t)t->nupdates + (size_t)parameters + (size_t)t->nkept + 1;
    ty_tensor **list = mem_array(most, sizeof *list);
    *n = 0;
    if (!list) fault_memory(fault, most * sizeof *list);
    for (int i = 0; list && i < t->nupdates; i++) list[(*n)++] = t->updates[i].variable;
    for (int i = 0, k = 0; list && i < parameters; i++) { /* learners are in the order of the parameters */
        ty_tensor *x = ty_model_parameter(t->model, i);
        if (k < t->nlearners && t->learners[k].parameter == x)
            k++;
        else
            list[(*n)++] = x;
    }
    for (int i = 0; list && i < t->nkept; i++) list[(*n)++] = t->kept[i];
    return list;
}

bool ty_trainer_save(const ty_trainer *given, const char *path, ty_tensor **error) {
    ty_trainer *t = trainer_of(given);
    struct fault fault = t->fault;
    bool at_means = t->at_means;
    int n = 0;
    if (!fault.set) trainer_means_use(t, true, &fault);
    ty_tensor **list = fault.set ? NULL : variables(t, &n, &fault);
    struct texts own;
    if (list && describe(t, &own, &fault)) {
        const char *names[METAS + 1 + TY_NOTES], *values[METAS + 1 + TY_NOTES];
        int count = METAS;
        for (int i = 0; i < METAS; i++) names[i] = keys[i], values[i] = own.text[i];
        if (t->note) names[count] = keys[META_NOTE], values[count++] = t->note;
        count += notes_list(t->model, names + count, values + count);
        checkpoint_write(path, n, list, count, names, values, &fault);
    }
    mem_free(list);
    if (!t->fault.set) trainer_means_use(t, at_means, &fault);
    return model_tell(&fault, error);
}

/* Set *word to the start of the next blank-separated word of *text and *text behind it; return its length
   in bytes, 0 at the end. */
static size_t next_word(const char **text, const char **word) {
    *word = *text + strspn(*text, " ");
    size_t n = strcspn(*word, " ");
    *text = *word + n;
    return n;
}

/* Return true if the blank-separated text has this word of n bytes. */
static bool has_word(const char *text, const char *word, size_t n) {
    const char *own;
    for (size_t m; (m = next_word(&text, &own));)
        if (m == n && !memcmp(own, word, n)) return true;
    return false;
}

/* Write to out the first word of `text` that `other` lacks, with its number shortened, such as "momentum
   0.9", cut to `room` bytes; "" if there is none. */
static void first_other(const char *text, const char *other, char *out, size_t room) {
    const char *word;
    struct number number;
    *out = 0;
    for (size_t n; (n = next_word(&text, &word));) {
        if (has_word(other, word, n)) continue;
        const char *sign = memchr(word, '=', n);
        size_t name = sign ? (size_t)(sign - word) : n, digits = sign ? n - name - 1 : 0;
        bool read = digits && number_read(sign + 1, digits, &number) == digits;
        if (read)
            text_print(out, room, "%.*s %.15g", (int)name, word, number.value);
        else
            text_print(out, room, "%.*s", (int)n, word);
        return;
    }
}

/* Set the fault: how the checkpoint's description `found` of item `key` differs from `own`, this
   training's, by the first words that only one has. Always return false. */
static bool refuse_other(const ty_trainer *t, const char *path, enum meta key, const char *found,
                         const char *own, struct fault *fault) {
    char then[256], now[256];
    first_other(found, own, then, sizeof then);
    first_other(own, found, now, sizeof now);
    double each = (double)batches_per_epoch(&t->batches), steps[2] = {0};
    const char *lengths[] = {strstr(found, " steps="), strstr(own, " steps=")};
    struct number number;
    for (int i = 0; i < 2 && key == META_SCHEDULE; i++)
        if (lengths[i] && number_read(lengths[i] + 7, strcspn(lengths[i] + 7, " "), &number))
            steps[i] = number.value;
    if (steps[0] != steps[1] && steps[0] > 0 && steps[1] > 0 && each > 0)
        return fault_set(fault, E_FORMAT,
                         "%s: the checkpoint's schedule was made for %.15g steps (%.4g epochs), this "
                         "training's for %.15g (%.4g): use the same number of epochs",
                         path, steps[0], steps[0] / each, steps[1], steps[1] / each);
    if (!*then || !*now)
        return fault_set(fault, E_FORMAT,
                         "%s: the checkpoint was written %s %s of the %s, which this training %s", path,
                         *then ? "with" : "without", *then ? then : now, keys[key], *then ? "lacks" : "has");
    return fault_set(fault, E_FORMAT,
                     "%s: the checkpoint was written with the %s%s %s, but this training has %s", path,
                     keys[key], strchr(then, ' ') ? "'s" : "", then, now);
}

/* Compare the texts of a checkpoint, read from `path`, with this training's; return true if all that must
   agree do. False sets the fault by the first difference. Some texts may be missing. */
static bool check_texts(const ty_trainer *t, const ty_archive *archive, const char *path,
                        struct fault *fault) {
    struct texts own;
    if (!describe(t, &own, fault)) return false;
    /* schedule before optimiser, whose text contains a hash of the schedule */
    for (int k = 0; k < METAS; k++) {
        int i = k ? k - 1 : META_SCHEDULE;
        const char *found = ty_archive_meta(archive, keys[i]);
        if (!found && may_lack[i]) continue;
        if (!found)
            return fault_set(fault, E_FORMAT,
                             "%s: \"%s\" is missing, so this is not a checkpoint of a training", path,
                             keys[i]);
        if (!must_agree[i] || !strcmp(found, own.text[i])) continue;
        if (i == META_OPTIMISER || i == META_SCHEDULE)
            return refuse_other(t, path, i, found, own.text[i], fault);
        return fault_set(fault, E_FORMAT,
                         "%s: the checkpoint was written with %s %s, but this training has %s %s", path,
                         keys[i], found, keys[i], own.text[i]);
    }
    return true;
}

/* Numbers that every checkpoint has. Steps are also counted in f64, so they may not exceed 2^53. */
struct numbers {
    int64_t step;
    uint64_t seed;
    double rate;
};
ATTRIBUTES(number_fields, sizeof(struct numbers),
           FIELD(struct numbers, step, LONG, .end = 0x1p53, .upto = true), FIELD(struct numbers, seed, WORD),
           FIELD(struct numbers, rate, REAL, .end = INFINITY));

/* Parse step, seed and rate from the archive; false sets the fault. */
static bool parse(const ty_archive *archive, const char *path, struct numbers *out, struct fault *fault) {
    char words[FIELD_WORDS];
    struct nearest near;
    for (int i = 0; i < number_fields.n; i++) {
        const struct field *f = &number_fields.fields[i];
        const char *text = ty_archive_meta(archive, f->name);
        if (!field_parse(f, text, (char *)out + f->offset, &near))
            return fault_set(fault, E_FORMAT, "%s: %s \"%s\"; expected %s", path, f->name, text,
                             field_expected(f, words));
    }
    return true;
}

/* Parse item `key` of the archive, a loss and a count of epochs or steps, such as "0.25 3", into *loss and
   *count; false sets the fault, which begins with `path`. */
static bool parse_loss(const ty_archive *archive, const char *path, enum meta key, double *loss,
                       int64_t *count, struct fault *fault) {
    static const struct field whole = {.type = FIELD_LONG, .size = sizeof *count, .end = INFINITY};
    const char *words = ty_archive_meta(archive, keys[key]), *blank = strchr(words, ' ');
    struct number number = {.value = NAN};
    struct nearest near;
    size_t n = blank ? (size_t)(blank - words) : 0;
    bool well = n && field_parse(&whole, blank + 1, count, &near) && number_read(words, n, &number) == n;
    *loss = number.value;
    return well ||
           fault_set(fault, E_FORMAT, "%s: %s \"%s\"; expected a loss and a count", path, keys[key], words);
}

/* Set the trainer's step, seed, rate, losses and its n tensors `list` from an archive read from `path`.
   Everything is checked first; false sets the fault and changes nothing. */
static bool restore(ty_trainer *t, const ty_archive *archive, const char *path, int n, ty_tensor **list,
                    struct fault *fault) {
    struct numbers numbers;
    double best = NAN, sum = 0;
    int64_t since = 0, steps = 0;
    if (!checkpoint_opened(archive, fault)) return false;
    if (model_is_folded(t->model, fault)) return false;
    if (!check_texts(t, archive, path, fault) || !parse(archive, path, &numbers, fault) ||
        !parse_loss(archive, path, META_BEST, &best, &since, fault) ||
        !parse_loss(archive, path, META_EPOCH, &sum, &steps, fault) ||
        !checkpoint_read(archive, path, n, list, fault))
        return false;
    const char *note = ty_archive_meta(archive, keys[META_NOTE]);
    mem_free(t->note);
    t->note = note ? mem_copy_text(note) : NULL; /* NULL without memory; the note is optional */
    t->best = best;
    t->since_best = since;
    t->epoch_loss = sum;
    t->epoch_steps = steps;
    t->step = numbers.step;
    t->rate = numbers.rate;
    t->options.seed = t->batches.seed = numbers.seed;
    t->batches.epoch = -1;
    t->at_means = trainer_averages(t); /* files have means under the names of parameters */
    return true;
}

bool ty_trainer_load(ty_trainer *t, const char *path, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct fault fault = (t = trainer_of(t))->fault;
    int n = 0;
    if (fault.set) return model_tell(&fault, error);
    ty_archive *archive = ty_checkpoint_load(path);
    bool held = trainer_best_held(t, archive), made = held && !t->kept && trainer_best_make(t, &fault);
    ty_tensor **list = fault.set ? NULL : variables(t, &n, &fault);
    if (list && !held) n -= t->nkept;
    bool loaded = list && restore(t, archive, path, n, list, &fault);
    if (held ? made && !loaded : loaded) trainer_best_drop(t);
    ty_archive_free(archive);
    mem_free(list);
    return model_tell(&fault, error);
}
