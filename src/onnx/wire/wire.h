/*
 * The wire format of protocol buffers: messages of numbered fields, read into structs of an arena.
 *
 * The reader is our own, since protobuf-c allocates by itself, has no limits of depth and total, copies all tensors,
 * and needs generated code.  Here a message is a table of fields, and bytes of tensors stay in the file.  A file of
 * some megabytes cannot ask for gigabytes.
 */
#ifndef ONNX_WIRE_H
#define ONNX_WIRE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/arena.h"
#include "base/text.h"

/* A part of the file, not copied. */
struct wire_bytes {
    const uint8_t *at;
    size_t n;
};

/* First member of each struct of a message. */
struct wire_base {
    uint64_t seen; /* bit i: the field of number i < 64 was in the file, listed or not */
    struct wire_bytes body;
};

/* A repeated field: a struct of the address of n items in the arena. */
#define WIRE_LIST(type)                                                                                      \
    struct {                                                                                                 \
        type *items;                                                                                         \
        int64_t n;                                                                                           \
    }

enum wire_kind {
    WIRE_INTEGER, /* int64_t */
    WIRE_FLOAT,   /* float */
    WIRE_BYTES,   /* struct wire_bytes */
    WIRE_TEXT,    /* const char *, UTF-8 without zeros, ended by a zero; NULL if it is absent */
    WIRE_MESSAGE  /* pointer to the struct of the message; NULL if it is absent */
};

/* A field of a message.  All fields that are not listed are skipped. */
struct wire_field {
    const char *name;
    int number; /* 1 .. 63 */
    enum wire_kind kind;
    bool list;     /* the member is a WIRE_LIST of the kind */
    size_t offset; /* of the member in the struct */
    const struct wire_message *message;
};
struct wire_message {
    const char *name;
    size_t bytes; /* size of the struct, which begins with a struct wire_base */
    int nfields;
    const struct wire_field *fields;
};

/* Read a message from bytes that outlive the arena; `name` begins error messages.  Depth and the bytes of structs are
   limited.  NULL, with the fault set, on failure. */
void *wire_read(const char *name, const struct wire_message *message, struct wire_bytes bytes,
                struct arena *arena, struct fault *fault);

/* ---- numbers of a repeated field, which stay in the file ---- */

/* Encodings of numbers; the value is the size in bytes, 0 for variable length. */
enum wire_width { WIRE_VARINT = 0, WIRE_4 = 4, WIRE_8 = 8 };

/* Copy n numbers of the field `number` of a message's body to out, in the machine's byte order.  Each gets `size`
   bytes, 1, 2, 4 or 8: varints keep their low bytes.  False, with the fault set, if there are more or fewer, or an
   encoding is not `width`. */
bool wire_numbers(struct wire_bytes body, int number, enum wire_width width, int64_t n, size_t size,
                  void *out, struct fault *fault);
#endif
