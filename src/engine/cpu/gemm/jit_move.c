/*
 * Emits loads and stores of vectors. An incomplete one has a mask with AVX-512; else it is moved in two halves that
 * overlap, or in pieces. Elements of right that are narrower than sums are widened as they are loaded.
 */
#include "engine/cpu/gemm/jit_move.h"
#include "engine/cpu/gemm/jit_registers.h"

enum { STORE = 1 }; /* difference between the opcodes of load and store */
static const struct jit_vector_op load_4 = {1, 0, 0, 0x10}, load_8 = {1, 1, 1, 0x10},
                                  load_one_4 = {1, 2, 0, 0x10}, load_one_8 = {1, 3, 1, 0x10},
                                  store_4 = {1, 0, 0, 0x11}, store_one_4 = {1, 2, 0, 0x11},
                                  store_one_8 = {1, 3, 1, 0x11};

struct jit_at jit_vector_of(const struct jit_code *code, const struct jit_tile *t, struct jit_at row, int j) {
    return (struct jit_at){row.base, row.offset + j * full(code) - (j == t->vectors - 1 ? t->back : 0)};
}

struct jit_at jit_vector_of_right(const struct jit_code *code, const struct jit_tile *t, struct jit_at row,
                                  int j) {
    int ahead = jit_vector_of(code, t, (struct jit_at){row.base, 0}, j).offset;
    return (struct jit_at){row.base, row.offset + ahead / jit_tile_widening(t->kind)};
}

/* Emit a load of register `reg`, or with `to_memory` a store, of an incomplete vector of `part` bytes as two
   overlapping halves. The second ends at the last column. Vector masks are slower on some processors (AMD's): as
   several loads, or a dozen stores. */
static void move_halves(struct jit_code *code, int part, int reg, struct jit_at at, bool to_memory) {
    static const struct jit_vector_op load_second_8 = {1, 0, 0, 0x16}, store_second_8 = {1, 0, 0, 0x17};
    int half = part > 16 ? 16 : 8;
    struct jit_access access = {.unit = half, .vector = 16, .store = to_memory};
    struct jit_at second = {at.base, at.offset + part - half};
    struct jit_vector_op first = half == 16 ? load_4 : load_one_8;
    first.opcode = (uint8_t)(first.opcode + (to_memory ? STORE : 0));
    jit_vector_at(code, first, reg, 0, at, access);
    if (half == 8)
        jit_vector_at(code, to_memory ? store_second_8 : load_second_8, reg, to_memory ? 0 : reg, second,
                      access);
    else if (to_memory)
        jit_extract_at(code, second, reg, 1);
    else
        jit_insert_at(code, reg, second, 1);
}

void jit_move(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at,
              bool to_memory) {
    struct jit_vector_op op = t->kind->bytes == 8 ? load_8 : load_4;
    struct jit_access access = {.unit = full(code), .vector = full(code), .store = to_memory};
    if (jit_is_part(t, j)) {
        if (!code->wide && is_odd(t->part)) {
            move_halves(code, t->part, reg, at, to_memory);
            return;
        }
        access.vector = access.unit = jit_tile_vector(code->wide, 1, t->part);
        if (is_odd(t->part)) {
            access.mask = JIT_MASK;
        } else {
            access.unit = t->part;
            op = t->part == 4 ? load_one_4 : t->part == 8 ? load_one_8 : load_4;
        }
    }
    op.opcode = (uint8_t)(op.opcode + (to_memory ? STORE : 0));
    jit_vector_at(code, op, reg, 0, at, access);
}

/* Emit a load of register `reg` from n elements of 2 bytes at `at`, less than a vector, in the order of lanes in which
   move_halves loads and stores n elements of 4 bytes. */
static void load_few_narrow(struct jit_code *code, int n, int reg, struct jit_at at) {
    static const struct jit_vector_op load_all_2 = {2, 1, 0, 0x79}, load_second_8 = {1, 0, 0, 0x16};
    struct jit_access access = {.vector = 16};
    struct jit_vector_op first = n == 1 ? load_all_2 : n < 4 ? load_one_4 : load_one_8;
    jit_vector_at(code, first, reg, 0, at, access);
    if (n == 3) jit_insert_word_at(code, reg, (struct jit_at){at.base, at.offset + 2}, 1);
    if (n > 4)
        jit_vector_at(code, load_second_8, reg, reg, (struct jit_at){at.base, at.offset + 2 * (n - 4)},
                      access);
}

void jit_load_widened(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at) {
    const struct jit_kind *kind = t->kind;
    int vector = jit_is_part(t, j) ? jit_tile_vector(code->wide, 1, t->part) : full(code);
    bool few = jit_is_part(t, j) && t->part < vector;
    struct jit_access access = {
        .unit = vector / jit_tile_widening(kind), .vector = vector, .mask = few && code->wide ? JIT_MASK : 0};
    if (few && !code->wide) {
        load_few_narrow(code, t->part / kind->bytes, reg, at);
        jit_vector(code, kind->widen, reg, 0, reg);
    } else {
        jit_vector_at(code, kind->widen, reg, 0, at, access);
    }
    if (kind->shift) jit_shift(code, reg, kind->shift);
}

/* Return true if an incomplete last vector is better stored by a mask than in pieces. With many steps of k in a
   tile, or rows of many pieces, pieces cost more than they save. */
static bool better_masked(const struct jit_tile *t) {
    enum { FEW_STEPS = 48, FEW_ROWS = 4 };
    bool many = __builtin_popcount((unsigned)t->part) > 2 && t->rows > FEW_ROWS;
    return !t->shape->depth || t->shape->rows * t->shape->depth > FEW_STEPS || many;
}

/* Emit stores of register `reg` at `at` in pieces of 32, 16, 8 and 4 bytes instead of one masked vector, and
   return true: a later load of adjacent memory need not wait for a masked store. That matters with little work
   between calls. Return false, with nothing emitted, if a mask is better. */
static bool store_pieces(struct jit_code *code, const struct jit_tile *t, int reg, struct jit_at at) {
    if (!code->wide || !is_odd(t->part) || better_masked(t)) return false;
    int first = t->part >= 32 ? 32 : t->part >= 16 ? 16 : 0, second = t->part - first >= 16 ? 16 : 0;
    int rest = t->part - first - second, lane = (first + second) / 16, spare = value_register(code, t, 0);
    struct jit_access piece = {.unit = first, .vector = first, .store = true};
    if (first) jit_vector_at(code, store_4, reg, 0, at, piece);
    at.offset += first;
    if (second) jit_extract_at(code, at, reg, first / 16);
    at.offset += second;
    if (rest && lane) jit_extract(code, spare, reg, lane);
    if (lane) reg = spare;
    piece.vector = 16, piece.unit = 8;
    if (rest >= 8) jit_vector_at(code, store_one_8, reg, 0, at, piece);
    piece.unit = 4;
    if (rest == 4) jit_vector_at(code, store_one_4, reg, 0, at, piece);
    if (rest == 12) jit_word_at(code, (struct jit_at){at.base, at.offset + 8}, reg, 2);
    return true;
}

void jit_store(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at) {
    if (!jit_is_part(t, j) || !store_pieces(code, t, reg, at)) jit_move(code, t, j, reg, at, true);
}
