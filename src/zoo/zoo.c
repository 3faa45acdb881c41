/* The table of networks, and parts shared by several. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "zoo/parts.h"
#include "base/options.h"
#include "io/json.h"
#include "nn/model/model.h"

const ty_network *const ty_networks[] = {
#define NETWORK(name) &ty_network_##name,
#include <tyto/tables/zoo.def>
    NULL};

const ty_network *ty_network_named(const char *name) {
    for (int i = 0; name && ty_networks[i]; i++)
        if (!strcmp(ty_networks[i]->name, name)) return ty_networks[i];
    return NULL;
}

/* ---- options ---- */

/* Members of the options that a file keeps. */
static const struct size {
    const char *name;
    size_t at;
    bool always; /* also if it is the network's own; others count for networks with `sized` alone */
} sizes[] = {{"classes", offsetof(ty_network_options, classes), true},
             {"blocks", offsetof(ty_network_options, blocks), false},
             {"heads", offsetof(ty_network_options, heads), false},
             {"units", offsetof(ty_network_options, units), false},
             {"places", offsetof(ty_network_options, places), false}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int64_t *size_at(const ty_network_options *o, const struct size *s) {
    return (int64_t *)((char *)o + s->at);
}

void zoo_sizes_read(const struct json *note, ty_network_options *o) {
    for (int i = 0; i < SIZES; i++) json_integer(json_get(note, sizes[i].name), size_at(o, &sizes[i]));
}

static const char *name_of(const ty_network_options *o) { return o->network->name ? o->network->name : ""; }

/* Check the sizes of options whose network is set; false sets the fault. */
static bool sizes_fit(const ty_network_options *o, struct fault *fault) {
    for (int i = 0; i < SIZES; i++) {
        int64_t size = *size_at(o, &sizes[i]);
        if (sizes[i].always) continue;
        if (size && !o->network->sized)
            return fault_set(fault, E_ARGUMENT, "network %s: it has no option %s", name_of(o), sizes[i].name);
        if (size < 0)
            return fault_set(fault, E_ARGUMENT, "network %s: %lld %s; expected 1 or more", name_of(o),
                             (long long)size, sizes[i].name);
    }
    return o->blocks <= MOST_BLOCKS ||
           fault_set(fault, E_LIMIT, "network %s: %lld blocks; expected at most %d", name_of(o),
                     (long long)o->blocks, MOST_BLOCKS);
}

/* Set the note that names the network; false without memory. */
static bool set_note(ty_model *m, const ty_network_options *o) {
    struct text t = {0};
    text_add(&t, "{\"network\": \"%.60s\"", name_of(o));
    for (int i = 0; i < SIZES; i++)
        if (sizes[i].always || *size_at(o, &sizes[i]))
            text_add(&t, ", \"%s\": %lld", sizes[i].name, (long long)*size_at(o, &sizes[i]));
    text_add(&t, "}");
    bool done = !t.failed && ty_model_set_note(m, TY_NOTE_NETWORK, t.data);
    text_drop(&t);
    return done;
}

ty_model *ty_network_model_sized(const ty_network *network, const ty_network_options *given,
                                 size_t given_size, const ty_model_options *given_model,
                                 size_t given_model_size) {
    OPTIONS_OR(ty_network_options, options, given, given_size, model_failed(&options_fault));
    OPTIONS_OR(ty_model_options, model, given_model, given_model_size, model_failed(&options_fault));
    if (!network) return ty_model_parse(NULL, 0, model); /* returns a failed model */
    struct fault fault;
    fault_clear(&fault);
    if (!OPTIONS_UNUSED(network, "network", &fault)) return model_failed(&fault);
    options.network = network;
    if (options.classes <= 0) options.classes = network->classes;
    if (!sizes_fit(&options, &fault)) return model_failed(&fault);
    model.results = network->results;
    model.context_bytes = sizeof options;
    ty_model *m = ty_model_new(network->forward, &options, model);
    if (!m->fault.set && !set_note(m, &options)) fault_memory(&m->fault, 64);
    return m;
}

ty_tensor *ty_network_input(const ty_network *network, int64_t n) {
    int64_t shape[5] = {n};
    if (!network) return ty_poison_code(TY_ERROR_ARGUMENT, "network: the network is NULL");
    memcpy(shape + 1, network->shape, sizeof network->shape);
    return ty_lazy(ty_broadcast(ty_scalar(network->dtype, 0), network->rank + 1, shape));
}

/* ---- parts ---- */

ty_conv_layer zoo_window(int64_t size, int64_t channels, int64_t stride) {
    const int64_t half = size / 2;
    return (ty_conv_layer){.size = {size, size},
                           .channels = channels,
                           .stride = {stride, stride},
                           .low = {half, half},
                           .high = {half, half}};
}

ty_tensor *zoo_conv_norm(ty_layer *at, const char *conv, const char *norm, ty_tensor *x,
                         ty_conv_layer options, ty_activation activation) {
    options.no_bias = true;
    if (!options.weight.draw) options.weight = (ty_init){ty_init_he_normal, 0, 0};
    ty_tensor *y =
        ty_layer_batch_norm(at, norm, ty_layer_conv2d(at, conv, x, options), (ty_batch_norm_layer){0});
    return activation ? activation(y) : y;
}

ty_layer *zoo_numbered(ty_layer *at, int number) {
    char name[16];
    snprintf(name, sizeof name, "%d", number);
    return ty_layer_in(at, name);
}

ty_tensor *zoo_flatten(ty_tensor *x) {
    if (ty_rank(x) == 4) x = ty_permute(x, (const int[]){0, 3, 1, 2});
    int64_t shape[2] = {ty_rank(x) ? ty_shape(x)[0] : 0, 1};
    for (int i = 1; i < ty_rank(x); i++) shape[1] *= ty_shape(x)[i];
    return ty_reshape(x, 2, shape);
}
