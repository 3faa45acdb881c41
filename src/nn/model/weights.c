/*
 * Parameters and states to and from files by their names.  Everything is checked before anything is assigned, and all that
 * does not fit is told at once.
 */
#include "base/alloc.h"
#include "nn/model/model.h"
#include <string.h>
#include <tyto/create.h>
#include <tyto/io.h>
#include <tyto/shape.h>

/* What a file calls a parameter, by layout; the last part of the name. */
static const char *part_in(const struct variable_entry *e, ty_layout layout) {
    static const struct {
        const char *ours, *keras;
    } rows[] = {{"running_mean", "moving_mean"}, {"running_var", "moving_variance"}};
    if (layout != TY_LAYOUT_KERAS) return e->name;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].ours, e->name)) return rows[i].keras;
    return e->keras ? e->keras : e->name;
}

/* The name in the file; mem_free.  NULL: no memory. */
static char *name_in(const struct variable_entry *e, const ty_weights_options *o) {
    struct text t = {0};
    const char *path = e->owner->path, *joint = o->layout == TY_LAYOUT_KERAS ? "/" : ".";
    text_add(&t, "%s%s%s", path, *path ? "." : "", part_in(e, o->layout));
    for (int i = 0; i < o->nrename && o->rename && t.data; i++) {
        const char *model = o->rename[i].model ? o->rename[i].model : "";
        size_t length = strlen(model);
        if (strncmp(t.data, model, length) != 0) continue;
        struct text renamed = {0};
        text_add(&renamed, "%s%s", o->rename[i].file ? o->rename[i].file : "", t.data + length);
        text_drop(&t);
        t = renamed;
        break;
    }
    for (char *c = t.data; c && *joint != '.' && (c = strchr(c, '.'));) *c = *joint;
    return text_take(&t);
}

/* The axes of the file's tensor in ours, or of ours in the file's; false: the same. */
static bool axes_of(const struct variable_entry *e, const ty_weights_options *o, bool inverse, int *axes) {
    int rank = ty_rank(e->variable), moved = 0;
    if (o->layout != TY_LAYOUT_PYTORCH || rank > 8) return false;
    for (int i = 0; i < rank; i++) {
        moved |= e->pytorch[i];
        if (inverse)
            axes[e->pytorch[i]] = i;
        else
            axes[i] = e->pytorch[i];
    }
    return moved != 0;
}

static ty_tensor *turned(const struct variable_entry *e, const ty_weights_options *o, bool inverse,
                         ty_tensor *x) {
    int axes[8] = {0};
    return axes_of(e, o, inverse, axes) ? ty_permute(x, axes) : x;
}

/* All of a model's variables, parameters first. */
static struct variable_entry *entry(const ty_model *m, int i) {
    return i < m->parameters.n ? m->parameters.at[i] : m->states.at[i - m->parameters.n];
}
static int entries(const ty_model *m) { return m->parameters.n + m->states.n; }

static bool check_options(const ty_model *m, const ty_weights_options *o, struct fault *fault) {
    if (m->fault.set) return fault_set(fault, "%s", m->fault.text);
    if (o->layout < TY_LAYOUT_TYTO || o->layout > TY_LAYOUT_KERAS)
        return fault_set(fault, "model: layout %d; expected 0 to 2", (int)o->layout);
    if (o->nrename < 0 || (o->nrename && !o->rename))
        return fault_set(fault, "model: %d renamings", o->nrename);
    return true;
}

struct names {
    int n;
    char **at;
};

static void names_drop(struct names *names) {
    for (int i = 0; names->at && i < names->n; i++) mem_free(names->at[i]);
    mem_free(names->at);
}

static bool names_make(struct names *names, const ty_model *m, const ty_weights_options *o,
                       struct fault *fault) {
    names->n = entries(m);
    names->at = mem_array((size_t)names->n + 1, sizeof *names->at);
    bool well = names->at != NULL;
    for (int i = 0; well && i < names->n; i++) well = (names->at[i] = name_in(entry(m, i), o)) != NULL;
    return well || fault_memory(fault, 64);
}

/* ---- saving ---- */

/* ".npz"; "" where there is none. */
static const char *extension_of(const char *path) {
    const char *folder = path ? strrchr(path, '/') : NULL,
               *dot = path ? strrchr(folder ? folder : path, '.') : NULL;
    return dot ? dot : "";
}

static bool save(const ty_model *m, const char *path, const ty_weights_options *o, const struct names *names,
                 struct fault *fault) {
    ty_tensor **tensors = mem_array((size_t)names->n + 1, sizeof *tensors), *error = NULL;
    if (!tensors) return fault_memory(fault, (size_t)names->n * sizeof *tensors);
    ty_scope *scope = ty_open();
    for (int i = 0; i < names->n; i++)
        tensors[i] = turned(entry(m, i), o, false, ty_detach(entry(m, i)->variable));
    const char *extension = extension_of(path);
    bool checked = o->layout == TY_LAYOUT_TYTO && !strcmp(extension, ".safetensors");
    const char *const *words = (const char *const *)names->at;
    bool done = checked || !*extension
                    ? ty_checkpoint_save(path, names->n, words, tensors, 0, NULL, NULL, &error)
                    : ty_archive_save(path, names->n, words, tensors, (ty_file_options){0}, &error);
    if (!done) fault_set(fault, "%s", error ? ty_error(error) : "the file could not be written");
    ty_close(scope);
    mem_free(tensors);
    return !fault->set;
}

bool ty_model_save(const ty_model *m, const char *path, ty_weights_options o, ty_tensor **error) {
    struct fault fault = {0};
    struct names names = {0};
    m = model_of(m);
    if (check_options(m, &o, &fault) && names_make(&names, m, &o, &fault)) save(m, path, &o, &names, &fault);
    names_drop(&names);
    return model_tell(&fault, error);
}

/* ---- loading ---- */

/* What does not fit, in lines; the first of each kind of trouble. */
enum { TOLD = 12 };
struct trouble {
    struct text text;
    int n;
};

static void tell(struct trouble *t, const char *name, const char *found, const char *expected) {
    if (t->n++ < TOLD) text_add(&t->text, "%s%s: %s%s", t->n > 1 ? "; " : "", name, found, expected);
}

static void form_words(char *out, size_t room, ty_dtype dtype, int rank, const int64_t *shape) {
    int n = text_print(out, room, "%s[", ty_dtype_name(dtype));
    for (int i = 0; i < rank && n > 0 && (size_t)n < room; i++)
        n += text_print(out + n, room - (size_t)n, i ? ",%lld" : "%lld", (long long)shape[i]);
    if (n > 0 && (size_t)n < room) text_print(out + n, room - (size_t)n, "]");
}

static bool is_floating(ty_dtype dtype) { return dtype >= TY_F16 && dtype <= TY_F64; }

/* The tensor for a variable, in its order of axes; NULL: it is missing, or does not fit, which is told. */
static ty_tensor *fetch(const ty_archive *archive, int at, const struct variable_entry *e,
                        const ty_weights_options *o, const char *name, struct trouble *trouble) {
    ty_tensor *found = ty_archive_at(archive, at);
    if (!ty_ok(found)) {
        tell(trouble, name, "", ty_error(found));
        return NULL;
    }
    ty_dtype wanted = ty_dtype_of(e->variable), given = ty_dtype_of(found);
    int64_t shape[TY_MAX_RANK];
    int axes[8], rank = ty_rank(e->variable);
    bool turn = axes_of(e, o, false, axes);
    for (int i = 0; i < rank; i++) shape[i] = ty_shape(e->variable)[turn ? axes[i] : i];
    bool fits = ty_rank(found) == rank && !memcmp(ty_shape(found), shape, (size_t)rank * sizeof *shape);
    bool right = given == wanted || (o->cast && is_floating(given) && is_floating(wanted));
    if (fits && right) return ty_cast(turned(e, o, true, found), wanted);
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

/* Checkpoints of trainers hold states of optimisers, whose names begin with a rule's: "adam:conv1.weight.mean". */
static bool is_of_trainer(const char *name) { return strchr(name, ':') != NULL; }

struct loading {
    const ty_archive *archive;
    const ty_weights_options *options;
    struct names names;
    ty_tensor **variables, **values;
    bool *used;
    int n;
};

static void collect(struct loading *l, const ty_model *m, struct trouble *trouble) {
    for (int i = 0; i < l->names.n; i++) {
        int at = find(l->archive, l->names.at[i]);
        if (at < 0 && !l->options->skip_missing) tell(trouble, l->names.at[i], "missing in the file", "");
        if (at < 0) continue;
        l->used[at] = true;
        ty_tensor *value = fetch(l->archive, at, entry(m, i), l->options, l->names.at[i], trouble);
        if (!value) continue;
        l->variables[l->n] = entry(m, i)->variable;
        l->values[l->n++] = value;
    }
    for (int i = 0; i < ty_archive_count(l->archive) && !l->options->skip_extra; i++) {
        const char *name = ty_archive_name(l->archive, i);
        if (!l->used[i] && !is_of_trainer(name)) tell(trouble, name, "in the file, but not in the model", "");
    }
}

static bool load(struct loading *l, const ty_model *m, const char *path, struct fault *fault) {
    struct trouble trouble = {0};
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    collect(l, m, &trouble);
    if (trouble.n > TOLD) text_add(&trouble.text, "; and %d more", trouble.n - TOLD);
    if (trouble.text.failed)
        fault_memory(fault, 64);
    else if (trouble.n)
        fault_set(fault, "%s: %s", path, trouble.text.data);
    else if (!ty_assign_all(l->n, l->variables, l->values, &error))
        fault_set(fault, "%s", error ? ty_error(error) : path);
    text_drop(&trouble.text);
    ty_close(scope);
    return !fault->set;
}

/* A checkpoint where the file is one, by its checksum. */
static ty_archive *open_file(const char *path) {
    ty_archive *archive = ty_archive_open(path, (ty_file_options){0});
    if (*ty_archive_error(archive) || !ty_archive_meta(archive, "checksum")) return archive;
    ty_archive_free(archive);
    return ty_checkpoint_load(path);
}

static bool load_archive(ty_model *m, const char *path, ty_archive *archive, const ty_weights_options *o,
                         struct fault *fault) {
    struct loading l = {.archive = archive, .options = o};
    if (*ty_archive_error(archive)) return fault_set(fault, "%s", ty_archive_error(archive));
    if (!entries(m)) return fault_set(fault, "model: it has no parameters yet; ty_model_build makes them");
    if (model_is_folded(m, fault)) return false;
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

bool ty_model_load(ty_model *m, const char *path, ty_weights_options o, ty_tensor **error) {
    struct fault fault = {0};
    m = model_of(m);
    if (check_options(m, &o, &fault)) {
        ty_archive *archive = open_file(path);
        load_archive(m, path, archive, &o, &fault);
        ty_archive_free(archive);
    }
    return model_tell(&fault, error);
}
