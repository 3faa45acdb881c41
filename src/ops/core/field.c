/* Attributes as text, and their adaptation to a leading axis, by their tables. */
#include "ops/core/field.h"
#include <inttypes.h>
#include <string.h>
#include "array/number_format.h"
#include "ops/core/field_value.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"

/* ---- location of elements ---- */

int field_count(const struct attributes *a, int i, const struct infer *in) {
    const struct field *f = &a->fields[i];
    int32_t counted;
    switch (f->many) {
    case FIELD_ONE:
        return 1;
    case FIELD_FIXED:
        return f->most;
    case FIELD_RANK:
        return in->ninputs > 0 ? in->inputs[0]->layout.rank : 0;
    case FIELD_COUNTED:
        memcpy(&counted, (const char *)in->attr + f->counter, sizeof counted);
        return counted;
    default:
        return (int)((in->attr_bytes - f->offset) / f->size);
    }
}

const char *field_first(const struct attributes *a, int i, const struct infer *in) {
    const struct field *f = &a->fields[i];
    if (!f->follows) return (in->attr ? (const char *)in->attr : "") + f->offset;
    return field_first(a, i - 1, in) + f->size * (size_t)field_count(a, i - 1, in);
}

int64_t field_number(const struct field *f, const void *at) {
    uint8_t byte;
    int32_t small;
    int64_t number;
    if (f->size == sizeof byte) return memcpy(&byte, at, sizeof byte), byte;
    if (f->size == sizeof small) return memcpy(&small, at, sizeof small), small;
    return memcpy(&number, at, sizeof number), number;
}

/* ---- leading axis ---- */

/* Increase, in place, the axis number at address `at`, of field f, by one, or all axes of its set, as if the
   tensor got a new first axis. */
static void add_axis(const struct field *f, char *at) {
    uint64_t set;
    int32_t axis;
    if (f->type == FIELD_AXES) {
        memcpy(&set, at, sizeof set);
        set <<= 1;
        memcpy(at, &set, sizeof set);
    } else {
        memcpy(&axis, at, sizeof axis);
        axis++;
        memcpy(at, &axis, sizeof axis);
    }
}

size_t attributes_in_front(const struct infer *in, int64_t n, void *out) {
    const struct attributes *a = in->op->attributes;
    size_t bytes = in->attr_bytes;
    if (bytes) memcpy(out, in->attr, bytes);
    for (int i = 0; a && i < a->n; i++) {
        const struct field *f = &a->fields[i];
        int count = field_count(a, i, in);
        char *at = (char *)out + (field_first(a, i, in) - (const char *)(in->attr ? in->attr : ""));
        for (int k = 0; k < count && f->axis; k++) add_axis(f, at + f->size * (size_t)k);
        if (f->front == FIELD_FRONT_NOTHING) continue;
        memmove(at + f->size, at, f->size * (size_t)count); /* such a list is the last field of the
                                                               attributes */
        memset(at, 0, f->size);
        if (f->front == FIELD_FRONT_SIZE) memcpy(at, &n, sizeof n);
        if (f->entry) memcpy(at, f->entry, f->size);
        bytes += f->size;
    }
    return bytes;
}

/* ---- text ---- */

static void add_fields(struct text *t, const struct attributes *a, const struct infer *in);

static void add_integer(struct text *t, const struct field *f, const char *at) {
    text_add(t, "%" PRId64, field_number(f, at));
}
static void add_word(struct text *t, const struct field *f, const char *at) {
    text_add(t, "%" PRIu64, (uint64_t)field_number(f, at));
}
/* Append the floating-point field f at address `at` to t as a number. */
static void add_real(struct text *t, const struct field *f, const char *at) {
    struct element e = {0};
    double real;
    memcpy(&real, at, f->size);
    e.z = real;
    number_add_scalar(t, TY_F64, e);
}
static void add_flag(struct text *t, const struct field *f, const char *at) {
    text_add(t, field_number(f, at) ? "true" : "false");
}
static void add_dtype(struct text *t, const struct field *f, const char *at) {
    text_add(t, "%s", ty_dtype_name((ty_dtype)(field_number(f, at) - (f->type == FIELD_WIDER))));
}
static void add_name(struct text *t, const struct field *f, const char *at) {
    text_add(t, "%s", f->named((int)field_number(f, at)));
}
static void add_axes(struct text *t, const struct field *f, const char *at) {
    text_axes(t, (uint64_t)field_number(f, at));
}
/* Append the fields of the record f at address `at` to t, in brackets. */
static void add_record(struct text *t, const struct field *f, const char *at) {
    struct infer inside = {.attr = at, .attr_bytes = f->size};
    text_add(t, "(");
    add_fields(t, f->parts, &inside);
    text_add(t, ")");
}
static void add_body(struct text *t, const struct field *f, const char *at) {
    struct field id = {.size = sizeof(uint64_t)};
    add_word(t, &id, at + f->size - id.size);
}

static void (*const adders[FIELD_TYPES])(struct text *, const struct field *, const char *) = {
    [FIELD_INT] = add_integer,  [FIELD_LONG] = add_integer,  [FIELD_WORD] = add_word,
    [FIELD_BYTE] = add_integer, [FIELD_REAL] = add_real,     [FIELD_FLAG] = add_flag,
    [FIELD_DTYPE] = add_dtype,  [FIELD_WIDER] = add_dtype,   [FIELD_NAME] = add_name,
    [FIELD_AXES] = add_axes,    [FIELD_RECORD] = add_record, [FIELD_BODY] = add_body,
};

void field_add(struct text *t, const struct field *f, const char *at) { adders[f->type](t, f, at); }

/* True if the field, with its first element at address `at`, is not printed: a flag that is off, or a field
   without a printer. */
static bool is_silent(const struct field *f, const char *at) {
    bool number = f->type == FIELD_FLAG || f->type == FIELD_WIDER;
    return !adders[f->type] || (number && f->many == FIELD_ONE && !field_number(f, at));
}

/* Append the fields of the attributes in->attr, described by *a, to t as "name=value", separated by blanks.
   Flags that are off and fields without a printer are left out. */
static void add_fields(struct text *t, const struct attributes *a, const struct infer *in) {
    const char *blank = "";
    for (int i = 0; i < a->n; i++) {
        const struct field *f = &a->fields[i];
        const char *at = field_first(a, i, in);
        if (is_silent(f, at)) continue;
        text_add(t, f->type == FIELD_FLAG ? "%s%s" : "%s%s=", blank, f->name);
        blank = " ";
        int n = f->many == FIELD_ONE ? 1 : field_count(a, i, in);
        if (f->type == FIELD_FLAG) n = 0;
        if (f->many != FIELD_ONE) text_add(t, "(");
        for (int k = 0; k < n; k++) {
            text_add(t, k ? ", " : "");
            field_add(t, f, at + f->size * (size_t)k);
        }
        if (f->many != FIELD_ONE) text_add(t, ")");
    }
}

void attributes_text(const struct infer *in, struct text *t) {
    if (in->op->describe)
        in->op->describe(in, t);
    else if (in->op->attributes && (in->attr || !in->attr_bytes))
        add_fields(t, in->op->attributes, in);
}
