/* Models, layers, trainers and their options. Options of layers come from the tables of their kinds, so
   that a new kind needs no change here. */
#include <string.h>
#include "tests/support/calls/take.h"

/* ---- options of layers ---- */

static ty_init take_init(struct calls *c) {
    ty_init init = {NULL, take_real_option(c, 0), take_real_option(c, 1)};
    if (calls_choose(c, 4) == 3) init.draw = ty_init_uniform;
    return init;
}

/* Return a valid value of an option whose default 0 is invalid. */
static int64_t usual(const char *option) {
    static const struct {
        const char *option;
        int64_t value;
    } rows[] = {{"size", 2}, {"units", 2},  {"channels", 1}, {"heads", 1},
                {"rows", 4}, {"groups", 1}, {"axis", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(option, rows[i].option)) return rows[i].value;
    return 0;
}

static ty_tensor *twice(ty_tensor *x, void *context) {
    (void)context;
    return ty_add(x, x);
}

static ty_tensor *first_of(int n, ty_tensor *const *x, void *context) {
    (void)context;
    return n ? ty_add(x[0], x[n - 1]) : ty_num(0);
}

static ty_tensor *inside(ty_layer *self, ty_tensor *x, void *context) {
    (void)context;
    return ty_layer_scale(self, NULL, x, (ty_scale_layer){.factor = 2});
}

static void fill_option(struct calls *c, const ty_option *o, int i, void *at) {
    switch (o->type) {
    case TY_OPTION_INT:
        ((int64_t *)at)[i] = take_option(c, usual(o->name));
        break;
    case TY_OPTION_REAL:
        ((double *)at)[i] = take_real_option(c, 0);
        break;
    case TY_OPTION_FLAG:
        ((bool *)at)[i] = calls_choose(c, 8) == 7;
        break;
    case TY_OPTION_ACTIVATION:
        ((ty_activation *)at)[i] = calls_choose(c, 2) ? ty_relu : NULL;
        break;
    case TY_OPTION_INIT:
        ((ty_init *)at)[i] = take_init(c);
        break;
    case TY_OPTION_POINTER:
        break;
    }
}

static void fill_options(struct calls *c, const ty_layer_kind *kind, void *options) {
    for (const ty_option *o = kind->options; o && o->name; o++)
        for (int i = 0; i < (o->count ? o->count : 1); i++) fill_option(c, o, i, (char *)options + o->offset);
    if (kind == &ty_kind_lambda && calls_choose(c, 8) < 7) ((ty_lambda_layer *)options)->function = twice;
    if (kind == &ty_kind_lambda_array && calls_choose(c, 8) < 7)
        ((ty_lambda_array_layer *)options)->function = first_of;
    if (kind == &ty_kind_residual && calls_choose(c, 8) < 7)
        ((ty_residual_layer *)options)->function = inside;
}

#define LAYER(kind)                                                                                          \
    TAKE(ty_##kind##_layer, ty_##kind##_layer) {                                                             \
        ty_##kind##_layer o;                                                                                 \
        (void)name;                                                                                          \
        memset(&o, 0, sizeof o);                                                                             \
        fill_options(c, &ty_kind_##kind, &o);                                                                \
        return o;                                                                                            \
    }
#define LAYERS(kind) LAYER(kind)
#include <tyto/tables/layers.def>

static const ty_layer_kind *choose_kind(struct calls *c) {
    int n = 0;
    while (ty_layer_kinds[n]) n++;
    int i = calls_choose(c, n + 1);
    return i == n ? NULL : ty_layer_kinds[i];
}

TAKE(c_ty_layer_kind_p, const ty_layer_kind *) {
    (void)name;
    return c->kind = choose_kind(c);
}

/* Small networks, since calls make their parameters. */
TAKE(c_ty_network_p, const ty_network *) {
    static const ty_network *const rows[] = {&ty_network_mlp, &ty_network_vae, &ty_network_gru_classifier};
    (void)name;
    return calls_choose(c, 8) == 7 ? NULL : rows[calls_choose(c, 3)];
}
TAKE(ty_network_options, ty_network_options) {
    (void)name;
    ty_network_options o = {.classes = take_option(c, 0)};
    if (calls_choose(c, 8) == 7) o.heads = take_option(c, 0), o.blocks = take_option(c, 0);
    return o;
}

/* Choose options for the kind of layer chosen before. */
TAKE(layer_options, const void *) {
    const ty_layer_kind *kind = c->kind;
    void *options = calls_room(c, kind ? kind->bytes : 1);
    (void)name;
    if (kind) fill_options(c, kind, options);
    return options;
}

/* The bytes of those options, which are of kind->bytes, or more or fewer. */
TAKE(layer_bytes, size_t) {
    const ty_layer_kind *kind = c->kind;
    (void)name;
    return !kind ? 1 : calls_choose(c, 16) == 15 ? calls_choose(c, 2) * kind->bytes / 2 : kind->bytes;
}

TAKE(c_ty_layer_value_p, const ty_layer_value *) {
    size_t n = calls_elements(c);
    ty_layer_value *steps = calls_room(c, n * sizeof *steps);
    for (size_t i = 0; i < n; i++) {
        steps[i].kind = c->kind = choose_kind(c);
        steps[i].options = calls_choose(c, 16) == 15 ? NULL : take_layer_options(c, name);
        steps[i].size = take_layer_bytes(c, name);
        if (calls_choose(c, 4) == 3) steps[i].name = take_c_char_p(c, name);
    }
    return steps;
}

/* Return room for the results of any layer kind and model in these menus. */
TAKE(layer_results, ty_tensor **) {
    enum { MOST_RESULTS = 8 };
    (void)name;
    ty_tensor **results = calls_room(c, MOST_RESULTS * sizeof *results);
    calls_fills(c, results, MOST_RESULTS);
    return results;
}

/* ---- operands of layers besides x ---- */

/* Return NULL in most cases, otherwise a tensor. */
static ty_tensor *take_further(struct calls *c, const char *name) {
    return calls_choose(c, 4) == 3 ? calls_tensor(c, name) : NULL;
}

TAKE(ty_recurrence_p, ty_recurrence *) {
    ty_recurrence *r = calls_room(c, sizeof *r);
    (void)name;
    r->h = take_further(c, "h"), r->c = take_further(c, "c"), r->lengths = take_further(c, "index");
    return r;
}

TAKE(ty_heads_p, ty_heads *) {
    ty_heads *h = calls_room(c, sizeof *h);
    (void)name;
    h->keys = take_further(c, "keys"), h->values = take_further(c, "values");
    h->mask = take_further(c, "mask"), h->lengths = take_further(c, "index");
    h->cached_keys = take_further(c, "keys"), h->cached_values = take_further(c, "values");
    h->position = take_further(c, "index");
    return h;
}

TAKE(ty_attention_options, ty_attention_options) {
    ty_attention_options o = {.causal = calls_choose(c, 2), .window = take_option(c, 0)};
    (void)name;
    o.mask = take_further(c, "mask"), o.lengths = take_further(c, "index");
    o.offset = take_further(c, "index"), o.slopes = take_further(c, "slopes");
    o.key = take_further(c, "key");
    o.scale = take_real_option(c, 0), o.dropout = take_real_option(c, 0), o.block = take_option(c, 0);
    return o;
}

/* ---- models ---- */

TAKE(ty_model_options, ty_model_options) {
    ty_model_options o = {.seed = take_uint64_t(c, name), .lazy = calls_choose(c, 2)};
    if (calls_choose(c, 2)) o.dtype = take_ty_dtype(c, name);
    if (calls_choose(c, 4) == 3) o.compute = take_ty_dtype(c, name);
    o.inputs = (int)take_option(c, 0), o.results = (int)take_option(c, 0);
    return o;
}

/* A model of one linear layer for three inputs; some without parameters. */
TAKE(owned_ty_model_p, ty_model *) {
    static const char well[] = "{\"inputs\":{\"x\":[3]},\"layers\":[{\"layer\":\"linear\",\"units\":2}]}",
                      cycle[] = "{\"inputs\":{\"x\":[3]},\"layers\":[{\"layer\":\"linear\",\"name\":\"a\","
                                "\"units\":2,\"inputs\":[\"a\"]}]}";
    const ty_layer_value step = TY_LAYER(linear, .units = 2), none = {0};
    ty_model_options options = {.lazy = calls_choose(c, 2)};
    ty_tensor *x = ty_ones(TY_F32, 2, (int64_t[]){2, 3});
    (void)name;
    int refusal = calls_refusal(c, 8), way = calls_choose(c, 8);
    if (refusal == 1 || refusal == 2) options.dtype = TY_I32;
    if (refusal == 3) options.compute = (ty_dtype)99;
    if (refusal == 4) options.inputs = 2;
    if (refusal == 2 || refusal == 3 || way == 7) return ty_model_parse(well, sizeof well - 1, options);
    if (refusal == 5) return ty_model_parse(well, 9, options);
    if (refusal == 6) return ty_model_parse(cycle, sizeof cycle - 1, options);
    if (refusal == 7) return ty_model_sequence(1, &none, options);
    if (refusal == 8) return ty_model_read("/nonexistent/a.json", options);
    ty_model *model = way == 6 ? ty_model_new(NULL, NULL, options) : ty_model_sequence(1, &step, options);
    if (way < 5) ty_model_build(model, 1, &x, NULL);
    return model;
}
HANDLE(ty_model_p, ty_model, ty_model_free)

/* A layer of an empty model, in training or not. */
TAKE(ty_layer_p, ty_layer *) {
    ty_model *model = calls_own(c, ty_model_new(NULL, NULL, (ty_model_options){.lazy = calls_choose(c, 2)}),
                                end_ty_model_p);
    (void)name;
    int way = calls_choose(c, 8);
    ty_model_begin(model, way % 2 ? ty_key(1) : NULL);
    ty_layer *root = ty_model_root(model);
    return way < 4 ? root : ty_layer_in(root, way < 7 ? "b" : "a bad.name");
}

static void forward(ty_layer *self, const void *options, int n, ty_tensor *const *x, ty_tensor **y) {
    (void)options;
    y[0] = n ? ty_layer_linear(self, NULL, x[0], (ty_linear_layer){.units = 2}) : ty_num(1);
}
TAKE(callback_ty_forward, ty_forward) {
    (void)c, (void)name;
    return forward;
}

TAKE(ty_weights_options, ty_weights_options) {
    int n = (int[]){0, 0, 1, -1}[calls_choose(c, 4)], flags = calls_choose(c, 8);
    ty_weights_options o = {.layout = (ty_layout)(calls_choose(c, 2) ? take_enumerator(c, 3) : 0)};
    ty_renaming *rename = calls_room(c, sizeof *rename);
    if (calls_choose(c, 4) < 3) rename->model = take_c_char_p(c, name);
    if (calls_choose(c, 4) < 3) rename->file = take_c_char_p(c, name);
    o.rename = calls_choose(c, 8) < 7 ? rename : NULL, o.nrename = n;
    o.skip_missing = flags & 1, o.skip_extra = flags & 2, o.cast = flags & 4;
    return o;
}

TAKE(ty_note, ty_note) {
    (void)name;
    return (ty_note)take_enumerator(c, TY_NOTES);
}

TAKE(ty_parameter, ty_parameter) {
    ty_parameter p = {.rank = take_rank_int(c, name)};
    p.shape = calls_choose(c, 16) == 15 ? NULL : take_c_int64_t_p(c, name);
    p.init = take_init(c);
    p.fan_in = take_real_option(c, 4), p.fan_out = take_real_option(c, 4);
    if (calls_choose(c, 4) == 3) p.dtype = take_ty_dtype(c, name);
    return p;
}

TAKE(ty_update_p, ty_update *) {
    (void)name;
    return calls_room(c, calls_elements(c) * sizeof(ty_update));
}

/* ---- training ---- */

TAKE(ty_optimiser_p, ty_optimiser *) {
    ty_optimiser *o = calls_room(c, sizeof *o);
    int n = 0;
    (void)name;
    while (ty_rules[n]) n++;
    *o = (ty_optimiser){.rule = ty_rules[calls_choose(c, n + 1)], .rate = take_real_option(c, 0)};
    o->momentum = take_real_option(c, 0), o->beta2 = take_real_option(c, 0);
    o->epsilon = take_real_option(c, 0), o->decay = take_real_option(c, 0);
    o->decoupled = calls_choose(c, 2), o->nesterov = calls_choose(c, 2);
    return o;
}

TAKE(c_ty_optimiser_p, const ty_optimiser *) { return take_ty_optimiser_p(c, name); }

TAKE(ty_loss_options, ty_loss_options) {
    ty_loss_options o = {.reduction = (ty_reduction)take_enumerator(c, TY_REDUCTIONS),
                         .axis = (int)take_option(c, -1),
                         .ignores = calls_choose(c, 2),
                         .ignored = take_int64_t(c, name),
                         .smoothing = take_real_option(c, 0.1),
                         .margin = take_real_option(c, 1),
                         .delta = take_real_option(c, 1),
                         .power = take_real_option(c, 2),
                         .alpha = take_real_option(c, 0.25),
                         .epsilon = take_real_option(c, 1e-6),
                         .logs = calls_choose(c, 2),
                         .rates = calls_choose(c, 2),
                         .full = calls_choose(c, 2),
                         .swap = calls_choose(c, 2),
                         .blank = take_option(c, 0),
                         .zero_infinity = calls_choose(c, 2)};
    if (calls_choose(c, 4) == 3) o.weight = take_ty_tensor_p(c, name);
    if (calls_choose(c, 4) == 3) o.positive = take_ty_tensor_p(c, name);
    return o;
}

TAKE(c_ty_schedule_p, const ty_schedule *) {
    static const double places[] = {1, 2};
    ty_schedule *s = calls_room(c, sizeof *s);
    (void)name;
    *s = (ty_schedule){.rate = take_real_option(c, 0.1),
                       .end = take_real_option(c, 0),
                       .steps = take_real_option(c, 3) + 1,
                       .factor = take_real_option(c, 2),
                       .power = take_real_option(c, 2),
                       .share = take_real_option(c, 0.3),
                       .width = take_real_option(c, 4) + 1,
                       .warmup = take_real_option(c, 2),
                       .n = 2,
                       .steps_at = places,
                       .rates = places};
    if (calls_choose(c, 2)) s->at = ty_schedule_cosine;
    return s;
}

TAKE(ty_plateau_p, ty_plateau *) {
    ty_plateau *p = calls_room(c, sizeof *p);
    (void)name;
    *p = (ty_plateau){
        .rate = take_real_option(c, 1), .factor = take_real_option(c, 0.5), .patience = take_option(c, 1)};
    return p;
}

static ty_tensor *objective(ty_model *model, ty_tensor *key, int n, ty_tensor *const *batch, void *context) {
    (void)context;
    return n ? ty_mean(ty_model_forward(model, batch[0], key), TY_ALL) : NULL;
}

static bool give_batch(void *context, int64_t step, ty_tensor **parts) {
    (void)context;
    parts[0] = ty_ones(TY_F32, 2, (int64_t[]){2, 3});
    return step < 3;
}

static void take_groups(struct calls *c, ty_trainer_options *o) {
    o->ngroups = (int[]){0, 1, 2, -1}[calls_choose(c, 4)];
    ty_group *groups = calls_room(c, 2 * sizeof *groups);
    for (int i = 0; i < 2; i++) {
        groups[i].prefix = calls_choose(c, 4) == 3 ? NULL : take_c_char_p(c, "prefix");
        groups[i].rate = take_real_option(c, 0), groups[i].decay = take_real_option(c, 0);
    }
    o->groups = calls_choose(c, 8) < 7 ? groups : NULL;
}

TAKE(c_ty_batch_source_p, const ty_batch_source *) {
    ty_batch_source *source = calls_room(c, sizeof *source);
    (void)name;
    source->n = (int)take_option(c, 1);
    source->steps_per_epoch = (int64_t[]){2, 1, 0, -1}[calls_choose(c, 4)];
    if (calls_choose(c, 8) < 7) source->batch = give_batch;
    return source;
}

TAKE(ty_fit_options, ty_fit_options) {
    static ty_tensor *parts[2];
    ty_fit_options o = {.epochs = (int64_t[]){2, 1, 0, -1}[calls_choose(c, 4)],
                        .nvalidation = (int[]){0, 0, 2, -1}[calls_choose(c, 4)],
                        .accuracy = calls_choose(c, 2),
                        .restore = calls_choose(c, 2),
                        .patience = take_option(c, 0),
                        .least_change = take_real_option(c, 0)};
    parts[0] = calls_tensor(c, "inputs"), parts[1] = calls_tensor(c, "labels");
    if (calls_choose(c, 8) < 7) o.validation = parts;
    if (calls_choose(c, 8) == 7) o.validation_source = take_c_ty_batch_source_p(c, name);
    if (calls_choose(c, 8) == 7) o.best = c->path, o.checkpoint = c->path;
    return o;
}

TAKE(ty_trainer_options, ty_trainer_options) {
    ty_trainer_options o = {.inputs = calls_tensor(c, "inputs"),
                            .targets = calls_tensor(c, "labels"),
                            .batch = take_option(c, 2),
                            .seed = take_uint64_t(c, name)};
    if (calls_choose(c, 2)) o.optimiser = *take_c_ty_optimiser_p(c, name);
    if (calls_choose(c, 4) == 3) o.loss = ty_mse;
    if (calls_choose(c, 4) == 3) o.objective = objective;
    if (calls_choose(c, 8) == 7) o.source = take_c_ty_batch_source_p(c, name);
    if (calls_choose(c, 4) == 3) take_groups(c, &o);
    o.order = (ty_order)(calls_choose(c, 2) ? take_enumerator(c, 3) : 0);
    o.accumulate = take_option(c, 0), o.loss_scale = take_real_option(c, 0);
    if (calls_choose(c, 4) == 3) o.schedule = take_c_ty_schedule_p(c, name);
    o.clip_value = take_real_option(c, 0), o.clip_norm = take_real_option(c, 0);
    o.clip_global_norm = take_real_option(c, 0);
    o.l1 = take_real_option(c, 0), o.l2 = take_real_option(c, 0);
    o.average = take_real_option(c, 0);
    o.average_from = take_option(c, 0), o.average_every = take_option(c, 0);
    if (calls_choose(c, 8) == 7) {
        ty_loss_options *loss = calls_room(c, sizeof *loss);
        *loss = take_ty_loss_options(c, name);
        o.loss_with = ty_loss_cross_entropy_sized, o.loss_options = loss, o.loss_bytes = sizeof *loss;
    }
    return o;
}

TAKE(ty_rate_options, ty_rate_options) {
    (void)name;
    return (ty_rate_options){.low = take_real_option(c, 0.001),
                             .high = take_real_option(c, 1),
                             .steps = (int64_t[]){4, 0, 1, -1}[calls_choose(c, 4)]};
}

TAKE(owned_ty_trainer_p, ty_trainer *) {
    ty_model *model = take_ty_model_p(c, name);
    ty_trainer_options options = {.inputs = ty_ones(TY_F32, 2, (int64_t[]){4, 3}),
                                  .targets = ty_zeros(TY_I64, 1, (int64_t[]){4}),
                                  .batch = 2,
                                  .average = calls_choose(c, 4) == 3 ? 0.9 : 0};
    const ty_group group = {.prefix = "a", .rate = -1};
    const ty_schedule schedule = {.n = 2};
    int way = calls_refusal(c, 7);
    if (way == 2) options.ngroups = -1;
    if (way == 3) options.ngroups = 1, options.groups = &group;
    if (way == 4) options.schedule = &schedule;
    if (way == 5) options.accumulate = -1;
    if (way == 6) options.targets = ty_zeros(TY_I64, 1, (int64_t[]){5});
    if (way == 7) options.batch = -7;
    return ty_trainer_new(way == 1 ? NULL : model, options);
}
HANDLE(ty_trainer_p, ty_trainer, ty_trainer_free)

TAKE(c_ty_moment_p, const ty_moment *) {
    ty_moment *room = calls_room(c, sizeof *room);
    ty_moment now = {take_int64_t(c, name), take_int64_t(c, name), take_double(c, name),
                     take_double(c, name),  take_double(c, name),  take_double(c, name)};
    *room = now;
    return room;
}

TAKE(ty_progress_p, ty_progress *) {
    ty_progress *progress = calls_room(c, sizeof *progress);
    progress->file = take_FILE_p(c, name);
    return progress;
}
TAKE(progress, void *) { return take_ty_progress_p(c, name); }

static bool stop(void *context, const ty_moment *now) {
    (void)context, (void)now;
    return false;
}
TAKE(callback_each, calls_each) {
    (void)c, (void)name;
    return stop;
}

TAKE(ty_minimise_options, ty_minimise_options) {
    (void)name;
    return (ty_minimise_options){.method = (ty_minimiser)take_enumerator(c, TY_MINIMISERS),
                                 .iterations = 3,
                                 .gradient = take_real_option(c, 1e-3),
                                 .change = take_real_option(c, 0),
                                 .memory = (int)take_option(c, 3),
                                 .armijo = take_real_option(c, 0.1),
                                 .curvature = take_real_option(c, 0.5)};
}
TAKE(ty_minimum_p, ty_minimum *) {
    (void)name;
    return calls_room(c, sizeof(ty_minimum));
}

TAKE(ty_metric, ty_metric) {
    (void)name;
    return (ty_metric)take_enumerator(c, TY_METRICS);
}
TAKE(ty_metric_options, ty_metric_options) {
    return (ty_metric_options){.classes = take_option(c, 4),
                               .k = take_option(c, 2),
                               .beta = take_real_option(c, 2),
                               .bins = take_option(c, 8),
                               .average = (ty_class_average)take_enumerator(c, TY_AVERAGES),
                               .ignores = calls_choose(c, 2),
                               .ignored = take_int64_t(c, name)};
}
