/* Values of fields from outside: checked against type and range, and named in messages. */
#ifndef OPS_CORE_FIELD_VALUE_H
#define OPS_CORE_FIELD_VALUE_H
#include "base/for_command.h"
#include "base/nearest.h"
#include "base/text.h"
#include "ops/core/field.h"

enum { FIELD_WORDS = 512 }; /* bytes of the longest list of names in messages */

/* Append one element of field f, at address `at`, as text: 3, true, f32, (1, 2); of a type that has a text (not
   FIELD_FORM, VARIANT, TEXT, VERSION, OTHER). */
void field_add(struct text *t, const struct field *f, const char *at);
/* Describe the values of field f in out[FIELD_WORDS], for messages behind "expected": "a whole number of at least
   1", "one of C, M, N, K". Return out. */
const char *field_expected(const struct field *f, char *out) FOR_COMMAND(field_expected);
/* Return true if x is in the range of field f; NaN is in none. */
bool field_holds(const struct field *f, double x) FOR_COMMAND(field_holds);
/* Return true if the number of field f in the struct at `options` is in its range; else set the fault "who: name 2;
   expected ...". */
bool field_check(const struct field *f, const void *options, const char *who, struct fault *fault);
/* Append the numbers in the struct at `options` that are not 0, each as " name=value" with all digits of a double. */
void fields_describe(struct text *t, const struct attributes *a, const void *options);

/* Store an integer at `at`, for FIELD_INT, LONG, BYTE or FLAG; false, and nothing is stored, if it does not fit the
   type or the range. */
bool field_put_integer(const struct field *f, void *at, int64_t number);
/* Store a FIELD_REAL at `at`; false, and nothing is stored, if it is out of range. */
bool field_put_real(const struct field *f, void *at, double number);
/* True if the values of field f are names. */
static inline bool field_has_names(const struct field *f) {
    return f->type == FIELD_NAME || f->type == FIELD_DTYPE || f->type == FIELD_WIDER;
}
/* Store the number of a name at `at`, for FIELD_NAME, DTYPE or WIDER; false if it is unknown, after offering all known
   names to *near. */
bool field_put_name(const struct field *f, void *at, const char *name, struct nearest *near);
/* Parse the digits of a FIELD_WORD and store it at `at`; false if they are none or exceed 64 bits. */
bool field_put_word(const struct field *f, void *at, const char *digits);
/* Parse a text as one element of field f (no FIELD_RECORD, AXES, BODY) and store it at `at`, which borrows a
   FIELD_TEXT. False if it is no such value; *near then has the nearest name, if f has names. */
bool field_parse(const struct field *f, const char *text, void *at, struct nearest *near)
    FOR_COMMAND(field_parse);
#endif
