/* Models from files of weights that name their network. */
#include <math.h>
#include <string.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "io/archive.h"
#include "io/json.h"
#include "nn/description.h"
#include "nn/model/notes.h"
#include "zoo/gpt_weights.h"

enum { MOST_BYTES = 1 << 30, DEPTH = 64 }; /* limits for the tree of a description */

/* Make the parameters of a model of the zoo for the examples that the file names; false sets the fault. */
static bool build(ty_model *m, const char *path, const char *input, struct fault *fault) {
    int64_t shape[TY_MAX_RANK] = {1};
    ty_dtype dtype;
    int rank;
    ty_tensor *error = NULL;
    if (!notes_parse_input(input, &dtype, &rank, shape + 1))
        return fault_set(fault, E_FORMAT, "%s: the input is \"%.100s\"; expected a dtype and sizes", path,
                         input ? input : "");
    ty_tensor *x = ty_lazy(ty_broadcast(ty_scalar(dtype, 0), rank + 1, shape));
    return ty_model_build(m, 1, &x, &error) || fault_set(fault, error ? ty_error_code(error) : E_INTERNAL,
                                                         "%s: %s", path, error ? ty_error(error) : "");
}

/* Return the number of elements of all arrays of a file, a limit for the variables of the model that it names; 0, no
   limit, if one cannot be described: loading compares the sizes. */
static double elements_of(const ty_archive *archive) {
    double all = 0;
    for (int i = 0; i < ty_archive_count(archive); i++) {
        const int64_t *shape;
        ty_dtype dtype;
        int rank;
        double n = 1;
        if (!ty_archive_form(archive, i, &dtype, &rank, &shape)) return 0;
        for (int axis = 0; axis < rank; axis++) n *= (double)shape[axis];
        all += n;
    }
    return fmax(all, 1);
}

/* Return the model of published weights, with parameters; NULL sets the fault. */
static ty_model *make_published(const char *path, const ty_archive *archive, ty_model_options options,
                                struct fault *fault) {
    ty_network_options own;
    if (!gpt_weights_sizes(path, archive, &own, fault)) return NULL;
    ty_model *m = ty_network_model(own.network, own, options);
    if (!m->fault.set) m->most_elements = elements_of(archive);
    char input[64];
    text_print(input, sizeof input, "i32 %lld", (long long)own.places);
    if (m->fault.set)
        fault_set(fault, m->fault.code, "%s: %s", path, m->fault.text);
    else
        build(m, path, input, fault);
    return m;
}

/* Return the model that the note of the network describes, with parameters; NULL sets the fault. */
static ty_model *make_noted(const char *path, const ty_archive *archive, ty_model_options options,
                            struct fault *fault) {
    const char *text = notes_in(archive, TY_NOTE_NETWORK);
    if (!text) {
        fault_set(fault, E_ARGUMENT, "%s: the file does not say which network its weights belong to", path);
        return NULL;
    }
    struct json *root = json_read(path, "the network", text, strlen(text), DEPTH, MOST_BYTES, fault);
    if (!root) return NULL;
    const char *name = json_text(json_get(root, "network"));
    const ty_network *network = ty_network_named(name);
    ty_network_options own = {0};
    zoo_sizes_read(root, &own);
    ty_model *m = NULL;
    if (name && !network)
        fault_set(fault, E_ARGUMENT, "%s: unknown network %.100s", path, name);
    else
        m = name ? ty_network_model(network, own, options)
                 : description_model(text, strlen(text), elements_of(archive), options);
    mem_free(root);
    if (m && m->fault.set)
        fault_set(fault, m->fault.code, "%s: %s", path, m->fault.text);
    else if (m && name)
        m->most_elements = elements_of(archive);
    if (m && name && !fault->set) build(m, path, notes_in(archive, TY_NOTE_INPUT), fault);
    return m;
}

/* Return the model of the file with its weights; the fault is set on failure, when it may be NULL. */
static ty_model *open_model(const char *path, const ty_archive *archive, ty_model_options options,
                            struct fault *fault) {
    bool published = !notes_in(archive, TY_NOTE_NETWORK) && gpt_weights_are(archive);
    ty_model *m =
        published ? make_published(path, archive, options, fault) : make_noted(path, archive, options, fault);
    ty_tensor *error = NULL;
    if (!m || fault->set) return m;
    if (published)
        gpt_weights_load(m, path, archive, fault);
    else if (!ty_model_load(m, path, (ty_weights_options){.cast = true}, &error))
        fault_set(fault, error ? ty_error_code(error) : E_INTERNAL, "%s", error ? ty_error(error) : path);
    return m;
}

ty_model *ty_network_open_sized(const char *path, const ty_model_options *given, size_t given_size) {
    OPTIONS_OR(ty_model_options, options, given, given_size, model_failed(&options_fault));
    FLOATING_DEFAULT;
    struct fault fault = {0};
    if (!path) {
        fault_set(&fault, E_ARGUMENT, "network_open: the path is NULL");
        return model_failed(&fault);
    }
    ty_scope *scope = ty_open();
    ty_archive *archive = ty_archive_open(path, (ty_file_options){0});
    ty_model *m = NULL;
    if (archive && archive->format && !archive->format->several)
        fault_set(&fault, E_FORMAT,
                  "%.300s: is a file of the format %s; weights are in files of safetensors or npz", path,
                  archive->format->name);
    else if (!*ty_archive_error(archive))
        m = open_model(path, archive, options, &fault);
    else
        fault_copy(&fault, &archive->fault);
    ty_archive_free(archive);
    ty_close(scope);
    if (!fault.set) {
        m->most_elements = 0; /* layers may be added */
        return m;
    }
    ty_model_free(m);
    return model_failed(&fault);
}
