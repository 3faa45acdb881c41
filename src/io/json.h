/*
 * JSON (RFC 8259) as a tree of values in one block of memory. Strict: UTF-8 without a byte order mark, no
 * comments, no trailing commas. Beyond the grammar it refuses duplicate names in an object, texts with U+0000,
 * numbers above the largest double, and nesting beyond the caller's limit.
 */
#ifndef IO_JSON_H
#define IO_JSON_H
#include "base/for_command.h"
#include <stdint.h>
#include "base/json_text.h"

/* Kinds of JSON values. */
enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_WHOLE, /* integer without point or exponent that fits 64 bits */
    JSON_REAL,  /* any other number, rounded to nearest */
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
};

/* A JSON value, an item of the block that json_read returns. */
struct json {
    enum json_kind kind;
    bool negative;   /* sign of an integer, whose magnitude is `size` */
    size_t count;    /* items of a list or an object */
    const char *key; /* name in its object; NULL: not in an object */
    union {
        uint64_t size;
        double real;
        const char *text;
        const struct json *items; /* values in the order of the text */
    };
};

/* Parse n bytes of text. At most `depth` lists and objects may nest. The tree needs 40 bytes a value and
   one a byte of text, limited to `most` before it is allocated. Messages begin with `name` and `part`:
   "file: the header is not valid JSON: expected ..., found ..., at line 1, column 7"; columns count
   characters. Return the root, which mem_free frees with the whole tree; NULL sets the fault. */
struct json *json_read(const char *name, const char *part, const char *text, size_t n, int depth,
                       uint64_t most, struct fault *fault) FOR_COMMAND(json_read);

/* Return true if v is of this kind; NULL, a missing value, is of none. */
static inline bool json_is(const struct json *v, enum json_kind kind) { return v && v->kind == kind; }
/* Return true if v is a JSON true or false. */
static inline bool json_is_flag(const struct json *v) {
    return json_is(v, JSON_FALSE) || json_is(v, JSON_TRUE);
}
/* Return the text of v, owned by the tree; NULL if v is NULL or no text. */
static inline const char *json_text(const struct json *v) { return json_is(v, JSON_TEXT) ? v->text : NULL; }
/* Return the number of items of a list or an object; 0 for other values and NULL. */
static inline size_t json_count(const struct json *v) {
    return json_is(v, JSON_LIST) || json_is(v, JSON_OBJECT) ? v->count : 0;
}
/* Return item i, from 0, of a list or an object; NULL if there is none. */
static inline const struct json *json_at(const struct json *v, size_t i) {
    return i < json_count(v) ? &v->items[i] : NULL;
}
/* Return the value named `key` of an object; NULL if there is none or it is no object. */
const struct json *json_get(const struct json *object, const char *key) FOR_COMMAND(json_get);
/* Store v in *n if it is an integer that int64_t holds, and return true; else return false. v may be
   NULL. */
bool json_integer(const struct json *v, int64_t *n) FOR_COMMAND(json_integer);
/* Store v, a number, in *x, rounded to nearest; return false if it is none. v may be NULL. */
bool json_number(const struct json *v, double *x) FOR_COMMAND(json_number);

/* Append the value v to t on one line without blanks; parsing it again gives an equal tree. */
void json_add_value(struct text *t, const struct json *v);
/* Return v on one line for messages, or an empty text if that needs more than `most` bytes. The caller frees
   it (mem_free); NULL without memory. */
char *json_shown(const struct json *v, size_t most);
#endif
