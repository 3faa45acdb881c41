/* Reads numbers of repeated fields directly from the file to the elements of an array. */
#include <string.h>
#include "onnx/wire/cursor.h"

/* The array that is filled. */
struct target {
    int64_t n, count;
    size_t size;
    char *out;
};

/* Store the low bytes of a number; false if the array is full. */
static bool store(struct target *t, uint64_t value) {
    if (t->count == t->n) return false;
    char *to = t->out + (size_t)t->count++ * t->size;
    uint8_t one = (uint8_t)value;
    uint16_t two = (uint16_t)value;
    uint32_t four = (uint32_t)value;
    memcpy(to,
           t->size == 1   ? (void *)&one
           : t->size == 2 ? (void *)&two
           : t->size == 4 ? (void *)&four
                          : &value,
           t->size);
    return true;
}

/* Store the numbers of one occurrence of the field. */
static bool store_all(struct target *t, const struct cursor *c, enum wire_width width, struct fault *fault) {
    static const enum wire_type types[] = {[WIRE_VARINT] = TYPE_VARINT, [WIRE_4] = TYPE_4, [WIRE_8] = TYPE_8};
    bool room = true;
    struct cursor in = *c;
    if (c->type == TYPE_BYTES) {
        in = cursor_of(c->bytes);
        while (room && in.at < in.end) {
            if (width ? !cursor_fixed(&in, (int)width) : !cursor_varint(&in, &in.value))
                return fault_set(fault, E_FORMAT, "the data is damaged: %s", in.wrong);
            room = store(t, in.value);
        }
    } else if (c->type == types[width]) {
        room = store(t, c->value);
    } else {
        return fault_set(fault, E_FORMAT, "the data has another encoding than its type");
    }
    if (!room)
        return fault_set(fault, E_FORMAT, "the data has more than the %lld numbers of the shape",
                         (long long)t->n);
    return true;
}

bool wire_numbers(struct wire_bytes body, int number, enum wire_width width, int64_t n, size_t size,
                  void *out, struct fault *fault) {
    struct target t = {n, 0, size, out};
    struct cursor c = cursor_of(body);
    while (cursor_next(&c))
        if (c.number == number && !store_all(&t, &c, width, fault)) return false;
    if (t.count == n) return true;
    return fault_set(fault, E_FORMAT, "the data has %lld numbers, but the shape has %lld", (long long)t.count,
                     (long long)n);
}
