/*
 * Structs as JSON objects, by their descriptions (ops/core/field.h): attributes of operators, options of layers,
 * configurations of contractions, rows of profiles. Reading is strict: every field occurs once, others are refused.
 */
#ifndef IO_FIELDS_H
#define IO_FIELDS_H
#include "io/json.h"
#include "ops/core/field.h"

/* ---- writing ---- */

enum fields_style {
    FIELDS_TIGHT,  /* without blanks */
    FIELDS_SPACED, /* a blank behind each sign */
    FIELDS_LINES   /* a line for each field and for each record of its lists, which are spaced */
};
struct field_writer {
    struct text *t;
    enum fields_style style;
    struct fault *fault; /* set by a FIELD_TEXT that is not UTF-8; NULL: there are none */
    /* Append a FIELD_BODY or FIELD_OTHER; false after a fault. NULL: there are none. */
    bool (*other)(void *context, struct text *t, const struct field *f, const void *at);
    void *context;
};
/* Append the attributes in->attr, which table *a describes, as an object; operands in `in` fix lengths of lists.
   False after a fault. */
bool fields_write(const struct field_writer *w, const struct attributes *a, const struct infer *in);

/* ---- reading ---- */

struct field_reader {
    /* Set the fault: the position in the file, then the reason. */
    void (*refuse)(void *context, ty_code code, const char *reason);
    /* Read a FIELD_BODY or FIELD_OTHER to `at`; false sets the fault. NULL: there are none. */
    bool (*other)(void *context, const struct field *f, const struct json *value, void *at);
    void *context;
    bool newer; /* unknown fields are ignored, as in a file of a later version */
    /* set while a record of a list is read */
    const char *list;
    int index;
};
/* Set a fault about a field: it shows the value `found` (NULL: the field is missing) and the expected kind. Always
   return false. */
bool field_unexpected(const struct field_reader *r, const char *name, const struct json *found,
                      const char *expected);
/* Return true if the object has exactly these fields, a list ended by NULL; a name with "?" in front is optional.
   Else set a fault and return false. */
bool fields_check(const struct field_reader *r, const struct json *object, const char *const *names);
/* Read one element of field f to `at`, a FIELD_TEXT as a pointer into the tree of `value`; false sets a fault, also if
   the value is out of range. */
bool field_read(const struct field_reader *r, const struct field *f, const struct json *value, void *at);
/* Set *bytes to the size of the struct that the object fills, with its last list; `in` has the operands and the
   result's shape, which fix lengths. False after a fault, such as a list of a wrong length. */
bool fields_bytes(const struct field_reader *r, const struct attributes *a, const struct json *object,
                  const struct infer *in, size_t *bytes);
/* Read all fields of the object to `attr`, of fields_bytes zero bytes; false sets a fault. */
bool fields_read(const struct field_reader *r, const struct attributes *a, const struct json *object,
                 const struct infer *in, void *attr);
#endif
