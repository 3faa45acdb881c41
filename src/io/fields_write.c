/* Fields as JSON: a function for each type. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "io/fields.h"
#include "ops/core/field_value.h"
#include "ops/core/op.h"

typedef bool (*writer)(const struct field_writer *w, const struct field *f, const char *at);

/* Write an element as text, in quotes unless it is a number or a flag. An unsigned 64-bit integer, infinities and NaN
   are quoted too: JSON has no numbers for them, or few readers do. */
static bool write_plain(const struct field_writer *w, const struct field *f, const char *at) {
    static const bool is_quoted[FIELD_TYPES] = {
        [FIELD_WORD] = true, [FIELD_DTYPE] = true, [FIELD_WIDER] = true, [FIELD_NAME] = true};
    double real = 0;
    if (f->type == FIELD_REAL) memcpy(&real, at, sizeof real);
    bool none = f->type == FIELD_WIDER && !field_number(f, at);
    const char *quote = !none && (is_quoted[f->type] || !isfinite(real)) ? "\"" : "";
    text_add(w->t, "%s", none ? "null" : quote);
    if (!none) field_add(w->t, f, at);
    text_add(w->t, "%s", quote);
    return true;
}

/* Write field f, the bit set of axes at address `at`, as a list of numbers. Always true. */
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
    [FIELD_INT] = write_plain,   [FIELD_LONG] = write_plain,      [FIELD_WORD] = write_plain,
    [FIELD_BYTE] = write_plain,  [FIELD_REAL] = write_plain,      [FIELD_FLAG] = write_plain,
    [FIELD_DTYPE] = write_plain, [FIELD_WIDER] = write_plain,     [FIELD_NAME] = write_plain,
    [FIELD_AXES] = write_axes,   [FIELD_RECORD] = write_record,   [FIELD_BODY] = write_other,
    [FIELD_TEXT] = write_text,   [FIELD_VERSION] = write_version, [FIELD_OTHER] = write_other,
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
