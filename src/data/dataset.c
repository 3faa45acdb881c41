/* Common parts of all kinds of data sets. */
#include "data/dataset.h"
#include "data/loader.h"
#include <inttypes.h>
#include <string.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "base/files/folders.h"
#include "base/machine/floating.h"

static ty_dataset no_memory = {.fault = {true, E_MEMORY, "out of memory: a data set could not be made"}};
static ty_dataset null_set = {.fault = {true, E_ARGUMENT, "dataset: the data set is NULL"}};
const ty_dataset *dataset_of(const ty_dataset *set) { return set ? set : &null_set; }
static bool is_static(const ty_dataset *set) { return set == &no_memory || set == &null_set; }

ty_dataset *dataset_new(const struct data_kind *kind, size_t bytes) {
    ty_dataset *set = mem_alloc(sizeof *set);
    if (!set) return &no_memory;
    atomic_init(&set->refs, 1);
    set->kind = kind;
    set->own = arena_alloc(&set->arena, bytes + 1);
    if (set->own) return set;
    arena_drop(&set->arena);
    mem_free(set);
    return &no_memory;
}

ty_dataset *dataset_retain(const ty_dataset *set) {
    ty_dataset *shared = (ty_dataset *)(uintptr_t)dataset_of(set);
    if (!is_static(shared)) atomic_fetch_add_explicit(&shared->refs, 1, memory_order_relaxed);
    return shared;
}

void ty_dataset_free(ty_dataset *set) {
    if (!set || is_static(set) || !last_reference(&set->refs)) return;
    if (set->kind->drop && set->own) set->kind->drop(set);
    arena_drop(&set->arena);
    mem_free(set);
}

/* ---- describing ---- */

bool dataset_fields(ty_dataset *set, int n) {
    if (set->fault.set) return false;
    if (n < 1 || n > TY_MOST_FIELDS)
        return fault_set(&set->fault, E_ARGUMENT, "dataset: %d fields; a set has 1 to %d", n, TY_MOST_FIELDS);
    set->fields = arena_array(&set->arena, (size_t)n, sizeof *set->fields);
    if (!set->fields) return fault_memory(&set->fault, (size_t)n * sizeof *set->fields);
    set->nfields = n;
    return true;
}

char *dataset_text(ty_dataset *set, const char *text, size_t n) {
    char *copy = arena_alloc(&set->arena, n + 1);
    if (copy && n) memcpy(copy, text, n);
    if (!copy) fault_memory(&set->fault, n);
    return copy;
}

bool dataset_field(ty_dataset *set, int i, const char *name, ty_dtype dtype, int rank, const int64_t *shape) {
    if (dtype_stored(dtype))
        return fault_set(&set->fault, E_DTYPE,
                         "dataset: field %d is %s, which is for storage alone; ty_cast it", i,
                         ty_dtype_name(dtype));
    int64_t *sizes = arena_array(&set->arena, (size_t)rank + 1, sizeof *sizes);
    const char *copy = dataset_text(set, name, strlen(name));
    if (!sizes || !copy) return fault_memory(&set->fault, sizeof *sizes * (size_t)rank);
    if (rank) memcpy(sizes, shape, sizeof *sizes * (size_t)rank);
    set->fields[i] = (ty_field){copy, dtype, rank, sizes};
    return true;
}

bool dataset_classes(ty_dataset *set, int n) {
    set->classes = arena_array(&set->arena, (size_t)n + 1, sizeof *set->classes);
    if (!set->classes) return fault_memory(&set->fault, (size_t)n * sizeof *set->classes);
    set->nclasses = n;
    return true;
}

bool dataset_class_digits(ty_dataset *set) {
    static const char *const names[] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
    if (!dataset_classes(set, 10)) return false;
    memcpy(set->classes, names, sizeof names);
    return true;
}

void dataset_describe_as(ty_dataset *set, const ty_dataset *from) {
    set->nfields = from->nfields;
    set->fields = from->fields;
    set->nclasses = from->nclasses;
    set->classes = from->classes;
}

bool dataset_check(ty_dataset *set, const ty_tensor *x) { return ty_ok(x) || fault_tensor(&set->fault, x); }

/* ---- files ---- */

const char *dataset_path(ty_dataset *set, const char *folder, const char *name) {
    struct text path = {0};
    text_add(&path, "%s%s%s", folder, *folder && !*folders_name(folder) ? "" : "/", name);
    char *copy = path.failed ? NULL : dataset_text(set, path.data, path.length);
    if (!copy) fault_memory(&set->fault, path.length);
    text_drop(&path);
    return copy;
}

ty_tensor *dataset_bytes(const char *path) {
    ty_file_options raw = {.format = "raw", .map = true, .dtype = TY_U8, .rank = -1};
    ty_archive *a = ty_archive_open(path, raw);
    ty_tensor *bytes = ty_archive_at(a, 0);
    ty_archive_free(a);
    return bytes;
}

void dataset_class_lines(ty_dataset *set, const char *path, int n) {
    ty_scope *scope = ty_open();
    ty_tensor *bytes = path ? dataset_bytes(path) : NULL;
    const char *at = ty_ok(bytes) ? ty_data(bytes) : NULL, *end = at ? at + ty_size(bytes) : NULL;
    bool ok = at && dataset_classes(set, n);
    for (int i = 0; i < n && ok; i++) {
        while (at < end && (*at == '\n' || *at == '\r')) at++;
        const char *start = at;
        while (at < end && *at != '\n' && *at != '\r') at++;
        ok = at > start && (set->classes[i] = dataset_text(set, start, (size_t)(at - start)));
    }
    if (!ok) set->nclasses = 0;
    ty_close(scope);
}

/* ---- examples ---- */

ty_tensor *dataset_view(const ty_tensor *x, int64_t offset, int rank, const int64_t *shape,
                        const int64_t *strides) {
    struct layout_room room;
    struct layout *l = layout_room_init(&room, rank);
    for (int i = 0; i < rank; i++) {
        l->shape[i] = shape[i];
        l->strides[i] = strides[i];
    }
    l->offset = x->layout.offset + offset;
    return tensor_return(tensor_new_view(x, l));
}

/* Append "example 7" for index 7 to `words`, followed in brackets by its origin if the kind of set knows
   it. */
static void describe(const ty_dataset *set, int64_t index, struct text *words) {
    text_add(words, "example %" PRId64, index);
    if (!set->kind->where) return;
    text_add(words, " (");
    set->kind->where(set, index, words);
    text_add(words, ")");
}

bool dataset_blame(const ty_dataset *set, int64_t index, const struct fault *why, struct fault *fault) {
    struct text words = {0};
    describe(set, index, &words);
    if (words.failed)
        fault_memory(fault, words.length);
    else
        fault_set(fault, why->code, "data: %.300s: %.600s", words.data, why->text);
    text_drop(&words);
    return false;
}

bool dataset_take(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    struct fault own = {0};
    set = dataset_of(set);
    if (set->fault.set) return fault_copy(fault, &set->fault);
    if (index < 0 || index >= set->size)
        return fault_set(fault, E_INDEX,
                         "data: example %" PRId64 " is out of bounds for a set of %" PRId64 " examples",
                         index, set->size);
    bool ok = set->kind->get(set, index, out, &own);
    for (int i = 0; i < set->nfields && ok; i++) {
        out[i] = ty_eval(out[i]);
        if (!ty_ok(out[i])) ok = fault_tensor(&own, out[i]);
    }
    return ok || dataset_blame(set, index, &own, fault);
}

void dataset_poison(int n, ty_tensor **out, const struct fault *fault) {
    for (int i = 0; i < n; i++) out[i] = i ? tensor_share(out[0]) : tensor_fault(fault);
}

bool ty_dataset_get(const ty_dataset *set, int64_t index, int n, ty_tensor **out) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    ty_tensor *all[TY_MOST_FIELDS];
    set = dataset_of(set);
    if (!out || n < 1) return false;
    if (!set->fault.set && n > set->nfields)
        fault_set(&fault, E_ARGUMENT, "dataset_get: %d fields were requested; the set has %d", n,
                  set->nfields);
    ty_scope *scope = ty_open();
    bool ok = !fault.set && dataset_take(set, index, all, &fault);
    for (int i = 0; i < n && ok; i++) out[i] = ty_keep(all[i]);
    ty_close(scope);
    if (!ok) dataset_poison(n, out, &fault);
    return ok;
}

/* Make all examples of a set by a loader: its one batch in out[nfields], owned by the current scope. False sets
   the fault. */
static bool load_all(const ty_dataset *set, ty_tensor **out, struct fault *fault) {
    ty_dataset *shared = dataset_retain(set);
    ty_loader *loader = ty_loader_new(
        shared, (ty_loader_options){.batch = TY_ALL_EXAMPLES, .order = TY_IN_ORDER, .prefetch = 1});
    if (*ty_loader_error(loader))
        fault_copy(fault, &loader->fault);
    else
        ty_loader_next(loader, set->nfields, out);
    ty_loader_free(loader);
    ty_dataset_free(shared);
    return !fault->set;
}

bool ty_dataset_get_all(const ty_dataset *set, int n, ty_tensor **out) {
    FLOATING_DEFAULT;
    struct fault fault = {0};
    ty_tensor *all[TY_MOST_FIELDS];
    set = dataset_of(set);
    if (!out || n < 1) return false;
    if (set->fault.set)
        fault_copy(&fault, &set->fault);
    else if (n > set->nfields)
        fault_set(&fault, E_ARGUMENT, "dataset_get_all: %d fields were requested; the set has %d", n,
                  set->nfields);
    ty_scope *scope = ty_open();
    bool ok = !fault.set && (set->kind->get_all ? set->kind->get_all : load_all)(set, all, &fault);
    for (int i = 0; i < n && ok; i++) ok = ty_ok(all[i]) || fault_tensor(&fault, all[i]);
    for (int i = 0; i < n && ok; i++) out[i] = ty_keep(all[i]);
    ty_close(scope);
    if (!ok) dataset_poison(n, out, &fault);
    return ok;
}

char *ty_dataset_where(const ty_dataset *set, int64_t index) {
    struct text words = {0};
    set = dataset_of(set);
    if (set->fault.set)
        text_add(&words, "%s", set->fault.text);
    else if (index < 0 || index >= set->size)
        text_add(&words, "index %" PRId64 " is out of bounds for %" PRId64 " examples", index, set->size);
    else if (set->kind->where)
        set->kind->where(set, index, &words);
    else
        text_add(&words, "example %" PRId64, index);
    return text_take(&words);
}

/* ---- contents ---- */

const char *ty_dataset_error(const ty_dataset *set) {
    return dataset_of(set)->fault.set ? dataset_of(set)->fault.text : "";
}
ty_tensor *ty_dataset_failure(const ty_dataset *set) { return tensor_failure(&dataset_of(set)->fault); }
int64_t ty_dataset_size(const ty_dataset *set) { return dataset_of(set)->fault.set ? 0 : set->size; }
int ty_dataset_fields(const ty_dataset *set) { return dataset_of(set)->fault.set ? 0 : set->nfields; }
const ty_field *ty_dataset_field(const ty_dataset *set, int i) {
    return i >= 0 && i < ty_dataset_fields(set) ? &set->fields[i] : NULL;
}
int ty_dataset_classes(const ty_dataset *set) { return dataset_of(set)->fault.set ? 0 : set->nclasses; }
const char *ty_dataset_class(const ty_dataset *set, int i) {
    return i >= 0 && i < ty_dataset_classes(set) ? set->classes[i] : NULL;
}
