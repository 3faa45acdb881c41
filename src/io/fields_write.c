/* Fields as JSON: a function for each type. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "array/number_format.h"
#include "io/fields.h"
#include "ops/core/op.h"

typedef bool (*writer)(const struct field_writer *w, const struct field *f, const char *at);

static bool write_integer(const struct field_writer *w, const struct field *f, const char *at) {
    text_add(w->t, "%" PRId64, field_number(f, at));
    return true;
}

/* Write an unsigned 64-bit integer as a text, as most readers of JSON hold fewer bits. */
static bool write_word(const struct field_writer *w, const struct field *f, const char *at) {
    text_add(w->t, "\"%" PRIu64 "\"", (uint64_t)field_number(f, at));
    return true;
}

/* Write a double as a number; infinities and NaN as texts, since JSON has no numbers for them. */
static bool write_real(const struct field_writer *w, const struct field *f, const char *at) {
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

static bool write_flag(const struct field_writer *w, const struct field *f, const char *at) {
    text_add(w->t, field_number(f, at) ? "true" : "false");
    return true;
}

static bool write_dtype(const struct field_writer *w, const struct field *f, const char *at) {
    int64_t number = field_number(f, at) - (f->type == FIELD_WIDER);
    text_add(w->t, number < 0 ? "null" : "\"%s\"", number < 0 ? "" : ty_dtype_name((ty_dtype)number));
    return true;
}

static bool write_name(const struct field_writer *w, const struct field *f, const char *at) {
    text_add(w->t, "\"%s\"", f->named((int)field_number(f, at)));
    return true;
}

/* Write a bit set of axes as a list of numbers. */
static bool write_axes(const struct field_writer *w, const struct field *f, const char *at) {
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

static bool write_record(const struct field_writer *w, const struct field *f, const char *at) {
    struct infer in = {.attr = at, .attr_bytes = f->size};
    struct field_writer inside = *w;
    if (w->style == FIELDS_LINES) inside.style = FIELDS_SPACED;
    return fields_write(&inside, f->parts, &in);
}

static bool write_text(const struct field_writer *w, const struct field *f, const char *at) {
    const char *text;
    memcpy(&text, at, f->size);
    return json_add_text(w->t, text, w->fault);
}

static bool write_version(const struct field_writer *w, const struct field *f, const char *at) {
    (void)at;
    text_add(w->t, "%d", f->most);
    return true;
}

static bool write_other(const struct field_writer *w, const struct field *f, const char *at) {
    return w->other(w->context, w->t, f, at);
}

static const writer writers[FIELD_TYPES] = {
    [FIELD_INT] = write_integer,  [FIELD_LONG] = write_integer,    [FIELD_WORD] = write_word,
    [FIELD_BYTE] = write_integer, [FIELD_REAL] = write_real,       [FIELD_FLAG] = write_flag,
    [FIELD_DTYPE] = write_dtype,  [FIELD_WIDER] = write_dtype,     [FIELD_NAME] = write_name,
    [FIELD_AXES] = write_axes,    [FIELD_RECORD] = write_record,   [FIELD_BODY] = write_other,
    [FIELD_TEXT] = write_text,    [FIELD_VERSION] = write_version, [FIELD_OTHER] = write_other,
};

/* Write n elements of a list, the first at `at`; false after a fault. */
static bool write_list(const struct field_writer *w, const struct field *f, int n, const char *at) {
    static const char *const commas[] = {",", ", ", ", "};
    bool lines = w->style == FIELDS_LINES && f->parts, done = true;
    text_add(w->t, "[");
    for (int i = 0; i < n && done; i++, at += f->size) {
        text_add(w->t, "%s%s", !i ? "" : lines ? "," : commas[w->style], lines ? "\n    " : "");
        done = writers[f->type](w, f, at);
    }
    text_add(w->t, "]");
    return done;
}

bool fields_write(const struct field_writer *w, const struct attributes *a, const struct infer *in) {
    static const char *const commas[] = {",", ", ", ",\n  "};
    const char *before = "{";
    bool done = true;
    for (int i = 0; i < a->n && done; i++) {
        const struct field *f = &a->fields[i];
        if (!writers[f->type]) continue;
        text_add(w->t, "%s\"%s\":%s", before, f->name, w->style ? " " : "");
        before = commas[w->style];
        const char *at = field_first(a, i, in);
        done =
            f->many == FIELD_ONE ? writers[f->type](w, f, at) : write_list(w, f, field_count(a, i, in), at);
    }
    text_add(w->t, *before == '{' ? "{}" : "}");
    return done;
}
