/* Data sets of tensors, given or from files, whose first axis is the example; an example is a view. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/create.h>
#include <tyto/graph.h>
#include <tyto/math.h>
#include <tyto/reduce.h>
#include <tyto/shape.h>
#include <tyto/sort.h>
#include "base/options.h"
#include "base/machine/floating.h"
#include "base/nearest.h"
#include "array/progress.h"
#include "data/dataset.h"
#include "io/archive.h"
#include "table/words.h"

/* Data of the kind: n tensors whose first axis is the example, with one reference each. */
struct arrays {
    int n;
    ty_tensor *x[TY_MOST_FIELDS];
};
enum { MOST_CLASSES = 100000 };

/* Set out[] to views of example `index`, from 0, of all fields. Always true; it is the kind's `get`. */
static bool get(const ty_dataset *set, int64_t index, ty_tensor **out, struct fault *fault) {
    const struct arrays *own = set->own;
    (void)fault;
    for (int i = 0; i < own->n; i++) {
        const struct layout *l = &own->x[i]->layout;
        out[i] = dataset_view(own->x[i], index * l->strides[0], l->rank - 1, l->shape + 1, l->strides + 1);
    }
    return true;
}

/* Set out[] to views of all fields; always true: the kind's `get_all`. */
static bool get_all(const ty_dataset *set, ty_tensor **out, struct fault *fault) {
    const struct arrays *own = set->own;
    (void)fault;
    for (int i = 0; i < own->n; i++) out[i] = tensor_share(own->x[i]);
    return true;
}

static void drop(ty_dataset *set) {
    struct arrays *own = set->own;
    for (int i = 0; i < own->n; i++) ty_release(own->x[i]);
}

static const struct data_kind arrays = {.get = get, .get_all = get_all, .drop = drop};

/* Add x, evaluated, detached and retained, as field i, from 0, of the set; its axis 0 is that of examples.
   A NULL name becomes the number. False sets the set's fault. */
static bool add(ty_dataset *set, int i, ty_tensor *x, const char *name) {
    struct arrays *own = set->own;
    char number[16];
    x = ty_detach(ty_eval(x));
    if (!ty_ok(x)) return fault_set(&set->fault, ty_error_code(x), "dataset: field %d: %s", i, ty_error(x));
    if (x->layout.rank < 1)
        return fault_set(&set->fault, E_SHAPE, "dataset: field %d has no axis of examples", i);
    if (i && x->layout.shape[0] != set->size)
        return fault_set(&set->fault, E_SHAPE,
                         "dataset: field %d has %" PRId64 " examples; the fields before it have %" PRId64, i,
                         x->layout.shape[0], set->size);
    set->size = x->layout.shape[0];
    snprintf(number, sizeof number, "%d", i);
    if (!dataset_field(set, i, name ? name : number, x->dtype, x->layout.rank - 1, x->layout.shape + 1))
        return false;
    own->x[own->n++] = ty_retain(x);
    return true;
}

ty_dataset *dataset_fill(ty_dataset *set, int n, ty_tensor *const *fields, const char *const *names) {
    ty_scope *scope = ty_open();
    bool ok = dataset_fields(set, n);
    for (int i = 0; i < n && ok; i++) ok = add(set, i, fields[i], names ? names[i] : NULL);
    ty_close(scope);
    return set;
}

ty_dataset *dataset_begin(void) { return dataset_new(&arrays, sizeof(struct arrays)); }

ty_dataset *ty_dataset_arrays(int n, ty_tensor *const *fields, const char *const *names) {
    FLOATING_DEFAULT;
    ty_dataset *set = dataset_begin();
    if (!set->fault.set && n > 0 && !fields)
        fault_set(&set->fault, E_ARGUMENT, "dataset_arrays: the array of %d tensors is NULL", n);
    return dataset_fill(set, n, fields, names);
}

ty_dataset *ty_dataset_files_sized(int n, const char *const *paths, const ty_file_options *given,
                                   size_t given_size) {
    ty_file_options options;
    ty_dataset *set = dataset_begin();
    ty_tensor *x[TY_MOST_FIELDS];
    OPTIONS_READ(options, given, given_size, &set->fault);
    if (!set->fault.set && n > 0 && !paths)
        fault_set(&set->fault, E_ARGUMENT, "dataset_files: the array of %d paths is NULL", n);
    if (set->fault.set || n < 1 || n > TY_MOST_FIELDS) return dataset_fill(set, n, NULL, NULL);
    ty_scope *scope = ty_open();
    options.map = true;
    for (int i = 0; i < n; i++) {
        ty_archive *a = ty_archive_open(paths[i], options);
        x[i] = *ty_archive_error(a) || ty_archive_count(a) == 1
                   ? ty_archive_at(a, 0)
                   : ty_poison_code(E_FORMAT, "%.300s: holds %d tensors, not one: use ty_dataset_archive",
                                    paths[i], ty_archive_count(a));
        ty_archive_free(a);
    }
    dataset_fill(set, n, x, NULL);
    ty_close(scope);
    return set;
}

ty_dataset *ty_dataset_archive_sized(const char *path, int n, const char *const *names,
                                     const ty_file_options *given, size_t given_size) {
    ty_file_options options;
    ty_dataset *set = dataset_begin();
    ty_tensor *x[TY_MOST_FIELDS];
    const char *called[TY_MOST_FIELDS];
    OPTIONS_READ(options, given, given_size, &set->fault);
    if (!set->fault.set && n > 0 && !names)
        fault_set(&set->fault, E_ARGUMENT, "dataset_archive: the array of %d names is NULL", n);
    if (set->fault.set || n < 0 || n > TY_MOST_FIELDS) return dataset_fill(set, n, NULL, NULL);
    ty_scope *scope = ty_open();
    options.map = true;
    ty_archive *a = ty_archive_open(path, options);
    int count = n ? n : ty_archive_count(a);
    if (*ty_archive_error(a)) fault_copy(&set->fault, &a->fault);
    for (int i = 0; i < count && count <= TY_MOST_FIELDS; i++) {
        called[i] = n ? names[i] : ty_archive_name(a, i);
        x[i] = n ? ty_archive_get(a, names[i]) : ty_archive_at(a, i);
    }
    dataset_fill(set, count, x, called);
    ty_archive_free(a);
    ty_close(scope);
    return set;
}

/* ---- csv ---- */

const char *dataset_next_name(const char *at, char *name, size_t room) {
    size_t n = 0;
    bool quoted = *at == '"';
    for (at += quoted; *at && (quoted || *at != ','); at++) {
        if (quoted && *at == '"' && *++at != '"') break;
        if (n + 1 < room) name[n++] = *at;
    }
    name[n] = 0;
    return *at == ',' ? at + 1 : NULL;
}

static const char *name_at(const void *names, int64_t i) { return words_at(names, i); }

/* Set the set's fault that the table has no column `target`, with the names in its header.  Return -1. */
static int64_t refuse_column(ty_dataset *set, const char *path, const char *header, const char *target,
                             int64_t columns) {
    char name[256], owner[320];
    struct words *names = words_new();
    for (const char *at = header; at && names;) {
        at = dataset_next_name(at, name, sizeof name);
        words_add(names, name, strlen(name));
    }
    text_print(owner, sizeof owner, "%.300s:", path);
    if (names)
        nearest_refuse(&set->fault, owner, target, ", the target", header ? names->count : columns,
                       header ? name_at : NULL, names);
    else
        fault_memory(&set->fault, sizeof *names);
    words_release(names);
    return -1;
}

/* Return the index, from 0, of the column that `target` names or numbers (from the end if negative), the
   last one for NULL; -1 sets the set's fault. `header` is the csv line of names, NULL: none. */
static int64_t find_column(ty_dataset *set, const char *path, const char *header, const char *target,
                           int64_t columns) {
    char name[256], *end;
    if (!target) return columns - 1;
    const char *at = header;
    for (int64_t i = 0; at; i++) {
        at = dataset_next_name(at, name, sizeof name);
        if (strcmp(name, target) == 0) return i;
    }
    long long i = strtoll(target, &end, 10);
    if (*target && !*end && i >= -columns && i < columns) return i < 0 ? i + columns : i;
    return refuse_column(set, path, header, target, columns);
}

/* Set the set's class names to the names of a csv line; false, with the set's fault set, without memory. */
static bool name_classes(ty_dataset *set, const char *line) {
    enum { LONGEST = 256 };
    char name[LONGEST];
    int n = 0;
    for (const char *at = line; at; n++) at = dataset_next_name(at, name, sizeof name);
    if (!dataset_classes(set, n)) return false;
    n = 0;
    for (const char *at = line; at; n++) {
        at = dataset_next_name(at, name, sizeof name);
        if (!(set->classes[n] = dataset_text(set, name, strlen(name)))) return false;
    }
    return true;
}

void dataset_add_column(struct text *t, const char *header, int64_t k) {
    char name[256] = "";
    const char *at = header;
    for (int64_t i = 0; at && i <= k; i++) at = dataset_next_name(at, name, sizeof name);
    text_add(t, "column %" PRId64, k);
    if (header) text_add(t, " (%.100s)", name);
}

/* Return the index of the first element of a column that is NaN; -1 if there is none. On failure the set's
   fault is set, and the result is negative or NaN. */
static double first_missing(ty_dataset *set, ty_tensor *column) {
    ty_tensor *missing = ty_ne(column, column);
    double any = ty_item(ty_any(missing, TY_ALL)),
           row = any > 0 ? ty_item(ty_argmax(ty_cast(missing, TY_U8), TY_ALL)) : -1;
    if (isnan(any) || isnan(row)) fault_memory(&set->fault, tensor_bytes(column));
    return row;
}

/* Check column k, from 0, of the table x of archive a: it may hold no words that are not converted, nor
   missing values unless allowed. False sets the set's fault, which begins with `path`. */
static bool check_column(ty_dataset *set, const char *path, const ty_archive *a, ty_tensor *x, int64_t k,
                         const ty_csv_options *o) {
    char key[40];
    struct text name = {0};
    text_print(key, sizeof key, "words:%" PRId64, k);
    const char *words = o->file.words ? NULL : ty_archive_meta(a, key);
    dataset_add_column(&name, ty_archive_meta(a, "columns"), k);
    double row = words || o->missing ? -1 : first_missing(set, ty_slice(x, 1, k, k + 1, 1));
    if (name.failed)
        fault_memory(&set->fault, name.length);
    else if (words)
        fault_set(&set->fault, E_ARGUMENT,
                  "%.300s: %.200s has text (%.60s%s), but inputs must be numbers: leave the column out, or "
                  "encode text as numbers (.file.words)",
                  path, name.data, words, strlen(words) > 60 ? " ..." : "");
    else if (row >= 0)
        fault_set(&set->fault, E_ARGUMENT,
                  "%.300s: %.200s has a missing value in row %.0f, counted from 0: fill it, or allow NaN "
                  "(.missing)",
                  path, name.data, row);
    text_drop(&name);
    return !set->fault.set;
}

/* Return the class labels, from 0, of a column of n elements, [n], and set the class names. These are the
   csv line `words`, or if it is NULL the distinct values. NULL sets the set's fault. */
static ty_tensor *number_classes(ty_dataset *set, const char *path, ty_tensor *column, const char *words) {
    char word[64];
    double row = first_missing(set, column);
    if (row >= 0)
        fault_set(&set->fault, E_FORMAT, "%.300s: the target of row %.0f is missing; expected a class", path,
                  row);
    if (set->fault.set) return NULL;
    if (words) return name_classes(set, words) ? ty_cast(column, TY_I64) : NULL;
    ty_unique_parts parts = ty_unique_all(column);
    ty_tensor *values = ty_eval(parts.values);
    const double *value = ty_data(ty_cast(values, TY_F64));
    if (!dataset_check(set, values) || !dataset_check(set, parts.inverse)) return NULL;
    if (!value && tensor_size(values)) fault_memory(&set->fault, tensor_bytes(values));
    if (set->fault.set || tensor_size(values) > MOST_CLASSES ||
        !dataset_classes(set, (int)tensor_size(values))) {
        fault_set(&set->fault, E_ARGUMENT,
                  "%.300s: %" PRId64 " different targets; expected at most %d classes", path,
                  tensor_size(values), MOST_CLASSES);
        return NULL;
    }
    for (int i = 0; i < set->nclasses; i++) {
        text_print(word, sizeof word, "%.15g", value[i]);
        if (!(set->classes[i] = dataset_text(set, word, strlen(word)))) return NULL;
    }
    return parts.inverse;
}

/* Split x [n, columns], the table of archive a, into inputs out[0], f32 [n, columns - 1], and target out[1] [n]: column
   o->target (NULL: the last), as class labels with o->classes, else i64 or f32. `path` is for messages. False sets the
   set's fault. */
static bool cut(ty_dataset *set, const char *path, const ty_archive *a, ty_tensor *x, const ty_csv_options *o,
                ty_tensor *out[2]) {
    char key[40];
    int64_t columns = ty_rank(x) == 2 ? ty_shape(x)[1] : 1;
    if (columns < 2)
        return fault_set(&set->fault, E_FORMAT,
                         "%.300s: has %" PRId64 " column; expected at least two, inputs and a target", path,
                         columns);
    int64_t k = find_column(set, path, ty_archive_meta(a, "columns"), o->target, columns);
    if (k < 0) return false;
    if (dtype_is(ty_dtype_of(x), CLASS_COMPLEX))
        return fault_set(&set->fault, E_FORMAT, "%.300s: has complex numbers; expected real numbers", path);
    for (int64_t i = 0; i < columns; i++)
        if (!(i == k && o->classes) && !check_column(set, path, a, x, i, o)) return false;
    ty_tensor *sides[] = {ty_slice(x, 1, 0, k, 1), ty_slice(x, 1, k + 1, TY_END, 1)};
    out[0] = ty_cast(ty_concat(2, sides, 1), TY_F32);
    out[1] = ty_squeeze(ty_slice(x, 1, k, k + 1, 1), 1);
    text_print(key, sizeof key, "words:%" PRId64, k);
    if (o->classes)
        out[1] = number_classes(set, path, out[1], ty_archive_meta(a, key));
    else if (ty_dtype_of(out[1]) != TY_I64)
        out[1] = ty_cast(out[1], TY_F32);
    return out[1];
}

ty_dataset *ty_dataset_csv_sized(const char *path, const ty_csv_options *given, size_t given_size) {
    ty_csv_options options;
    PROGRESS_NAMED("read");
    static const char *const names[] = {"input", "target"};
    FLOATING_DEFAULT;
    ty_dataset *set = dataset_begin();
    ty_tensor *out[2] = {NULL};
    OPTIONS_READ(options, given, given_size, &set->fault);
    OPTIONS_UNUSED(&options, "dataset_csv", &set->fault);
    if (set->fault.set) return set;
    ty_scope *scope = ty_open();
    options.file.format = "csv";
    ty_file_options file = options.file;
    file.words |= options.classes;
    ty_archive *a = ty_archive_open(path, file);
    ty_tensor *x = ty_archive_at(a, 0);
    if (dataset_check(set, x) && cut(set, path, a, x, &options, out)) dataset_fill(set, 2, out, names);
    ty_archive_free(a);
    ty_close(scope);
    return set;
}
