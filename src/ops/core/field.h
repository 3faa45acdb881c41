/* Descriptions of structs: name, type, offset, count and range of each field.  Attributes of operators are printed,
   saved and read by them, configurations of contractions are saved and read (io/fields.h); options of layers and of
   commands and hyperparameters are read and checked. */
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
    FIELD_FLAG,    /* int32_t or bool: 0 or 1 */
    FIELD_DTYPE,   /* int32_t: ty_dtype */
    FIELD_WIDER,   /* int32_t: 0, or 1 + a ty_dtype */
    FIELD_NAME,    /* int32_t: index of a name */
    FIELD_AXES,    /* uint64_t: a set of axes */
    FIELD_FORM,    /* struct shape_attr: dtype and shape of the result, which are printed with the result */
    FIELD_VARIANT, /* int32_t: op->variant, which the operator's name implies */
    FIELD_RECORD,  /* a struct with its own fields */
    FIELD_BODY,    /* struct body *, then the uint64_t that is its id */
    FIELD_TEXT,    /* const char *, borrowed; not empty */
    FIELD_VERSION, /* no bytes: files hold the number `most` */
    FIELD_OTHER,   /* a type that only the reader's caller knows */
    FIELD_TYPES
};

enum field_many {
    FIELD_ONE,
    FIELD_FIXED,   /* a list of `most` */
    FIELD_RANK,    /* a list with one element per axis of operand 0 */
    FIELD_COUNTED, /* a list; the int32_t at `counter` is its length */
    FIELD_REST     /* a list that fills the remaining bytes */
};

/* Element that a list gets in front when operand 0 gets a leading axis. */
enum field_front {
    FIELD_FRONT_NOTHING,
    FIELD_FRONT_SIZE, /* the size of the new axis: the list is a shape */
    FIELD_FRONT_ENTRY /* `entry`, or zeros: the list has one element per axis */
};
enum { FIELD_FRONT_BYTES = 32 }; /* upper bound of its bytes */

struct field {
    const char *name;
    enum field_type type;
    size_t offset, size; /* offset in the struct; bytes of one element */
    enum field_many many;
    int most;
    size_t counter;
    bool follows; /* begins where the list before it ends */
    bool tail;    /* the list ends the attributes */
    bool axis;    /* axis numbers or sets of axes, which shift by one when a leading axis is added */
    enum field_front front;
    const void *entry;
    double low,
        end; /* range of a number, low <= x < end; both 0: any.  `above`: low < x.  `upto`: x <= end */
    bool above, upto;
    const char *(*named)(int i);    /* FIELD_NAME: name i, NULL behind the last one */
    const struct attributes *parts; /* FIELD_RECORD */
};

struct attributes {
    size_t bytes; /* fixed size of the struct, if no field is a tail */
    int n;
    const struct field *fields;
};

#define FIELD_AT(...) FIELD_AT_OF(__VA_ARGS__, ) /* ISO C requires an argument for "...": an empty one */
#define FIELD_AT_OF(struct_type, member, words, field_type, ...)                                             \
    {                                                                                                        \
        .name = words, .type = field_type, .offset = offsetof(struct_type, member),                          \
        .size = sizeof(((struct_type *)0)->member), __VA_ARGS__                                              \
    }
#define FIELD(...) FIELD_OF(__VA_ARGS__, ) /* named after the member; more initialisers may follow */
#define FIELD_OF(of, member, type, ...) FIELD_AT_OF(of, member, #member, FIELD_##type, __VA_ARGS__)
#define FIELD_MANY(...) FIELD_MANY_OF(__VA_ARGS__, ) /* a member that is an array */
#define FIELD_MANY_OF(of, member, words, field_type, ...)                                                    \
    {                                                                                                        \
        .name = words, .type = FIELD_##field_type, .offset = offsetof(of, member),                           \
        .size = sizeof(*((of *)0)->member), .most = sizeof(((of *)0)->member) / sizeof(*((of *)0)->member),  \
        __VA_ARGS__                                                                                          \
    }
#define FIELD_TAIL(...) FIELD_TAIL_OF(__VA_ARGS__, ) /* the flexible array that ends a struct */
#define FIELD_TAIL_OF(of, member, type_of, ...)                                                              \
    {                                                                                                        \
        .name = #member, .type = FIELD_##type_of, .offset = offsetof(of, member),                            \
        .size = sizeof(*((of *)0)->member), .most = INT32_MAX, .tail = true, __VA_ARGS__                     \
    }
#define FIELD_LIST(...) FIELD_LIST_OF(__VA_ARGS__, ) /* an array with the count that `many` says */
#define FIELD_LIST_OF(element, words, field_type, ...)                                                       \
    {                                                                                                        \
        .name = words, .type = field_type, .size = sizeof(element), .most = TY_MAX_RANK, .tail = true,       \
        __VA_ARGS__                                                                                          \
    }
/* Define the constant `symbol` with the fields given, for a struct of struct_bytes bytes. */
#define ATTRIBUTES(symbol, struct_bytes, ...) ATTRIBUTES_OF(static, symbol, struct_bytes, __VA_ARGS__)
#define ATTRIBUTES_OF(linkage, symbol, struct_bytes, ...)                                                    \
    static const struct field symbol##_fields[] = {__VA_ARGS__};                                             \
    linkage const struct attributes symbol = {.bytes = struct_bytes,                                         \
                                              .n = sizeof symbol##_fields / sizeof *symbol##_fields,         \
                                              .fields = symbol##_fields}

/* Return the number of elements of field i in the attributes in->attr, which table *a describes. */
int field_count(const struct attributes *a, int i, const struct infer *in);
/* Return the address of the first element of field i in the attributes in->attr, which table *a describes. */
const char *field_first(const struct attributes *a, int i, const struct infer *in);
/* Return the element of field f at address `at` as an integer; for fields that are integers, flags, sets or
   names. */
int64_t field_number(const struct field *f, const void *at);

/* Write the attributes of in->op to `out`, adapted to a leading axis of size n on operand 0 and the result.
   Return their size in bytes; `out` has space for in->attr_bytes + FIELD_FRONT_BYTES. */
size_t attributes_in_front(const struct infer *in, int64_t n, void *out);

/* Append the attributes of in->op as text: by op->describe, else like "axes=(0, 1) keep". */
void attributes_text(const struct infer *in, struct text *t);
#endif
