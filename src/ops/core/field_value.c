#include "ops/core/field_value.h"
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "array/dtype.h"
#include "array/number_read.h"

/* ---- ranges ---- */

static bool is_ranged(const struct field *f) { return f->low != 0 || f->end != 0; }

/* Set the least and the greatest integer that type and range of field f allow. */
static void limits(const struct field *f, int64_t *low, int64_t *high) {
    bool byte = f->size == sizeof(uint8_t), small = f->size == sizeof(int32_t);
    *low = byte ? 0 : small ? INT32_MIN : INT64_MIN;
    *high = f->type == FIELD_FLAG ? 1 : byte ? UINT8_MAX : small ? INT32_MAX : INT64_MAX;
    if (!is_ranged(f)) return;
    if (f->low > (double)*low) *low = (int64_t)f->low + f->above;
    if (f->end < 0x1p63 && (int64_t)f->end - !f->upto < *high) *high = (int64_t)f->end - !f->upto;
}

bool field_holds(const struct field *f, double x) {
    if (!is_ranged(f)) return true;
    return (f->above ? x > f->low : x >= f->low) && (f->upto ? x <= f->end : x < f->end);
}

static double number_of(const struct field *f, const void *options) {
    const char *at = (const char *)options + f->offset;
    double x;
    if (f->type != FIELD_REAL) return (double)field_number(f, at);
    memcpy(&x, at, sizeof x);
    return x;
}

bool field_check(const struct field *f, const void *options, const char *who, struct fault *fault) {
    char words[FIELD_WORDS];
    double x = number_of(f, options);
    return field_holds(f, x) ||
           fault_set(fault, E_ARGUMENT, "%s: %s %g; expected %s", who, f->name, x, field_expected(f, words));
}

void fields_describe(struct text *t, const struct attributes *a, const void *options) {
    for (int i = 0; i < a->n; i++) {
        double x = number_of(&a->fields[i], options);
        if (x != 0) text_add(t, " %s=%.17g", a->fields[i].name, x);
    }
}

/* ---- words ---- */

/* Return name i of the field's type, NULL behind the last one. */
static const char *name_of(const struct field *f, int i) {
    if (f->type == FIELD_NAME) return f->named(i);
    return i < TY_DTYPES ? dtype_table[i].name : NULL;
}

/* As name_of, also for dtypes for storage, which messages leave out; "" for TY_DTYPES. */
static const char *known_name(const struct field *f, int i) {
    if (f->type == FIELD_NAME) return f->named(i);
    return i < DTYPE_ROWS ? dtype_table[i].name : NULL;
}

static void list_names(const struct field *f, char *out) {
    size_t n = 0;
    for (int i = 0; name_of(f, i) && n < FIELD_WORDS; i++)
        n += (size_t)text_print(out + n, FIELD_WORDS - n, "%s%s", i ? ", " : "one of ", name_of(f, i));
}

static void tell_integers(const struct field *f, char *out) {
    int64_t low, high;
    limits(f, &low, &high);
    if (low == high)
        text_print(out, FIELD_WORDS, "%" PRId64, low);
    else if (high < INT64_MAX)
        text_print(out, FIELD_WORDS, "a whole number from %" PRId64 " to %" PRId64, low, high);
    else if (low > INT64_MIN)
        text_print(out, FIELD_WORDS, "a whole number of at least %" PRId64, low);
    else
        text_print(out, FIELD_WORDS, "a whole number of 64 bits");
}

static void tell_reals(const struct field *f, char *out) {
    size_t n = (size_t)text_print(out, FIELD_WORDS, "a number");
    if (!is_ranged(f)) text_print(out + n, FIELD_WORDS - n, ", or one of inf, -inf, nan");
    if (!is_ranged(f) || f->low < -DBL_MAX / 2) return;
    n += (size_t)text_print(out + n, FIELD_WORDS - n, f->above ? " above %g" : " of at least %g", f->low);
    if (isfinite(f->end))
        text_print(out + n, FIELD_WORDS - n, f->upto ? " and at most %g" : " and below %g", f->end);
}

const char *field_expected(const struct field *f, char *out) {
    static const char *const words[FIELD_TYPES] = {[FIELD_FLAG] = "true or false",
                                                   [FIELD_WORD] =
                                                       "a whole number from 0 to 18446744073709551615",
                                                   [FIELD_AXES] = "a list of axes",
                                                   [FIELD_RECORD] = "an object",
                                                   [FIELD_TEXT] = "a text of at least one character"};
    if (words[f->type])
        text_print(out, FIELD_WORDS, "%s", words[f->type]);
    else if (f->type == FIELD_VERSION)
        text_print(out, FIELD_WORDS, "%d, the only version that this build reads", f->most);
    else if (field_has_names(f))
        list_names(f, out);
    else if (f->type == FIELD_REAL)
        tell_reals(f, out);
    else
        tell_integers(f, out);
    return out;
}

/* ---- storing ---- */

/* Store an integer in the field's size: 1, 4 or 8 bytes. */
static void store(const struct field *f, void *at, int64_t number) {
    uint8_t byte = (uint8_t)number;
    int32_t small = (int32_t)number;
    bool is_byte = f->size == sizeof byte, is_small = f->size == sizeof small;
    memcpy(at, is_byte ? (const void *)&byte : is_small ? (const void *)&small : &number, f->size);
}

bool field_put_integer(const struct field *f, void *at, int64_t number) {
    int64_t low, high;
    limits(f, &low, &high);
    if (number < low || number > high) return false;
    store(f, at, number);
    return true;
}

bool field_put_real(const struct field *f, void *at, double number) {
    if (!field_holds(f, number)) return false;
    memcpy(at, &number, sizeof number);
    return true;
}

bool field_put_name(const struct field *f, void *at, const char *name, struct nearest *near) {
    *near = (struct nearest){.wanted = name};
    for (int i = 0; name && *name && known_name(f, i); i++)
        if (!strcmp(known_name(f, i), name)) {
            store(f, at, i + (f->type == FIELD_WIDER));
            return true;
        }
    for (int i = 0; name && name_of(f, i); i++) nearest_offer(near, name_of(f, i));
    return false;
}

bool field_put_word(const struct field *f, void *at, const char *digits) {
    char *end = NULL;
    errno = 0;
    uint64_t word = digits && *digits >= '0' && *digits <= '9' ? strtoull(digits, &end, 10) : 0;
    if (!end || *end || errno) return false;
    store(f, at, (int64_t)word);
    return true;
}

bool field_parse(const struct field *f, const char *text, void *at, struct nearest *near) {
    struct number number = {0};
    size_t n = strlen(text);
    *near = (struct nearest){.wanted = text};
    if (f->type == FIELD_TEXT) return n && (memcpy(at, &text, sizeof text), true);
    if (f->type == FIELD_WORD) return field_put_word(f, at, text);
    if (field_has_names(f)) return field_put_name(f, at, text, near);
    if (!n || number_read(text, n, &number) != n) return false;
    if (f->type == FIELD_REAL) return field_put_real(f, at, number.value);
    if (!number.whole || number.size > (uint64_t)INT64_MAX + number.negative) return false;
    return field_put_integer(f, at, (int64_t)(number.negative ? 0 - number.size : number.size));
}
