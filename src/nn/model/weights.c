/*
 * Saving and loading parameters and states by name. Everything is checked before anything is assigned, and all
 * mismatches are reported at once.
 */
#include "array/tensor.h"
#include "base/options.h"
#include "base/alloc.h"
#include "base/files/folders.h"
#include "array/progress.h"
#include "nn/model/notes.h"
#include "nn/model/weights.h"
#include "io/archive.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/io.h>
#include <tyto/shape.h>

/* Return variable i, from 0, of a model, parameters before states; i must be in range. */
static struct variable_entry *entry(const ty_model *m, int i) {
    return i < m->parameters.n ? m->parameters.at[i] : m->states.at[i - m->parameters.n];
}
static int entries(const ty_model *m) { return m->parameters.n + m->states.n; }

/* Check that the model has not failed, and the options for reading or writing weights; false sets the
   fault. */
static bool check_options(const ty_model *m, const ty_weights_options *o, struct fault *fault) {
    if (m->fault.set) return fault_copy(fault, &m->fault);
    if (o->layout < TY_LAYOUT_TYTO || o->layout > TY_LAYOUT_KERAS)
        return fault_set(fault, E_ARGUMENT, "model: layout %d; expected 0 to 2", (int)o->layout);
    if (o->nrename < 0 || (o->nrename && !o->rename))
        return fault_set(fault, E_ARGUMENT, "model: %d renamings; expected 0 or more, and their array",
                         o->nrename);
    return true;
}

/* Names of all variables of a model in a file. */
struct names {
    int n;
    char **at;
    struct variable_entry **entries;
};

static void names_drop(struct names *names) {
    for (int i = 0; names->at && i < names->n; i++) mem_free(names->at[i]);
    mem_free(names->at);
    mem_free(names->entries);
}

/* Fill `names` with all variables of the model and their names in files; freed by names_drop in any case.
   False sets the fault. */
static bool names_make(struct names *names, const ty_model *m, const ty_weights_options *o,
                       struct fault *fault) {
    names->n = entries(m);
    names->at = mem_array((size_t)names->n + 1, sizeof *names->at);
    names->entries = mem_array((size_t)names->n + 1, sizeof *names->entries);
    bool well = names->at && names->entries;
    for (int i = 0; well && i < names->n; i++) names->entries[i] = entry(m, i);
    for (int i = 0; well && i < names->n; i++) well = (names->at[i] = weights_name(entry(m, i), o)) != NULL;
    return well || fault_memory(fault, 64);
}

/* Return the number of names from index i on, at least 1, that form one tensor of the file. */
static int joined(const struct names *names, int i, const ty_weights_options *o) {
    return weights_joined(names->n - i, names->entries + i, names->at + i, o);
}

/* Check that the model was called, which makes its layers and their parameters, if they have any; false sets the
   fault. */
static bool check_built(const ty_model *m, struct fault *fault) {
    return entries(m) || m->nlayers ||
           fault_set(fault, E_STATE, "model: it has no parameters yet; ty_model_build makes them");
}

/* ---- saving ---- */

/* Return the extension of path with its dot, such as ".npz"; "" if there is none or path is NULL. It lies
   in path. */
static const char *extension_of(const char *path) {
    const char *dot = path ? strrchr(folders_name(path), '.') : NULL;
    return dot ? dot : "";
}

/* Write all variables in `names` to the file `path`, in the layout of the options; false sets the fault. */
static bool save(const char *path, const ty_weights_options *o, const struct names *names, const ty_model *m,
                 struct fault *fault) {
    size_t room = (size_t)names->n + 1;
    ty_tensor **tensors = mem_array(room, sizeof *tensors), *error = NULL;
    const char **words = mem_array(room, sizeof *words);
    bool memory = tensors && words;
    if (!memory) fault_memory(fault, room * sizeof *tensors);
    ty_scope *scope = ty_open();
    int n = 0;
    for (int i = 0, count; i < names->n && memory; i += count, n++) {
        count = joined(names, i, o);
        tensors[n] = weights_to_file(count, names->entries + i, o);
        words[n] = names->at[i];
    }
    const char *extension = extension_of(path);
    bool checked = o->layout == TY_LAYOUT_TYTO && !strcmp(extension, ".safetensors");
    const char *keys[TY_NOTES], *values[TY_NOTES];
    int nmeta = notes_list(m, keys, values);
    bool safe = !strcmp(extension, ".safetensors");
    ty_file_options file = {.nmeta = safe ? nmeta : 0, .keys = keys, .values = values};
    bool done = memory && (checked || !*extension
                               ? ty_checkpoint_save(path, n, words, tensors, nmeta, keys, values, &error)
                               : ty_archive_save(path, n, words, tensors, file, &error));
    if (!done)
        fault_set(fault, error ? ty_error_code(error) : E_INTERNAL, "%s",
                  error ? ty_error(error) : "the file could not be written");
    ty_close(scope);
    mem_free(tensors);
    mem_free(words);
    return !fault->set;
}

bool ty_model_save_sized(const ty_model *m, const char *path, const ty_weights_options *given,
                         size_t given_size, ty_tensor **error) {
    OPTIONS_ERROR(ty_weights_options, o, given, given_size, error);
    PROGRESS_NAMED("write");
    struct fault fault = {0};
    struct names names = {0};
    m = model_of(m);
    if (check_options(m, &o, &fault) && check_built(m, &fault) && names_make(&names, m, &o, &fault))
        save(path, &o, &names, m, &fault);
    names_drop(&names);
    return model_tell(&fault, error);
}

/* ---- loading ---- */

enum { TOLD = 12 };
/* Mismatches, collected as text; only the first TOLD are listed. */
struct trouble {
    ty_code code; /* of the first tensor that could not be read */
    struct text text;
    int n;
};

static void tell(struct trouble *t, const char *name, const char *found, const char *expected) {
    if (t->n++ < TOLD)
        text_add(&t->text, "%s%s: %s%s", t->n > 1 ? "; " : "", *name ? name : "an array without a name",
                 found, expected);
}

/* Write dtype and shape, such as "f32[3,4]", to out; text beyond `room` bytes is cut. */
static void form_words(char *out, size_t room, ty_dtype dtype, int rank, const int64_t *shape) {
    int n = text_print(out, room, "%s[", ty_dtype_name(dtype));
    for (int i = 0; i < rank && n > 0 && (size_t)n < room; i++)
        n += text_print(out + n, room - (size_t)n, i ? ",%lld" : "%lld", (long long)shape[i]);
    if (n > 0 && (size_t)n < room) text_print(out + n, room - (size_t)n, "]");
}

static bool is_floating(ty_dtype dtype) { return dtype >= TY_F16 && dtype <= TY_F64; }

/* Return tensor number `at` of the file, for variable e or for the n from it on that are joined in files,
   reshaped as the layout allows and cast. NULL, after adding to `trouble` that it does not fit. */
static ty_tensor *fetch(const ty_archive *archive, int at, int n, const struct variable_entry *e,
                        const ty_weights_options *o, const char *name, struct trouble *trouble) {
    ty_tensor *found = ty_archive_at(archive, at);
    if (!ty_ok(found)) {
        if (!trouble->code) trouble->code = ty_error_code(found);
        tell(trouble, name, "", ty_error(found));
        return NULL;
    }
    ty_dtype wanted = ty_dtype_of(e->variable), given = ty_dtype_of(found);
    int64_t shape[TY_MAX_RANK + 1];
    int rank = weights_shape(n, e, o, shape);
    found = weights_reshaped(o, found, rank, shape);
    bool fits = ty_rank(found) == rank && !memcmp(ty_shape(found), shape, (size_t)rank * sizeof *shape);
    bool right = given == wanted || (o->cast && is_floating(given) && is_floating(wanted));
    if (fits && right) return ty_cast(found, wanted);
    char has[256], needs[256], expected[320];
    form_words(has, sizeof has, given, ty_rank(found), ty_shape(found));
    form_words(needs, sizeof needs, wanted, rank, shape);
    text_print(expected, sizeof expected, ", expected %s%s", needs,
               fits && is_floating(given) && is_floating(wanted) ? " (or the option `cast`)" : "");
    tell(trouble, name, has, expected);
    return NULL;
}

static int find(const ty_archive *archive, const char *name) {
    for (int i = 0; i < ty_archive_count(archive); i++)
        if (!strcmp(ty_archive_name(archive, i), name)) return i;
    return -1;
}

/* Return true for names of optimisers' states, which checkpoints of trainers contain, such as
   "adam:conv1.weight.mean". */
static bool is_of_trainer(const char *name) { return strchr(name, ':') != NULL; }

/* State of loading one file. */
struct loading {
    const ty_archive *archive;
    const ty_weights_options *options;
    struct names names;
    ty_tensor **variables, **values;
    bool *used;
    int n;
};

/* Add the values of the n variables from index i on, cut out of tensor number `at` of the file, to l's
   assignments; if it does not fit, add that to `trouble`. */
static void take(struct loading *l, int i, int n, int at, struct trouble *trouble) {
    struct variable_entry *const *e = l->names.entries + i;
    ty_tensor *found = fetch(l->archive, at, n, e[0], l->options, l->names.at[i], trouble);
    for (int k = 0; k < n && found; k++) {
        l->variables[l->n] = e[k]->variable;
        l->values[l->n++] = weights_from_file(n, e[k], l->options, found, k);
    }
}

/* Collect the values of all variables from the archive; missing and superfluous ones are added to
   `trouble`. */
static void collect(struct loading *l, struct trouble *trouble) {
    for (int i = 0, n; i < l->names.n; i += n) {
        int at = find(l->archive, l->names.at[i]);
        n = joined(&l->names, i, l->options);
        if (at < 0 && !l->options->skip_missing) tell(trouble, l->names.at[i], "missing in the file", "");
        if (at < 0) continue;
        l->used[at] = true;
        take(l, i, n, at, trouble);
    }
    for (int i = 0; i < ty_archive_count(l->archive) && !l->options->skip_extra; i++) {
        const char *name = ty_archive_name(l->archive, i);
        if (!l->used[i] && !is_of_trainer(name)) tell(trouble, name, "in the file, but not in the model", "");
    }
}

/* ---- files of another layout ---- */

/* Return the share of the model's tensors that the file has under their names and in their shapes of a layout; 0 without
   memory. */
static double fitting(const ty_model *m, const ty_archive *archive, const ty_weights_options *o) {
    struct fault fault = {0};
    struct names names = {0};
    int fits = 0, all = 0;
    bool made = names_make(&names, m, o, &fault);
    for (int i = 0, n; made && i < names.n; i += n, all++) {
        int64_t shape[TY_MAX_RANK + 1];
        const int64_t *found;
        int at = find(archive, names.at[i]), rank, wanted;
        ty_dtype dtype;
        n = joined(&names, i, o);
        wanted = weights_shape(n, names.entries[i], o, shape);
        if (at < 0 || !ty_archive_form(archive, at, &dtype, &rank, &found)) continue;
        fits += rank == wanted && !memcmp(found, shape, (size_t)rank * sizeof *shape);
    }
    names_drop(&names);
    return made && all ? (double)fits / all : 0;
}

/* Append which layout the file seems to have, if more of its tensors fit that than the layout that was expected. */
static void guess_layout(struct trouble *trouble, const ty_model *m, const ty_archive *archive,
                         const ty_weights_options *given) {
    static const struct {
        const char *whose, *option;
    } layouts[] = {[TY_LAYOUT_TYTO] = {"Tyto's own", "tyto"},
                   [TY_LAYOUT_PYTORCH] = {"PyTorch's", "pytorch"},
                   [TY_LAYOUT_KERAS] = {"Keras'", "keras"}};
    double best = fitting(m, archive, given);
    ty_layout found = given->layout;
    for (ty_layout l = TY_LAYOUT_TYTO; l <= TY_LAYOUT_KERAS; l++) {
        ty_weights_options other = *given;
        other.layout = l;
        double share = fitting(m, archive, &other);
        if (share > best) best = share, found = l;
    }
    if (found == given->layout) return;
    text_add(&trouble->text,
             "; names and shapes look like %s: .layout of ty_weights_options, or --layout %s of tyto",
             layouts[found].whose, layouts[found].option);
}

/* Collect the values and assign all variables at once, or none if there is trouble. The file's checksum is verified
   before and after: holding the file in memory would take as much as the weights. False sets the fault, whose text begins
   with `path`. */
static bool load(struct loading *l, const ty_model *m, const char *path, struct fault *fault) {
    struct trouble trouble = {0};
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    collect(l, &trouble);
    if (trouble.n > TOLD) text_add(&trouble.text, "; and %d more", trouble.n - TOLD);
    if (trouble.n) guess_layout(&trouble, m, l->archive, l->options);
    if (trouble.text.failed)
        fault_memory(fault, 64);
    else if (trouble.n)
        fault_set(fault, trouble.code ? trouble.code : E_ARGUMENT, "%s: %s", path, trouble.text.data);
    else if (archive_unchanged(l->archive, fault) && !ty_assign_all(l->n, l->variables, l->values, &error))
        fault_set(fault, error ? ty_error_code(error) : E_INTERNAL, "%s", error ? ty_error(error) : path);
    text_drop(&trouble.text);
    ty_close(scope);
    return !fault->set;
}

/* Load an archive, read from `path`, into the model. False sets the fault. */
static bool load_archive(ty_model *m, const char *path, ty_archive *archive, const ty_weights_options *o,
                         struct fault *fault) {
    struct loading l = {.archive = archive, .options = o};
    if (*ty_archive_error(archive)) return fault_copy(fault, &archive->fault);
    if (!check_built(m, fault) || model_is_folded(m, fault)) return false;
    size_t n = (size_t)entries(m) + 1;
    l.variables = mem_array(n, sizeof *l.variables);
    l.values = mem_array(n, sizeof *l.values);
    l.used = mem_array((size_t)ty_archive_count(archive) + 1, sizeof *l.used);
    if (!l.variables || !l.values || !l.used)
        fault_memory(fault, n * sizeof *l.values);
    else if (names_make(&l.names, m, o, fault))
        load(&l, m, path, fault);
    names_drop(&l.names);
    mem_free(l.variables);
    mem_free(l.values);
    mem_free(l.used);
    return !fault->set;
}

bool ty_model_load_sized(ty_model *m, const char *path, const ty_weights_options *given, size_t given_size,
                         ty_tensor **error) {
    OPTIONS_ERROR(ty_weights_options, o, given, given_size, error);
    PROGRESS_NAMED("read");
    struct fault fault = {0};
    m = model_of(m);
    if (check_options(m, &o, &fault)) {
        ty_archive *archive = ty_archive_open(path, (ty_file_options){0});
        load_archive(m, path, archive, &o, &fault);
        if (!fault.set && !notes_read(m, archive)) fault_memory(&fault, 64);
        ty_archive_free(archive);
    }
    return model_tell(&fault, error);
}
