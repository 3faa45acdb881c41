/* tyto train: network, data and trainer of one training. */
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/shape.h>
#include "tools/command.h"
#include "tools/options/message.h"
#include "tools/train/train.h"
#include "tools/options/result.h"
#include "tools/train/train_loss.h"

const char *schedule_name(int i) {
    static const char *const names[] = {
#define SCHEDULE(name, ...) #name,
#include <tyto/tables/schedules.def>
        NULL};
    return names[i];
}

/* ---- session ---- */

/* Return the number of classes to build the network with: the given one, else that of the data; 0 means the
   network's own. */
static int64_t classes_of(const struct session *r) {
    const struct train_settings *s = r->s;
    if (s->classes) return s->classes;
    if (r->data.table.preparation) return r->data.classes ? r->data.classes : 1;
    if (r->data.loaded.tokenizer) return ty_tokenizer_size(r->data.loaded.tokenizer);
    int64_t own = r->network.known ? r->network.known->classes : 0;
    /* Number of classes of the data, except for digits, for which the network has its own. */
    return r->network.known && !r->network.known->tokens && s->data && r->data.classes > 1 &&
                   r->data.classes != own
               ? r->data.classes
               : 0;
}

/* Set the options of the loss: the weights of classes that the settings say.  False after a message. */
static bool weigh(struct session *r, ty_loss_options *o) {
    const struct train_settings *s = r->s;
    const struct data *d = &r->data;
    bool fits = d->classes > 0 && loss_compares_classes(s->loss);
    int64_t n = s->classes > d->classes ? s->classes : d->classes; /* units of the network */
    *o = s->loss_options;
    if (!s->balanced && !s->weighted.n) return true;
    if (!fits || (s->balanced && s->weighted.n))
        return complain("--balance, --class-weight: expected one of them, a target of classes and a loss of "
                        "classes") == EXIT_SUCCESS;
    if (s->balanced && !d->labels)
        return complain("--balance: of images in folders, use --class-weight") == EXIT_SUCCESS;
    o->weight = s->balanced ? ty_class_weights(d->labels, n) : loss_weights(&s->weighted, &r->labels, n);
    if (o->weight && !ty_ok(o->weight)) complain_of(o->weight);
    return o->weight && ty_ok(o->weight);
}

/* Make the parameters, and freeze those whose names begin as the settings say; false after a message. */
static bool freeze(struct session *r) {
    const struct train_settings *s = r->s;
    ty_model *m = r->network.model;
    if (!s->frozen.n) return true;
    ty_tensor *x = r->data.images ? ty_lazy(ty_slice(r->data.images, 0, 0, 1, 1)) : NULL, *error = NULL;
    if (x && !ty_model_build(m, 1, &x, &error)) return complain_of(error) == EXIT_SUCCESS;
    if (!x && !network_build(&r->network, 1)) return false;
    for (int i = 0; i < s->frozen.n; i++) {
        int n = ty_model_freeze(m, s->frozen.items[i], true);
        if (n && !s->quiet) say("%d parameters %s... do not learn\n", n, s->frozen.items[i]);
        if (n) continue;
        struct text names = {0};
        for (int k = 0; k < ty_model_parameters(m) && names.length < 400; k++)
            text_add(&names, "%s%s", k ? ", " : "", ty_name(ty_model_parameter(m, k)));
        complain("--freeze %s: no parameter has a name that begins so; they are %s%s", s->frozen.items[i],
                 names.failed ? "?" : names.data, names.length < 400 ? "" : ", ...");
        text_drop(&names);
        return false;
    }
    return true;
}

/* Set the options of means of parameters for a training of `steps` steps. */
static void average(const struct session *r, int64_t steps, ty_trainer_options *o) {
    int64_t each = r->epochs ? steps / r->epochs : steps;
    o->average = r->s->ema;
    if (!r->s->swa) return;
    o->average = 1;
    o->average_every = each ? each : 1;
    o->average_from = r->s->swa * o->average_every;
}

/* Create the trainer with the settings; false after a message. */
static bool make_trainer(struct session *r) {
    const struct train_settings *s = r->s;
    ty_schedule_function schedule = s->schedule >= 0 ? ty_schedule_named(schedule_name(s->schedule)) : NULL;
    struct data *d = &r->data;
    ty_loss_options loss;
    ty_trainer_options o = {
        .inputs = d->images,
        .targets = d->labels,
        .batch = r->batch,
        .seed = s->seed,
        .accumulate = s->accumulate,
        .clip_global_norm = s->clip,
        .loss_options = &loss,
        .loss_bytes = sizeof loss,
        .optimiser = {.rule = ty_rules[s->optimiser], .rate = s->rate, .decay = s->decay}};
    if (!weigh(r, &loss) || !freeze(r)) return false;
    if (s->swa > r->epochs)
        return complain("--swa %lld: expected at most the number of epochs, %lld", (long long)s->swa,
                        (long long)r->epochs) == EXIT_SUCCESS;
    if (d->loaded.loaders[0]) {
        r->source = ty_loader_source(d->loaded.loaders[0], 2);
        if (d->loaded.loaders[1]) r->held_out = ty_loader_source(d->loaded.loaders[1], 2);
        o.source = &r->source;
    }
    r->by_class = d->classes > 0 && loss_compares_classes(s->loss);
    o.loss_with = loss_at(session_loss(r));
    int64_t n = o.source ? 0 : ty_shape(d->images)[0], batch = r->batch ? r->batch : n < 100 ? n : 100;
    int64_t steps = r->epochs * (o.source ? r->source.steps_per_epoch : batch ? n / batch : 1);
    ty_schedule plan = {.at = schedule ? schedule : ty_schedule_constant,
                        .steps = (double)(steps > 0 ? steps : 1),
                        .warmup = (double)s->warmup};
    if (schedule || s->warmup) o.schedule = &plan;
    average(r, steps, &o);
    r->trainer = ty_trainer_new(r->network.model, o);
    return true;
}

static const char *folder_class(const void *set, int64_t i) { return ty_dataset_class(set, (int)i); }

/* Keep the names of a folder's classes with the model, and take the names of all classes; false after a message. */
static bool name_classes(struct session *r) {
    const struct loaded *l = &r->data.loaded;
    ty_model *m = r->network.model;
    if (l->parts[0] && l->classes) {
        char *text = labels_text(l->classes, folder_class, l->all);
        bool kept = text && ty_model_set_note(m, TY_NOTE_CLASSES, text);
        ty_free(text);
        if (!kept) return complain("the names of classes could not be kept") == EXIT_SUCCESS;
    }
    return labels_of(&r->labels, r->data.table.preparation, m);
}

/* Keep the tokenizer with the model; false after a message. */
static bool keep_tokenizer(struct session *r) {
    const ty_tokenizer *t = r->data.loaded.tokenizer;
    if (!t) return true;
    if (r->s->classes && r->s->classes < ty_tokenizer_size(t))
        return complain("--classes %lld: the tokenizer has %lld tokens", (long long)r->s->classes,
                        (long long)ty_tokenizer_size(t)) == EXIT_SUCCESS;
    char *text = ty_tokenizer_to_json(t);
    bool kept = text && ty_model_set_note(r->network.model, TY_NOTE_TOKENIZER, text);
    ty_free(text);
    return kept || complain("the tokenizer could not be kept") == EXIT_SUCCESS;
}

bool session_open(struct session *r) {
    const struct train_settings *s = r->s;
    bool numbers = !s->task && loss_of_numbers(s->loss);
    struct data_options data = {.path = s->data,
                                .target = s->target,
                                .limit = s->limit,
                                .held_out = s->held_out,
                                .batch = s->batch,
                                .seed = s->seed,
                                .test = s->test,
                                .folds = s->folds,
                                .fold = r->fold,
                                .task = numbers ? TY_TASK_REGRESSION : (ty_task)s->task,
                                .augment = s->augment,
                                .skip_bad = s->skip_bad,
                                .tokenizer = s->tokenizer,
                                .vocabulary = s->vocabulary,
                                .reader = &s->reader};
    ty_model_options model = {.seed = s->seed, .lazy = !s->eager, .compute = s->half ? TY_BF16 : 0};
    const ty_network *known = r->network.known = ty_network_named(s->network);
    int rank = known ? known->rank : 0;
    if (known) data.shape = known->shape;
    /* A description has its own number of classes; known networks get the data's. */
    if (!known && !network_open(&r->network, s->network, 0, model)) return false;
    if (!known) ty_model_input(r->network.model, 0, NULL, NULL, &rank, &data.shape);
    if (rank != 3) data.shape = NULL;
    if (!data_open(&r->data, known, &data)) return false;
    if (s->classes && r->data.table.preparation && !r->data.classes && s->classes != 1)
        return complain("--classes %lld: the target of %s has numbers; --task classes makes them classes",
                        (long long)s->classes, s->data) == EXIT_SUCCESS;
    if (s->classes && r->data.table.preparation && r->data.classes && s->classes != r->data.classes)
        return complain("--classes %lld: the target of %s has %lld classes", (long long)s->classes, s->data,
                        (long long)r->data.classes) == EXIT_SUCCESS;
    if (known && !network_open(&r->network, s->network, classes_of(r), model)) return false;
    if (!session_fits(r) || !table_keep(&r->data.table, s->data, r->network.model) || !name_classes(r) ||
        !keep_tokenizer(r))
        return false;
    r->epochs = s->epochs;
    r->batch = s->batch;
    r->patience = s->patience;
    table_length(&r->data.table, &r->epochs, &r->batch, &r->patience);
    return make_trainer(r);
}
