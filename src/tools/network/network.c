/* Networks by name or from a file. */
#include "tools/network/network.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tyto/arithmetic.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include "base/alloc.h"
#include "io/archive.h"
#include "io/json.h"
#include "nn/model/notes.h"
#include "tools/options/inputs.h"
#include "tools/options/message.h"
#include "zoo/gpt_weights.h"

const char network_names[] =
#define NETWORK(name) #name " "
#include <tyto/tables/zoo.def>
    "or a description, FILE.json";

static bool is_file(const char *name) {
    size_t n = strlen(name);
    return n > 5 && !strcmp(name + n - 5, ".json");
}

enum { KNOWN = 64 };
/* Write the name of the network that an archive has weights of to known[KNOWN]; false if it does not say. */
static bool network_of(const ty_archive *archive, char *known) {
    struct fault fault = {0};
    const char *text = *ty_archive_error(archive) ? NULL : notes_in(archive, TY_NOTE_NETWORK);
    struct json *root = text ? json_read("", "the network", text, strlen(text), 64, 1 << 30, &fault) : NULL;
    const char *name = json_text(json_get(root, "network"));
    if (name) text_print(known, KNOWN, "%s", name);
    mem_free(root);
    return name;
}

/* Print that a network should stand where `path`, an existing file or folder, does; always return false. */
static bool refuse_file(const char *path) {
    bool folder = inputs_is_folder(path);
    char known[KNOWN];
    ty_archive *archive = folder ? NULL : ty_archive_open(path, (ty_file_options){0});
    if (archive && archive->fault.set && !archive->format)
        COMPLAIN_FAILURE(ty_archive_failure(archive)); /* of another program, and how to convert it */
    else
        complain("%s: is a %s%s%s; before it, expected a network: %s", path, folder ? "folder" : "file",
                 archive && network_of(archive, known) ? " with weights of the network " : "",
                 archive && network_of(archive, known) ? known : "", network_names);
    ty_archive_free(archive);
    return false;
}

bool network_check(const char *name) {
    struct nearest near = {.wanted = name};
    if (is_file(name) || ty_network_named(name)) return true;
    if (*name && !access(name, F_OK)) return refuse_file(name);
    for (int i = 0; ty_networks[i]; i++) nearest_offer(&near, ty_networks[i]->name);
    if (*name)
        complain("unknown network %s%s; expected one of %s", name,
                 nearest_hint(&near, (char[NEAREST_HINT]){0}), network_names);
    else
        complain("the network is missing: %s", network_names);
    return false;
}

bool network_open(struct network *n, const char *name, int64_t classes, ty_model_options options) {
    n->known = is_file(name) ? NULL : ty_network_named(name);
    n->classes = n->known ? (classes ? classes : n->known->classes) : 0;
    n->model = n->known ? ty_network_model(n->known, (ty_network_options){.classes = classes}, options)
                        : ty_model_read(name, options);
    if (!*ty_model_error(n->model)) return true;
    COMPLAIN_FAILURE(ty_model_failure(n->model));
    return false;
}

/* Set n->known to the network of the zoo that the model's note names, if any; false without memory. */
static bool find_known(struct network *n, const char *weights) {
    struct fault fault = {0};
    const char *text = ty_model_note(n->model, TY_NOTE_NETWORK);
    struct json *root =
        text ? json_read(weights, "the network", text, strlen(text), 64, 1 << 30, &fault) : NULL;
    n->known = ty_network_named(json_text(json_get(root, "network")));
    if (n->known && !json_integer(json_get(root, "classes"), &n->classes)) n->classes = n->known->classes;
    mem_free(root);
    return root || complain_fault(&fault) == EXIT_SUCCESS;
}

/* Return true if a file can be read, and does not name the network of its weights. */
static bool is_unnamed(const char *weights) {
    ty_archive *archive = ty_archive_open(weights, (ty_file_options){0});
    bool unnamed = !*ty_archive_error(archive) && !notes_in(archive, TY_NOTE_NETWORK);
    ty_archive_free(archive);
    return unnamed;
}

bool network_from(struct network *n, const char *weights, const char *advice) {
    n->model = ty_network_open(weights, (ty_model_options){.lazy = true});
    if (*ty_model_error(n->model) && advice && is_unnamed(weights))
        return complain_code(TY_ERROR_ARGUMENT, "%s; %s", ty_model_error(n->model), advice) == EXIT_SUCCESS;
    if (*ty_model_error(n->model)) return COMPLAIN_FAILURE(ty_model_failure(n->model)) == EXIT_SUCCESS;
    n->opened = notes_parse_input(ty_model_note(n->model, TY_NOTE_INPUT), &n->dtype, &n->rank, n->shape);
    return find_known(n, weights);
}

void network_close(struct network *n) { ty_model_free(n->model); }

/* Set *dtype, *rank and *shape, without the batch axis, of input i, from 0; return false if there is no
   such input. The shape is borrowed. */
static bool form(const struct network *n, int i, ty_dtype *dtype, int *rank, const int64_t **shape) {
    if (!n->known) return ty_model_input(n->model, i, NULL, dtype, rank, shape);
    *dtype = n->opened ? n->dtype : n->known->dtype;
    *rank = n->opened ? n->rank : n->known->rank;
    *shape = n->opened ? n->shape : n->known->shape;
    return i == 0;
}

/* Return a random batch [batch, shape...] of examples: normal numbers for floating dtypes, else tokens,
   bytes or bits in the range that the network takes. */
static ty_tensor *example(const struct network *n, ty_dtype dtype, int rank, const int64_t *shape,
                          int64_t batch) {
    int64_t whole[TY_MAX_RANK] = {batch};
    memcpy(whole + 1, shape, (size_t)rank * sizeof *shape);
    if (dtype >= TY_F16) return ty_cast(ty_normal(TY_F32, rank + 1, whole, ty_key(1)), dtype);
    int64_t below = n->known && n->known->tokens ? n->classes : n->known ? 256 : 2;
    return ty_cast(ty_mul(ty_uniform(TY_F32, rank + 1, whole, ty_key(1)), ty_num((double)below)), dtype);
}

int network_examples(const struct network *n, int64_t batch, int room, ty_tensor **x) {
    ty_dtype dtype;
    int rank, i = 0;
    const int64_t *shape;
    for (; i < room && form(n, i, &dtype, &rank, &shape); i++) {
        x[i] = ty_eval(example(n, dtype, rank, shape, batch));
        if (ty_ok(x[i])) continue;
        complain_of(x[i]);
        return 0;
    }
    return i;
}

bool network_build(struct network *n, int64_t batch) {
    ty_tensor *x[TY_MAX_RANK], *error = NULL;
    ty_scope *scope = ty_open();
    ty_dtype dtype;
    int rank, count = 0;
    const int64_t *shape;
    for (; count < TY_MAX_RANK && form(n, count, &dtype, &rank, &shape); count++) {
        int64_t whole[TY_MAX_RANK] = {batch};
        memcpy(whole + 1, shape, (size_t)rank * sizeof *shape);
        x[count] = ty_lazy(ty_broadcast(ty_scalar(dtype, 0), rank + 1, whole));
    }
    bool done = ty_model_build(n->model, count, x, &error);
    if (!done) complain_of(error);
    ty_close(scope);
    return done;
}

bool network_form(const struct network *n, struct form *f) {
    f->any_size = n->known && n->known->any_size;
    return form(n, 0, &f->dtype, &f->rank, &f->shape);
}

bool network_fits(const struct form *f, const ty_tensor *x, int from) {
    int any = f->any_size ? 2 : 0;
    return ty_rank(x) == f->rank + from &&
           !memcmp(ty_shape(x) + from + any, f->shape + any, (size_t)(f->rank - any) * sizeof *f->shape);
}

const char *network_form_words(char *out, int rank, const int64_t *shape) {
    if (rank == 1) {
        snprintf(out, FORM_WORDS, "%lld column%s", (long long)shape[0], plural(shape[0]));
        return out;
    }
    size_t used = (size_t)snprintf(out, FORM_WORDS, "(");
    for (int i = 0; i < rank && used < FORM_WORDS - 24; i++)
        used += (size_t)snprintf(out + used, FORM_WORDS - used, "%s%lld", i ? "," : "", (long long)shape[i]);
    snprintf(out + used, FORM_WORDS - used, ")");
    return out;
}

/* Append the command that writes a copy of the file with zeros in the place of the missing values of its array number i;
   n names of arrays (0: it has one, without a name; NULL: there is none). */
static void add_repair(struct text *t, const char *path, int n, const char *const *names, int i) {
    if (!n) {
        text_add(t, "tyto eval 'where(isnan(x), 0, x)' x=%s -o FILE", path);
        return;
    }
    const char *between = "tyto eval '";
    for (int k = 0; k < n; k++) {
        if (!names[k]) continue;
        text_add(t, k == i ? "%swhere(isnan(x_%s), 0, x_%s)" : "%sx_%s", between, names[k], names[k]);
        between = ", ";
    }
    text_add(t, "' x=%s", path);
    for (int k = 0; k < n; k++)
        if (names[k]) text_add(t, " --name %s", names[k]);
    text_add(t, " -o FILE.npz");
}

bool network_whole(const char *path, int n, const char *const *names, int i, ty_tensor *x) {
    int64_t size = ty_size(x), rows = ty_rank(x) ? ty_shape(x)[0] : 1;
    if (ty_dtype_of(x) < TY_F16 || !size) return true;
    ty_tensor *missing = ty_ne(x, x);
    if (ty_item(ty_any(missing, TY_ALL)) == 0) return true;
    missing = ty_cast(missing, TY_I64);
    double count = ty_item(ty_sum(missing, TY_ALL));
    if (!(count > 0)) return complain("%s: could not be read: out of memory", path) == EXIT_SUCCESS;
    int64_t first = (int64_t)ty_item(ty_argmax(missing, TY_ALL)), each = size / rows;
    char column[40] = "";
    if (ty_rank(x) > 1)
        snprintf(column, sizeof column, ", %s %lld", ty_rank(x) > 2 ? "element" : "column",
                 (long long)(first % each));
    struct text repair = {0};
    add_repair(&repair, path, n, names, i);
    complain("%s: %s%shas %.0f missing value%s (NaN), which networks do not accept, the first in row %lld%s, "
             "counted from 0; zeros in their place: %s",
             path, n ? names[i] : "", n ? " " : "", count, plural((int64_t)count), (long long)(first / each),
             column, repair.failed ? "where(isnan(x), 0, x)" : repair.data);
    text_drop(&repair);
    return false;
}

/* ---- weights ---- */

static const char *layout_name(int i) {
    static const char *const names[] = {"tyto", "pytorch", "keras", NULL};
    return names[i];
}
const struct option_type option_layout = OPTION_NAMED("NAME", layout_name);

/* Load weights of GPT-2 under Hugging Face's names, if the file has them; *told: a message was written. */
static bool load_published(struct network *n, const char *path, bool *told) {
    struct fault fault = {0};
    ty_archive *archive = ty_archive_open(path, (ty_file_options){0});
    bool is = n->known == &ty_network_gpt2 && !*ty_archive_error(archive) && gpt_weights_are(archive);
    bool done = is && gpt_weights_load(n->model, path, archive, &fault);
    if (is && !done) complain_fault(&fault);
    ty_archive_free(archive);
    *told = is && !done;
    return done;
}

/* Print below a message that a file has weights of another network, if it has. */
static void tell_network(const struct network *n, const char *path) {
    char known[KNOWN];
    ty_archive *archive = ty_archive_open(path, (ty_file_options){0});
    if (network_of(archive, known) && (!n->known || strcmp(known, n->known->name)))
        complain_below("  %s has weights of the network %s\n", path, known);
    ty_archive_free(archive);
}

bool network_load(struct network *n, const char *path, int layout) {
    ty_tensor *error = NULL;
    bool told;
    if (load_published(n, path, &told) || told) return !told;
    ty_scope *scope = ty_open();
    ty_weights_options options = {.layout = (ty_layout)layout, .cast = true};
    /* torchvision also saves counts of batches, which are not used here */
    options.skip_extra = options.layout == TY_LAYOUT_PYTORCH;
    bool done = ty_model_load(n->model, path, options, &error);
    if (!done) complain_of(error);
    if (!done) tell_network(n, path);
    ty_close(scope);
    return done;
}

bool network_save(const struct network *n, const char *path, int layout) {
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    bool done = ty_model_save(n->model, path, (ty_weights_options){.layout = (ty_layout)layout}, &error);
    if (!done) complain_of(error);
    ty_close(scope);
    return done;
}
