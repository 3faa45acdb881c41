/*
 * Values of a model: tensors, and at the edges of graphs sequences, optionals, maps and strings.
 *
 * A value is a small struct that is copied.  Its lists and strings lie in an arena, never change, and are shared by
 * copies.  Tensors belong to scopes as everywhere.
 */
#ifndef ONNX_VALUE_H
#define ONNX_VALUE_H
#include "base/for_command.h"
#include <tyto/core.h>
#include "base/arena.h"
#include "base/text.h"
#include "onnx/wire/proto.h"

enum onnx_kind {
    ONNX_ABSENT,   /* an input or output that a node leaves out */
    ONNX_TENSOR,   /* a value or a promise */
    ONNX_STRINGS,  /* a tensor of strings */
    ONNX_SEQUENCE, /* any number of values */
    ONNX_OPTIONAL, /* one value or none */
    ONNX_MAP,      /* two values: keys and values */
    ONNX_KINDS
};

struct onnx_value {
    enum onnx_kind kind;
    ty_tensor *tensor;
    const struct onnx_strings *strings;
    /* of sequences, optionals and maps; of a tensor: its operands if it is a promise of constants that products need not
       compute (ops/blocks.h), else NULL */
    const struct onnx_list *list;
};

/* A row-major array of strings: bytes that may contain zeros. */
struct onnx_strings {
    int rank;
    const int64_t *shape;
    int64_t n;
    const struct wire_bytes *items;
};

struct onnx_list {
    int64_t n;
    const struct onnx_value *items;
    struct onnx_room *room; /* the items lie in it, which may have free places behind them; NULL: none */
};

/* Places for the items of lists that begin with the same ones.  Each place is filled once. */
struct onnx_room {
    int64_t used, capacity;
    struct onnx_value *items;
};

/* Return "a tensor", "a sequence", ... */
const char *onnx_kind_words(enum onnx_kind kind) FOR_COMMAND(onnx_kind_words);

static inline struct onnx_value onnx_value_tensor(ty_tensor *x) {
    return (struct onnx_value){.kind = ONNX_TENSOR, .tensor = x};
}

/* Make a value of a kind with n items, copied to the arena.  A value of the kind ONNX_ABSENT if memory runs out: the fault
   is set. */
struct onnx_value onnx_value_list(struct arena *arena, enum onnx_kind kind, int64_t n,
                                  const struct onnx_value *items, struct fault *fault);
/* Make a sequence of the items of a list and another one, which is written behind them if there is room.  As above on
   failure. */
struct onnx_value onnx_value_append(struct arena *arena, const struct onnx_list *list,
                                    const struct onnx_value *item, struct fault *fault);
/* Make an array of strings of a shape; shape and items (not their bytes) are copied to the arena.  As above on failure. */
struct onnx_value onnx_value_strings(struct arena *arena, int rank, const int64_t *shape,
                                     const struct wire_bytes *items, struct fault *fault)
    FOR_COMMAND(onnx_value_strings);

/* Call f for each tensor of a value, also inside lists; f may return another tensor, which takes its place in the copy
   *out, in which lists are copies.  Tensors with operands stay as they are.  False if f returns NULL, or memory runs out. */
bool onnx_value_map(struct arena *arena, const struct onnx_value *value,
                    ty_tensor *(*f)(void *context, ty_tensor *x), void *context, struct onnx_value *out);

/* ---- dtypes ---- */

/* Return the dtype of an element type of ONNX; TY_DTYPES if Tyto has none. */
ty_dtype onnx_dtype_of(int64_t type) FOR_COMMAND(onnx_dtype_of);
/* Return the element type of ONNX of a dtype. */
enum proto_type onnx_type_of(ty_dtype dtype);
/* Return the name of an element type of ONNX, such as "FLOAT8E5M2"; "?" for an unknown one. */
const char *onnx_type_words(int64_t type) FOR_COMMAND(onnx_type_words);

/* ---- values in messages ---- */

/* Files beside a model that hold elements of its tensors (outside.h). */
struct onnx_outside;

/* Read a tensor of a message: a value of the innermost scope, or strings in the arena, whose bytes stay in the file.
   outside NULL: data in other files is refused.  False, with the fault set. */
bool onnx_read_tensor(const struct proto_tensor *tensor, struct onnx_outside *outside, struct arena *arena,
                      struct onnx_value *out, struct fault *fault);
/* The same of a sparse tensor, as a dense one. */
bool onnx_read_sparse(const struct proto_sparse *sparse, struct onnx_outside *outside, struct onnx_value *out,
                      struct fault *fault);
/* Read a value of a kind from the bytes of a TensorProto, SequenceProto, OptionalProto or MapProto, such as the files of
   test data; they must outlive the value.  False, with the fault set. */
bool onnx_read_value(const char *name, enum onnx_kind kind, struct wire_bytes bytes, struct arena *arena,
                     struct onnx_value *out, struct fault *fault) FOR_COMMAND(onnx_read_value);
#endif
