/*
 * JSON (RFC 8259) as a tree of values in one block of memory.
 *
 * Strict: UTF-8 without a byte order mark, no comments, no commas at the end.  Refused although the grammar has it: a
 * name twice in one object, a text with U+0000 (texts end there in C), a number beyond the largest double, and nesting
 * beyond the caller's limit.
 */
#ifndef IO_JSON_H
#define IO_JSON_H
#include <stdint.h>
#include "base/json_text.h"

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_WHOLE, /* digits alone, and 64 bits hold them */
    JSON_REAL,  /* any other number, rounded once */
    JSON_TEXT,
    JSON_LIST,
    JSON_OBJECT
};

struct json {
    enum json_kind kind;
    bool negative;   /* of a whole number: it is -size */
    size_t count;    /* items of a list or an object */
    const char *key; /* name in its object; NULL: it is not in one */
    union {
        uint64_t size;
        double real;
        const char *text;
        const struct json *items; /* in the order of the text */
    };
};

/*
 * Reads n bytes.  `name` and `part` begin sentences: "file: the header is not valid JSON: expected ..., found ..., at
 * line 1, column 7" (columns are characters).  At most `depth` lists and objects are inside each other; the tree takes
 * `most` bytes at most, which is checked before it is allocated: 40 a value and one a byte of text.
 * Returns the root, which mem_free ends with all below; NULL after a fault.
 */
struct json *json_read(const char *name, const char *part, const char *text, size_t n, int depth,
                       uint64_t most, struct fault *fault);

/* Parts of values; each takes NULL, which is a value that is not there. */
static inline bool json_is(const struct json *v, enum json_kind kind) { return v && v->kind == kind; }
static inline bool json_is_flag(const struct json *v) {
    return json_is(v, JSON_FALSE) || json_is(v, JSON_TRUE);
}
static inline const char *json_text(const struct json *v) { return json_is(v, JSON_TEXT) ? v->text : NULL; }
/* Items of a list or an object; 0 of other values. */
static inline size_t json_count(const struct json *v) {
    return json_is(v, JSON_LIST) || json_is(v, JSON_OBJECT) ? v->count : 0;
}
/* NULL where there is none. */
static inline const struct json *json_at(const struct json *v, size_t i) {
    return i < json_count(v) ? &v->items[i] : NULL;
}
const struct json *json_get(const struct json *object, const char *key);
/* A whole number that 64 bits hold with its sign. */
bool json_integer(const struct json *v, int64_t *n);
/* Any number; a whole one is rounded to nearest. */
bool json_number(const struct json *v, double *x);

/* Adds a value on one line without blanks; reading that gives an equal tree. */
void json_add_value(struct text *t, const struct json *v);
/* A value as a sentence shows it: on one line, if that has at most `most` bytes; else the text is empty.  Owned by the
   caller (mem_free); NULL: no memory. */
char *json_shown(const struct json *v, size_t most);
#endif
