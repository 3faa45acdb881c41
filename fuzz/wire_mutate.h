/*
 * A mutator for libFuzzer that changes the fields of a protobuf message, not its bytes: numbers become extreme, names
 * and strings become others of the same message, fields vanish, double, change places, and move to other messages of their
 * kind.  So nearly all that the fuzzer tries is a model.
 *
 * The tables of src/onnx/wire/proto.h say which fields are messages.
 */
#ifndef FUZZ_WIRE_MUTATE_H
#define FUZZ_WIRE_MUTATE_H
#include <string.h>
#include "onnx/wire/cursor.h"
#include "onnx/wire/proto.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

enum { MOST_PIECES = 4096, MOST_DEPTH = 24, MOST_TEXT = 4096, MOST_CHANGES = 4 };

/* A field.  Its children are the pieces behind it up to `end`; a piece that was deleted is skipped with them. */
struct piece {
    int number, end, depth;
    enum wire_type type;
    uint64_t value;
    struct wire_bytes bytes;
    const struct wire_message *message; /* NULL: no message */
    bool deleted;
    int copies; /* of the piece, behind it */
};

static struct piece pieces[MOST_PIECES];
static int npieces;
static uint64_t mutate_state;

static uint32_t mutate_random(uint32_t below) {
    mutate_state = mutate_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(mutate_state >> 33) % below;
}

/* ---- reading ---- */

static const struct wire_message *message_of(const struct wire_message *m, int number) {
    for (int i = 0; m && i < m->nfields; i++)
        if (m->fields[i].number == number) return m->fields[i].message;
    return NULL;
}

/* Read the pieces of a message; false if it is no message, or has too many. */
static bool read_pieces(const struct wire_message *message, struct wire_bytes bytes, int depth) {
    struct cursor c = cursor_of(bytes);
    while (cursor_next(&c)) {
        if (npieces == MOST_PIECES || depth == MOST_DEPTH) return false;
        int own = npieces++;
        pieces[own] = (struct piece){.number = c.number, .depth = depth, .type = c.type, .value = c.value};
        pieces[own].bytes = c.bytes;
        pieces[own].message = c.type == TYPE_BYTES ? message_of(message, c.number) : NULL;
        if (pieces[own].message && !read_pieces(pieces[own].message, c.bytes, depth + 1)) {
            npieces = own + 1;
            pieces[own].message = NULL;
        }
        pieces[own].end = npieces;
    }
    return !c.wrong;
}

/* ---- writing ---- */

/* Bytes that are written; full: there was no room. */
struct sink {
    uint8_t *at;
    size_t n, room;
    bool full;
};

static void put(struct sink *s, const void *bytes, size_t n) {
    s->full = s->full || s->room - s->n < n;
    if (s->full || !n) return;
    memcpy(s->at + s->n, bytes, n);
    s->n += n;
}

static void put_varint(struct sink *s, uint64_t x) {
    do {
        uint8_t low = (uint8_t)((x & 0x7f) | (x > 0x7f ? 0x80 : 0));
        put(s, &low, 1);
        x >>= 7;
    } while (x);
}

static void put_pieces(struct sink *s, int from, int end);

static void put_piece(struct sink *s, int i) {
    const struct piece *p = &pieces[i];
    put_varint(s, (uint64_t)p->number << 3 | (uint64_t)p->type);
    if (p->type == TYPE_VARINT) put_varint(s, p->value);
    if (p->type == TYPE_4 || p->type == TYPE_8)
        for (int k = 0; k < (p->type == TYPE_4 ? 4 : 8); k++)
            put(s, &(uint8_t){(uint8_t)(p->value >> 8 * k)}, 1);
    if (p->type != TYPE_BYTES) return;
    if (!p->message) {
        put_varint(s, p->bytes.n);
        put(s, p->bytes.at, p->bytes.n);
        return;
    }
    /* The length comes first and has up to ten bytes: the content is written behind them, and moved. */
    enum { LENGTH = 10 };
    if (s->room - s->n < LENGTH) {
        s->full = true;
        return;
    }
    struct sink inner = {.at = s->at + s->n + LENGTH, .room = s->room - s->n - LENGTH};
    put_pieces(&inner, i + 1, p->end);
    put_varint(s, inner.n);
    memmove(s->at + s->n, inner.at, inner.n);
    s->n += inner.n;
    s->full = s->full || inner.full;
}

static void put_pieces(struct sink *s, int from, int end) {
    for (int i = from; i < end && !s->full; i = pieces[i].end)
        for (int k = pieces[i].deleted ? 1 : 0; k <= pieces[i].copies && !s->full; k++) put_piece(s, i);
}

/* ---- changes ---- */

static uint64_t extreme(uint64_t before) {
    static const int64_t numbers[] = {0,
                                      1,
                                      -1,
                                      2,
                                      3,
                                      7,
                                      64,
                                      65,
                                      1 << 20,
                                      INT32_MAX,
                                      INT32_MIN,
                                      INT64_MAX,
                                      INT64_MIN,
                                      INT64_C(1) << 40,
                                      (int64_t)1 << 62};
    uint32_t which = mutate_random(20);
    if (which < sizeof numbers / sizeof *numbers) return (uint64_t)numbers[which];
    return which < 18 ? before + mutate_random(5) - 2 : mutate_random(100);
}

static uint64_t extreme_float(void) {
    static const float numbers[] = {0, -0.0f, 1, -1, 0.5f, 3, 1e30f, -1e30f, 1e-40f, 255, 65536};
    static const uint32_t others[] = {0x7f800000, 0xff800000, 0x7fc00000};
    uint32_t bits, which = mutate_random(14);
    if (which >= 11) return others[which - 11];
    memcpy(&bits, &numbers[which], sizeof bits);
    return bits;
}

/* Give bytes the content of another piece of bytes, mostly one of the same number, or change them as libFuzzer does. */
static void change_bytes(struct piece *p) {
    static uint8_t room[MOST_CHANGES * MOST_TEXT];
    static int used;
    for (int tries = 0; tries < 40 && mutate_random(4); tries++) {
        const struct piece *other = &pieces[mutate_random((uint32_t)npieces)];
        if (other->type != TYPE_BYTES || other->message) continue;
        if (other->number != p->number && mutate_random(8)) continue;
        p->bytes = other->bytes;
        return;
    }
    if (p->bytes.n > MOST_TEXT / 2) return;
    uint8_t *own = room + MOST_TEXT * (used++ % MOST_CHANGES);
    if (p->bytes.n) memcpy(own, p->bytes.at, p->bytes.n);
    p->bytes = (struct wire_bytes){own, LLVMFuzzerMutate(own, p->bytes.n, MOST_TEXT)};
}

/* Exchange two sibling pieces, or put one in the place of another of the same kind of message. */
static void exchange(int i) {
    for (int tries = 0; tries < 40; tries++) {
        int k = (int)mutate_random((uint32_t)npieces);
        struct piece *p = &pieces[i], *q = &pieces[k];
        if (p->type != q->type || p->message != q->message || p->end - i != q->end - k) continue;
        if ((i < k && k < p->end) || (k < i && i < q->end)) continue;
        for (int j = 0; j < p->end - i; j++) {
            struct piece one = pieces[i + j];
            int mine = one.end - i, other = pieces[k + j].end - k;
            pieces[i + j] = pieces[k + j];
            pieces[k + j] = one;
            pieces[i + j].end = i + other;
            pieces[k + j].end = k + mine;
        }
        return;
    }
}

static void change(int i) {
    struct piece *p = &pieces[i];
    uint32_t way = mutate_random(10);
    if (way == 0)
        p->deleted = true;
    else if (way == 1)
        p->copies = (int)mutate_random(3) + 1;
    else if (way == 2)
        exchange(i);
    else if (p->type == TYPE_VARINT)
        p->value = extreme(p->value);
    else if (p->type == TYPE_4)
        p->value = extreme_float();
    else if (p->type == TYPE_8)
        p->value = extreme(p->value);
    else if (!p->message)
        change_bytes(p);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    static uint8_t before[1 << 16], after[1 << 16];
    mutate_state = seed;
    npieces = 0;
    if (size > sizeof before || !mutate_random(64)) return LLVMFuzzerMutate(data, size, most);
    if (size) memcpy(before, data, size);
    bool well = read_pieces(&proto_model_message, (struct wire_bytes){before, size}, 0);
    if (!well || !npieces) return LLVMFuzzerMutate(data, size, most);
    for (uint32_t n = 1 + mutate_random(MOST_CHANGES); n > 0; n--)
        change((int)mutate_random((uint32_t)npieces));
    struct sink out = {.at = after, .room = most < sizeof after ? most : sizeof after};
    put_pieces(&out, 0, npieces);
    if (out.full) return LLVMFuzzerMutate(data, size, most);
    if (out.n) memcpy(data, after, out.n);
    return out.n;
}
#endif
