/* Attributes of operators as JSON, driven by their tables. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/number_format.h"
#include "io/graphs/graph_file.h"
#include "io/json.h"
#include "ops/core/op.h"

struct writer {
    struct text *t;
    int64_t (*number)(void *context, struct body *b);
    void *context;
};

static bool write_fields(struct writer *w, const struct attributes *a, const struct infer *in);

static bool write_integer(struct writer *w, const struct field *f, const char *at) {
    text_add(w->t, "%" PRId64, field_number(f, at));
    return true;
}

/* Append the field, an unsigned 64-bit integer at `at`, as a JSON text, since most readers of JSON hold
   fewer bits. Always return true. */
static bool write_word(struct writer *w, const struct field *f, const char *at) {
    text_add(w->t, "\"%" PRIu64 "\"", (uint64_t)field_number(f, at));
    return true;
}

/* Append the field, a double at `at`, as a JSON number; infinities and NaN as texts, since JSON has no
   numbers for them. Always return true. */
static bool write_real(struct writer *w, const struct field *f, const char *at) {
    struct element e = {0};
    double real;
    memcpy(&real, at, f->size);
    e.z = real;
    const char *quote = isfinite(real) ? "" : "\"";
    text_add(w->t, "%s", quote);
    number_add_scalar(w->t, TY_F64, e);
    text_add(w->t, "%s", quote);
    return true;
}

static bool write_flag(struct writer *w, const struct field *f, const char *at) {
    text_add(w->t, field_number(f, at) ? "true" : "false");
    return true;
}

static bool write_dtype(struct writer *w, const struct field *f, const char *at) {
    int64_t number = field_number(f, at) - (f->type == FIELD_WIDER);
    text_add(w->t, number < 0 ? "null" : "\"%s\"", number < 0 ? "" : ty_dtype_name((ty_dtype)number));
    return true;
}

static bool write_name(struct writer *w, const struct field *f, const char *at) {
    text_add(w->t, "\"%s\"", f->named((int)field_number(f, at)));
    return true;
}

/* Append the field, a bit set of axes at `at`, as a list of axes in ascending order. Always return true. */
static bool write_axes(struct writer *w, const struct field *f, const char *at) {
    uint64_t axes = (uint64_t)field_number(f, at);
    const char *before = "[";
    for (int i = 0; i < 64; i++) {
        if (!(axes >> i & 1)) continue;
        text_add(w->t, "%s%d", before, i);
        before = ",";
    }
    text_add(w->t, axes ? "]" : "[]");
    return true;
}

static bool write_record(struct writer *w, const struct field *f, const char *at) {
    struct infer inside = {.attr = at, .attr_bytes = f->size};
    return write_fields(w, f->parts, &inside);
}

/* Append the field, a pointer to a subgraph at `at`, as its index in the file. A new subgraph is first
   written to the file. False after a fault. */
static bool write_body(struct writer *w, const struct field *f, const char *at) {
    struct body *b;
    (void)f;
    memcpy(&b, at, sizeof b);
    int64_t number = w->number(w->context, b);
    text_add(w->t, "%" PRId64, number);
    return number >= 0;
}

static bool (*const writers[FIELD_TYPES])(struct writer *, const struct field *, const char *) = {
    [FIELD_INT] = write_integer,  [FIELD_LONG] = write_integer,  [FIELD_WORD] = write_word,
    [FIELD_BYTE] = write_integer, [FIELD_REAL] = write_real,     [FIELD_FLAG] = write_flag,
    [FIELD_DTYPE] = write_dtype,  [FIELD_WIDER] = write_dtype,   [FIELD_NAME] = write_name,
    [FIELD_AXES] = write_axes,    [FIELD_RECORD] = write_record, [FIELD_BODY] = write_body,
};

/* Append the attributes that files hold, which start at in->attr, as a JSON object; the operands of `in`
   fix lengths of lists. False after a fault. */
static bool write_fields(struct writer *w, const struct attributes *a, const struct infer *in) {
    const char *before = "{";
    bool done = true;
    for (int i = 0; i < a->n && done; i++) {
        const struct field *f = &a->fields[i];
        if (!writers[f->type]) continue;
        text_add(w->t, "%s\"%s\":", before, f->name);
        before = ",";
        bool list = f->many != FIELD_ONE;
        int n = field_count(a, i, in);
        const char *at = field_first(a, i, in);
        if (list) text_add(w->t, "[");
        for (int k = 0; k < n && done; k++) {
            if (k) text_add(w->t, ",");
            done = writers[f->type](w, f, at + f->size * (size_t)k);
        }
        if (list) text_add(w->t, "]");
    }
    text_add(w->t, *before == '{' ? "{}" : "}");
    return done;
}

bool graph_fields_write(struct text *t, const struct infer *in,
                        int64_t (*number)(void *context, struct body *b), void *context) {
    struct writer w = {t, number, context};
    return write_fields(&w, in->op->attributes, in);
}
