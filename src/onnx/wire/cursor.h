/* A cursor over the fields of one message. */
#ifndef ONNX_WIRE_CURSOR_H
#define ONNX_WIRE_CURSOR_H
#include "onnx/wire/wire.h"

/* How the value of a field is encoded. */
enum wire_type { TYPE_VARINT = 0, TYPE_8 = 1, TYPE_BYTES = 2, TYPE_4 = 5 };

/* The bytes that are left, and the field that was read last. */
struct cursor {
    const uint8_t *at, *end;
    int number;
    enum wire_type type;
    uint64_t value;          /* of TYPE_VARINT, TYPE_4 and TYPE_8 */
    struct wire_bytes bytes; /* of TYPE_BYTES */
    const char *wrong;       /* why reading stopped; NULL: at the end of the message */
};

static inline struct cursor cursor_of(struct wire_bytes bytes) {
    return (struct cursor){.at = bytes.at, .end = bytes.at ? bytes.at + bytes.n : NULL};
}
/* Read a varint of at most ten bytes; false at the end of the bytes or if it is longer, with `wrong` set. */
static inline bool cursor_varint(struct cursor *c, uint64_t *value) {
    uint64_t v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
        if (c->at == c->end) return c->wrong = "a number is cut off", false;
        uint8_t byte = *c->at++;
        v |= shift < 64 ? (uint64_t)(byte & 127) << shift : 0;
        if (byte < 128) return *value = v, true;
    }
    return c->wrong = "a number has more than ten bytes", false;
}
/* Read n = 4 or 8 bytes, the least significant first. */
static inline bool cursor_fixed(struct cursor *c, int n) {
    if (c->end - c->at < n) return c->wrong = "a number is cut off", false;
    c->value = 0;
    for (int i = 0; i < n; i++) c->value |= (uint64_t)c->at[i] << 8 * i;
    c->at += n;
    return true;
}
/* Read the next field.  False at the end, and if the bytes are no field: then `wrong` is set. */
static inline bool cursor_next(struct cursor *c) {
    uint64_t tag, n;
    if (c->wrong || c->at == c->end || !cursor_varint(c, &tag)) return false;
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return c->wrong = "a field has an invalid number", false;
    c->number = (int)(tag >> 3);
    c->type = (enum wire_type)(tag & 7);
    if (c->type == TYPE_VARINT) return cursor_varint(c, &c->value);
    if (c->type == TYPE_8) return cursor_fixed(c, 8);
    if (c->type == TYPE_4) return cursor_fixed(c, 4);
    if (c->type != TYPE_BYTES) return c->wrong = "a field has an encoding that is not used", false;
    if (!cursor_varint(c, &n)) return false;
    if (n > (uint64_t)(c->end - c->at)) return c->wrong = "a field is longer than what contains it", false;
    c->bytes = (struct wire_bytes){c->at, (size_t)n};
    c->at += n;
    return true;
}
#endif
