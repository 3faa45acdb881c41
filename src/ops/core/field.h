/*
 * What the attributes of an operator are, as a table: a row is a name, a type, a place in the struct, and how many.  The
 * text that people see, saved graphs and their checks all read attributes through it.
 */
#ifndef OPS_CORE_FIELD_H
#define OPS_CORE_FIELD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct infer;
struct text;

enum field_type {
    FIELD_INT,     /* int32_t */
    FIELD_LONG,    /* int64_t */
    FIELD_WORD,    /* uint64_t */
    FIELD_BYTE,    /* uint8_t */
    FIELD_REAL,    /* double */
    FIELD_FLAG,    /* int32_t: 0 or 1 */
    FIELD_DTYPE,   /* int32_t: ty_dtype */
    FIELD_WIDER,   /* int32_t: 0, or 1 + a ty_dtype */
    FIELD_NAME,    /* int32_t: the number of a name */
    FIELD_AXES,    /* uint64_t: a set of axes */
    FIELD_FORM,    /* struct shape_attr: dtype and shape of the result, which are told there */
    FIELD_VARIANT, /* int32_t: op->variant, which the operator's name tells */
    FIELD_RECORD,  /* a struct with fields of its own */
    FIELD_BODY,    /* struct body *, and the uint64_t that is its id */
    FIELD_TYPES
};

enum field_many {
    FIELD_ONE,
    FIELD_FIXED,   /* a list of `most` */
    FIELD_RANK,    /* a list of as many as operand 0 has axes */
    FIELD_COUNTED, /* a list; the int32_t at `counter` says of how many */
    FIELD_REST     /* a list of as many as there are bytes */
};

/* What a list gets in front where the operand does. */
enum field_front {
    FIELD_FRONT_NOTHING,
    FIELD_FRONT_SIZE, /* the size of the new axis: the list is a shape */
    FIELD_FRONT_ENTRY /* `entry`, or zeros: the list has one for each axis */
};
enum { FIELD_FRONT_BYTES = 32 }; /* what that takes at most */

struct field {
    const char *name;
    enum field_type type;
    size_t offset, size; /* of one */
    enum field_many many;
    int most;
    size_t counter;
    bool follows; /* begins where the list before it ends */
    bool tail;    /* the attributes end with the list */
    bool axis;    /* numbers, or sets, of axes: one more where an axis comes in front */
    enum field_front front;
    const void *entry;
    const char *(*named)(int i);    /* FIELD_NAME: name i, NULL behind the last one */
    const struct attributes *parts; /* FIELD_RECORD */
};

struct attributes {
    size_t bytes; /* where no field is a tail */
    int n;
    const struct field *fields;
};

#define FIELD_AT(...) FIELD_AT_OF(__VA_ARGS__, ) /* ISO C wants an argument for "...": an empty one */
#define FIELD_AT_OF(struct_type, member, words, field_type, ...)                                             \
    {                                                                                                        \
        .name = words, .type = field_type, .offset = offsetof(struct_type, member),                          \
        .size = sizeof(((struct_type *)0)->member), __VA_ARGS__                                              \
    }
#define FIELD(...) FIELD_OF(__VA_ARGS__, ) /* of the member's name; members of struct field may follow */
#define FIELD_OF(of, member, type, ...) FIELD_AT_OF(of, member, #member, FIELD_##type, __VA_ARGS__)
#define FIELD_LIST(...) FIELD_LIST_OF(__VA_ARGS__, ) /* an array of as many as `many` says */
#define FIELD_LIST_OF(element, words, field_type, ...)                                                       \
    {                                                                                                        \
        .name = words, .type = field_type, .size = sizeof(element), .most = TY_MAX_RANK, .tail = true,       \
        __VA_ARGS__                                                                                          \
    }
/* A constant `symbol` of the fields that follow, in a struct of so many bytes. */
#define ATTRIBUTES(symbol, struct_bytes, ...) ATTRIBUTES_OF(static, symbol, struct_bytes, __VA_ARGS__)
#define ATTRIBUTES_OF(linkage, symbol, struct_bytes, ...)                                                    \
    static const struct field symbol##_fields[] = {__VA_ARGS__};                                             \
    linkage const struct attributes symbol = {.bytes = struct_bytes,                                         \
                                              .n = sizeof symbol##_fields / sizeof *symbol##_fields,         \
                                              .fields = symbol##_fields}

/* How many elements field `i` has in these attributes, and where the first is. */
int field_count(const struct attributes *a, int i, const struct infer *in);
const char *field_first(const struct attributes *a, int i, const struct infer *in);
/* The number that the bits of an element are, of the types that are whole numbers or names. */
int64_t field_number(const struct field *f, const void *at);

/* The attributes of in->op as they are when operand 0, and the result, get an axis of n in front: into `out`, which has
   room for FIELD_FRONT_BYTES more than there are.  Returns how many bytes they are. */
size_t attributes_in_front(const struct infer *in, int64_t n, void *out);

/* Adds the attributes of in->op as words: its own way (op->describe), else "axes=(0, 1) keep". */
void attributes_text(const struct infer *in, struct text *t);
#endif
