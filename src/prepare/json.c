/*
 * Preparations as JSON, the text "preparation" of checkpoints and files of weights:
 *
 *   {"version": 1, "rows": 712, "target": "Survived", "task": "classes", "mean": 0, "deviation": 1, "why": "...",
 *    "classes": ["0", "1"], "columns": [
 *    {"name": "Age", "kind": "number", "encoding": "number", "fill": "median", ..., "values": null}, ...]}
 */
#include <float.h>
#include <string.h>
#include <tyto/io.h>
#include "array/tensor.h"
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "io/fields.h"
#include "ops/core/op.h"
#include "prepare/prepare.h"

enum {
    DEPTH = 4,            /* the deepest are values, in a column, in the list of columns, in the object */
    MOST_BYTES = 1 << 30, /* of the tree: 40 bytes a value */
    VERSION = 1
};

/* The range of a field of all finite numbers. */
#define FINITE .low = -DBL_MAX, .end = DBL_MAX, .upto = true

static const char *kind_name(int i) {
    return i < TY_COLUMN_KINDS ? ty_column_kind_name((ty_column_kind)i) : NULL;
}

ATTRIBUTES(column_fields, sizeof(struct treatment), FIELD(struct treatment, name, OTHER),
           FIELD(struct treatment, kind, NAME, .named = kind_name),
           FIELD(struct treatment, encoding, NAME, .named = encoding_name),
           FIELD(struct treatment, fill, NAME, .named = fill_name),
           FIELD(struct treatment, scaling, NAME, .named = scaling_name), FIELD(struct treatment, log, FLAG),
           FIELD(struct treatment, flagged, FLAG), FIELD(struct treatment, clipped, FLAG),
           FIELD(struct treatment, other, FLAG), FIELD(struct treatment, low, REAL, FINITE),
           FIELD(struct treatment, high, REAL, FINITE), FIELD(struct treatment, filled, REAL, FINITE),
           FIELD(struct treatment, shift, REAL, FINITE),
           FIELD(struct treatment, scale, REAL, .end = DBL_MAX, .upto = true),
           FIELD(struct treatment, missing, LONG, .end = 0x1p53), FIELD(struct treatment, values, OTHER),
           FIELD(struct treatment, why, OTHER));
ATTRIBUTES(front_fields, sizeof(struct ty_preparation),
           {.name = "version", .type = FIELD_VERSION, .most = VERSION},
           FIELD(struct ty_preparation, rows, LONG, .end = 0x1p53),
           FIELD(struct ty_preparation, target, OTHER),
           FIELD(struct ty_preparation, task, NAME, .named = task_name),
           FIELD(struct ty_preparation, mean, REAL, FINITE),
           FIELD(struct ty_preparation, deviation, REAL, .end = DBL_MAX, .upto = true),
           FIELD(struct ty_preparation, why, OTHER), FIELD(struct ty_preparation, classes, OTHER));

/* True if a field is a struct words *, and if it is text in the struct itself; else it is an owned char *. */
static bool is_words(const struct field *f) {
    return !strcmp(f->name, "values") || !strcmp(f->name, "classes");
}
static bool is_inside(const struct field *f) { return !strcmp(f->name, "why"); }

/* ---- writing ---- */

/* Append the words as a list of texts; false sets the fault. */
static bool write_words(struct text *t, const struct words *w, struct fault *fault) {
    text_add(t, "[");
    for (int64_t i = 0; i < w->count; i++) {
        text_add(t, i ? ", " : "");
        if (!json_add_text(t, words_at(w, i), fault)) return false;
    }
    text_add(t, "]");
    return true;
}

/* Append a name, a reason, or words. */
static bool write_other(void *fault, struct text *t, const struct field *f, const void *at) {
    const void *pointer;
    if (is_inside(f)) return json_add_text(t, at, fault);
    memcpy(&pointer, at, sizeof pointer);
    if (pointer) return is_words(f) ? write_words(t, pointer, fault) : json_add_text(t, pointer, fault);
    text_add(t, "null");
    return true;
}

char *ty_preparation_to_json(const ty_preparation *preparation) {
    FLOATING_DEFAULT;
    const ty_preparation *p = preparation_of(preparation);
    struct text t = {0};
    struct fault fault = {0};
    if (p->fault.set) return NULL;
    struct field_writer w = {&t, FIELDS_SPACED, &fault, write_other, &fault};
    bool ok = fields_write(&w, &front_fields, &(struct infer){.attr = p});
    if (ok && !t.failed) t.length--; /* the brace, behind which the columns follow */
    text_add(&t, ", \"columns\": [");
    for (int64_t i = 0; ok && i < p->count; i++) {
        text_add(&t, i ? ",\n " : "\n ");
        ok = fields_write(&w, &column_fields, &(struct infer){.attr = &p->columns[i]});
    }
    text_add(&t, "]}");
    if (!ok) text_drop(&t);
    return ok ? text_take(&t) : NULL;
}

/* ---- reading ---- */

static void refuse(void *fault, ty_code code, const char *reason) {
    fault_set(fault, code, "preparation: %.900s", reason);
}

/* Return the texts of a list as a set; NULL sets the fault. */
static struct words *read_words(const struct field_reader *r, const char *name, const struct json *list) {
    struct words *w = words_new();
    bool texts = json_is(list, JSON_LIST), memory = w;
    for (size_t i = 0; texts && memory && i < json_count(list); i++) {
        const char *text = json_text(json_at(list, i));
        texts = text && words_find(w, text, strlen(text)) < 0;
        memory = !texts || words_add(w, text, strlen(text)) >= 0;
    }
    if (texts && memory) return w;
    words_release(w);
    if (!memory)
        fault_memory(r->context, sizeof *w);
    else
        field_unexpected(r, name, list, "a list of distinct texts");
    return NULL;
}

/* Read a name, a reason, or words to `at`. */
static bool read_other(void *context, const struct field *f, const struct json *value, void *at) {
    const struct field_reader r = {.refuse = refuse, .context = context};
    const char *text = json_text(value);
    void *pointer = NULL;
    if (is_inside(f)) {
        if (!text) return field_unexpected(&r, f->name, value, "a text");
        text_print(at, f->size, "%s", text);
        return true;
    }
    bool optional = strcmp(f->name, "name") != 0;
    if (is_words(f) && !json_is(value, JSON_NULL)) {
        pointer = read_words(&r, f->name, value);
        if (!pointer) return false;
    } else if (text) {
        pointer = mem_copy_text(text);
        if (!pointer) return fault_memory(context, strlen(text));
    } else if (!optional || !json_is(value, JSON_NULL)) {
        return field_unexpected(&r, f->name, value, "a text");
    }
    memcpy(at, &pointer, sizeof pointer);
    return true;
}

/* Check that the parts of a treatment belong together; false sets the fault. */
static bool check_column(const struct treatment *t, struct fault *fault) {
    bool values = t->encoding == TY_ENCODE_ONE_HOT || t->encoding == TY_ENCODE_ORDINAL;
    bool number = t->encoding == TY_ENCODE_NUMBER || t->encoding == TY_ENCODE_ORDINAL;
    if (t->encoding == TY_ENCODE_CHOSEN || values != (t->values != NULL) || (number && !(t->scale > 0)) ||
        (t->other && t->encoding != TY_ENCODE_ONE_HOT) || t->low > t->high)
        return fault_set(fault, E_FORMAT,
                         "preparation: column \"%.100s\" has parts that do not belong together", t->name);
    return true;
}

/* Read all columns of the object; false sets the fault. */
static bool read_columns(ty_preparation *p, const struct field_reader *r, const struct json *root) {
    const struct json *list = json_get(root, "columns");
    if (!json_is(list, JSON_LIST)) return field_unexpected(r, "columns", list, "a list");
    for (size_t i = 0; i < json_count(list); i++) {
        struct treatment t = {0};
        bool ok = fields_read(r, &column_fields, json_at(list, i), &(struct infer){0}, &t) &&
                  check_column(&t, &p->fault);
        if (ok && preparation_add(p, t)) continue;
        if (!ok) treatment_drop(&t);
        return false;
    }
    return true;
}

/* Check that the parts of the target belong together; false sets the fault. */
static bool check_front(ty_preparation *p) {
    bool classes = p->classes && p->classes->count > 1, none = !p->target;
    if ((p->task == TY_TASK_CLASSES) != classes || (p->task == TY_TASK_CHOSEN) != none ||
        (p->task == TY_TASK_REGRESSION && !(p->deviation > 0)))
        return fault_set(&p->fault, E_FORMAT, "preparation: target, task and classes do not belong together");
    return true;
}

ty_preparation *ty_preparation_parse(const char *text, size_t n) {
    FLOATING_DEFAULT;
    ty_preparation *p = preparation_begin();
    if (!text) fault_set(&p->fault, E_ARGUMENT, "preparation_parse: the text is NULL");
    struct json *root =
        p->fault.set ? NULL : json_read("preparation", "the text", text, n, DEPTH, MOST_BYTES, &p->fault);
    struct field_reader r = {.refuse = refuse, .other = read_other, .context = &p->fault, .newer = true};
    if (root && fields_read(&r, &front_fields, root, &(struct infer){0}, p) && check_front(p))
        read_columns(p, &r, root);
    mem_free(root);
    return preparation_end(p);
}

ty_preparation *ty_preparation_read(const char *path) {
    FLOATING_DEFAULT;
    struct fault why = {0};
    ty_preparation *p = NULL;
    ty_scope *scope = ty_open();
    ty_archive *archive = path ? ty_archive_open(path, (ty_file_options){0}) : NULL;
    ty_tensor *failure = archive ? ty_archive_failure(archive) : NULL;
    const char *text = archive && !failure ? ty_archive_meta(archive, "preparation") : NULL;
    if (text) p = ty_preparation_parse(text, strlen(text));
    if (!path)
        fault_set(&why, E_ARGUMENT, "preparation_read: the path is NULL");
    else if (failure)
        fault_tensor(&why, failure);
    else if (!p)
        fault_set(&why, E_ARGUMENT,
                  "%.300s: holds no preparation of a table; expected weights of a network for tables", path);
    else if (*ty_preparation_error(p))
        fault_set(&why, preparation_of(p)->fault.code, "%.300s: %.700s", path, ty_preparation_error(p));
    ty_close(scope);
    ty_archive_free(archive);
    if (!why.set) return p;
    ty_preparation_free(p);
    p = preparation_begin();
    fault_copy(&p->fault, &why);
    return preparation_end(p);
}
