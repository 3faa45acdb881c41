/* Fields from JSON: each value must have the type and range of its description, and each list its length. */
#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "base/alloc.h"
#include "io/fields.h"
#include "ops/core/field_value.h"
#include "ops/core/op.h"
#include "ops/core/structure.h"

/* ---- messages ---- */

/* Set the fault with the formatted reason, behind the list and index of the record that is read, if any; always
   return false. */
__attribute__((format(printf, 2, 3))) static bool refuse_json(const struct field_reader *r,
                                                              const char *format, ...) {
    char reason[768];
    int n = r->list ? text_print(reason, sizeof reason, "%s %d: ", r->list, r->index) : 0;
    va_list args;
    va_start(args, format);
    text_format(reason + n, sizeof reason - (size_t)n, format, args);
    va_end(args);
    r->refuse(r->context, E_FORMAT, reason);
    return false;
}

/* Set the fault about a value, with a hint behind it; always return false. */
static bool unexpected(const struct field_reader *r, const char *name, const struct json *found,
                       const char *hint, const char *expected) {
    enum { SHOWN = 60 };
    if (!found) return refuse_json(r, "\"%.60s\" is missing; expected %s", name, expected);
    char *shown = json_shown(found, SHOWN);
    struct text words = {0};
    text_add_visible(&words, shown && *shown ? shown : "something else");
    if (shown && !words.failed)
        refuse_json(r, "\"%.60s\" is %s%s; expected %s", name, words.data, hint, expected);
    else
        r->refuse(r->context, E_MEMORY, "out of memory");
    text_drop(&words);
    mem_free(shown);
    return false;
}

bool field_unexpected(const struct field_reader *r, const char *name, const struct json *found,
                      const char *expected) {
    return unexpected(r, name, found, "", expected);
}

/* ---- names of fields ---- */

static bool is_name(const char *listed, const char *key) { return !strcmp(listed + (*listed == '?'), key); }

static bool is_listed(const char *const *names, const char *key) {
    for (; *names; names++)
        if (is_name(*names, key)) return true;
    return false;
}

/* Set the fault about a field that is not listed, with the nearest name; always return false. */
static bool refuse_name(const struct field_reader *r, const char *const *names, const char *key) {
    struct nearest near = {.wanted = key};
    for (; *names; names++) nearest_offer(&near, *names + (**names == '?'));
    return refuse_json(r, "\"%.60s\" is not a known field%s", key,
                       nearest_hint(&near, (char[NEAREST_HINT]){0}));
}

bool fields_check(const struct field_reader *r, const struct json *object, const char *const *names) {
    if (!json_is(object, JSON_OBJECT))
        return refuse_json(r, "expected an object with \"%s\"", names[0] ? names[0] : "");
    for (size_t k = 0; k < json_count(object) && !r->newer; k++)
        if (!is_listed(names, json_at(object, k)->key)) return refuse_name(r, names, json_at(object, k)->key);
    for (int i = 0; names[i]; i++)
        if (*names[i] != '?' && !json_get(object, names[i]))
            return refuse_json(r, "\"%s\" is missing", names[i]);
    return true;
}

/* ---- values ---- */

static bool read_integer(const struct field *f, const struct json *value, void *at) {
    int64_t number;
    return json_integer(value, &number) && field_put_integer(f, at, number);
}

static bool read_word(const struct field *f, const struct json *value, void *at) {
    return field_put_word(f, at, json_text(value));
}

/* Read a double: a number or, if its range is not limited, one of the texts inf, -inf, nan. */
static bool read_real(const struct field *f, const struct json *value, void *at) {
    static const struct {
        const char *name;
        double value;
    } others[] = {{"inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}};
    const char *text = json_text(value);
    double real = 0;
    if (json_number(value, &real)) return field_put_real(f, at, real);
    for (size_t i = 0; text && i < sizeof others / sizeof *others; i++)
        if (!strcmp(text, others[i].name)) return field_put_real(f, at, others[i].value);
    return false;
}

static bool read_flag(const struct field *f, const struct json *value, void *at) {
    return json_is_flag(value) && field_put_integer(f, at, json_is(value, JSON_TRUE));
}

/* Read a list of axes, ascending and distinct, into a bit set. */
static bool read_axes(const struct field *f, const struct json *value, void *at) {
    uint64_t axes = 0;
    int64_t axis, least = 0;
    for (size_t i = 0; i < json_count(value); i++, least = axis + 1) {
        if (!json_integer(json_at(value, i), &axis) || axis < least || axis >= TY_MAX_RANK) return false;
        axes |= (uint64_t)1 << axis;
    }
    memcpy(at, &axes, f->size);
    return json_is(value, JSON_LIST);
}

static bool read_text(const struct field *f, const struct json *value, void *at) {
    const char *text = json_text(value);
    memcpy(at, &text, f->size);
    return text && *text;
}

static bool read_version(const struct field *f, const struct json *value, void *at) {
    int64_t number;
    (void)at;
    return json_integer(value, &number) && number == f->most;
}

static bool (*const readers[FIELD_TYPES])(const struct field *, const struct json *, void *) = {
    [FIELD_INT] = read_integer,  [FIELD_LONG] = read_integer,    [FIELD_WORD] = read_word,
    [FIELD_BYTE] = read_integer, [FIELD_REAL] = read_real,       [FIELD_FLAG] = read_flag,
    [FIELD_AXES] = read_axes,    [FIELD_VERSION] = read_version, [FIELD_TEXT] = read_text,
};

static bool is_other(const struct field *f) { return f->type == FIELD_BODY || f->type == FIELD_OTHER; }
static bool is_in_files(const struct field *f) {
    return readers[f->type] || field_has_names(f) || is_other(f) || f->type == FIELD_RECORD;
}

bool field_read(const struct field_reader *r, const struct field *f, const struct json *value, void *at) {
    struct infer inside = {.attr = at, .attr_bytes = f->size};
    struct nearest near = {0};
    char hint[NEAREST_HINT] = "", words[FIELD_WORDS];
    if (is_other(f)) return r->other(r->context, f, value, at);
    if (f->type == FIELD_RECORD) return fields_read(r, f->parts, value, &inside, at);
    if (f->type == FIELD_WIDER && json_is(value, JSON_NULL)) return true; /* 0 stands there */
    if (field_has_names(f) ? field_put_name(f, at, json_text(value), &near) : readers[f->type](f, value, at))
        return true;
    if (near.wanted) nearest_hint(&near, hint);
    return unexpected(r, f->name, value, hint,
                      f->type == FIELD_WORD ? "a text of digits, of 64 bits" : field_expected(f, words));
}

/* ---- lists ---- */

/* Return the length of the list for field f, if it is what the description and the operand's rank demand; -1 after a
   fault. */
static int64_t list_length(const struct field_reader *r, const struct field *f, const struct json *list,
                           const struct infer *in) {
    int64_t n = (int64_t)json_count(list), wanted = f->many == FIELD_FIXED ? f->most : n;
    bool exact = f->many == FIELD_RANK || f->many == FIELD_FIXED;
    char expected[64];
    if (f->many == FIELD_RANK) wanted = in->ninputs > 0 ? in->inputs[0]->layout.rank : 0;
    if (json_is(list, JSON_LIST) && n == wanted && n <= f->most) return n;
    text_print(expected, sizeof expected, "a list of %s%lld", exact ? "" : "up to ",
               (long long)(exact ? wanted : f->most));
    field_unexpected(r, f->name, list, expected);
    return -1;
}

/* Read a list for field f to *end, and advance *end past it; attr, the struct, may hold its length. False sets the
   fault. */
static bool read_list(const struct field_reader *r, const struct field *f, const struct json *list,
                      const struct infer *in, char *attr, char **end) {
    struct field_reader inside = *r;
    int64_t n = list_length(r, f, list, in);
    int32_t count = (int32_t)n;
    if (n < 0) return false;
    if (f->many == FIELD_COUNTED) memcpy(attr + f->counter, &count, sizeof count);
    if (f->parts) inside.list = f->name;
    for (inside.index = 0; inside.index < n; inside.index++, *end += f->size)
        if (!field_read(&inside, f, json_at(list, (size_t)inside.index), *end)) return false;
    return true;
}

/* ---- structs ---- */

bool fields_bytes(const struct field_reader *r, const struct attributes *a, const struct json *object,
                  const struct infer *in, size_t *bytes) {
    *bytes = a->bytes;
    for (int i = 0; i < a->n; i++) {
        const struct field *f = &a->fields[i];
        size_t form = offsetof(struct shape_attr, shape) + sizeof(int64_t) * (size_t)in->rank;
        int64_t n = 0;
        if (!f->tail) continue;
        if (f->type != FIELD_FORM && (n = list_length(r, f, json_get(object, f->name), in)) < 0) return false;
        *bytes = f->offset + (f->type == FIELD_FORM ? form : f->size * (size_t)n);
    }
    return true;
}

/* Return true if the object has exactly the fields that files hold of table *a, and the version, which comes first, is
   known; else set the fault. */
static bool check_names(const struct field_reader *r, const struct attributes *a, const struct json *object) {
    enum { MOST = 24 };
    const char *names[MOST];
    int n = 0;
    if (a->n && a->fields->type == FIELD_VERSION &&
        !field_read(r, a->fields, json_get(object, a->fields->name), NULL))
        return false;
    for (int i = 0; i < a->n && n < MOST - 1; i++)
        if (is_in_files(&a->fields[i])) names[n++] = a->fields[i].name;
    names[n] = NULL;
    return fields_check(r, object, names);
}

bool fields_read(const struct field_reader *r, const struct attributes *a, const struct json *object,
                 const struct infer *in, void *attr) {
    char *end = attr;
    bool done = check_names(r, a, object);
    for (int i = 0; i < a->n && done; i++) {
        const struct field *f = &a->fields[i];
        const struct json *value = json_get(object, f->name);
        if (!f->follows) end = (char *)attr + f->offset;
        if (f->type == FIELD_VARIANT) {
            memcpy(end, &in->op->variant, sizeof in->op->variant);
        } else if (f->type == FIELD_FORM) {
            struct shape_attr form = {0};
            shape_attr_fill(&form, in->dtype, in->rank, in->shape);
            memcpy(end, &form, shape_attr_bytes(&form, 0));
        } else if (f->many == FIELD_ONE) {
            done = field_read(r, f, value, end);
        } else {
            done = read_list(r, f, value, in, attr, &end);
        }
    }
    return done;
}
