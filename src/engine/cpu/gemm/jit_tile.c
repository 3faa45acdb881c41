/*
 * Emits tiles with as few loads a step as possible. If right is one vector wide, multiply-adds read left from memory;
 * wider tiles share a broadcast. A single row of left reads right from memory. Left with columns is read from memory
 * within the multiply-add, too.
 *
 * With few steps of k, loads and stores of out dominate. Then a tile holds all of right, and each row of sums is
 * loaded, computed and stored before the next one.
 */
#include "engine/cpu/gemm/jit_tile.h"
#include <stddef.h>
#include "base/number.h"
#include "engine/cpu/gemm/jit_registers.h"

enum { BODY = 160, WHOLE_BODY = 400, WHOLE_DEPTH = 64, MOST_STEPS = 16 };

enum { STORE = 1 }; /* difference between the opcodes of load and store */
static const struct jit_vector_op broadcast_4 = {2, 1, 0, 0x18}, broadcast_8 = {2, 1, 1, 0x19},
                                  broadcast_8_vex = {2, 1, 0, 0x19}, load_4 = {1, 0, 0, 0x10},
                                  load_8 = {1, 1, 1, 0x10}, load_one_4 = {1, 2, 0, 0x10},
                                  load_one_8 = {1, 3, 1, 0x10}, store_4 = {1, 0, 0, 0x11},
                                  store_one_4 = {1, 2, 0, 0x11}, store_one_8 = {1, 3, 1, 0x11},
                                  add_4 = {1, 0, 0, 0x58}, add_8 = {1, 1, 1, 0x58};

static int full(const struct jit_code *code) { return code->wide ? 64 : 32; }

/* Return true if a part of `part` bytes of a vector needs a mask or two moves. 4, 8, 16 and 32 have moves of their
   own, which forward better from the store buffer. */
static bool is_odd(int part) { return part && (part & (part - 1)); }

int jit_tile_back(bool wide, bool add, int vectors, int part) {
    return (add || !wide) && vectors > 1 && is_odd(part) ? (wide ? 64 : 32) - part : 0;
}

int jit_tile_most(bool wide, const struct jit_kind *kind, int vectors, int chains) {
    int rows = 0, each = vectors * (chains > 1 ? chains : 1);
    while (others(wide, kind, rows + 1, vectors) + (rows + 1) * each <= registers(wide)) rows++;
    return rows;
}

int jit_tile_vector(bool wide, int vectors, int part) {
    int all = wide ? 64 : 32, least = !part ? all : part <= 16 ? 16 : part <= 32 ? 32 : 64;
    return vectors > 1 ? all : least;
}

/* --- memory ------------------------------------------------------------------------------------------ */

static bool is_part(const struct jit_tile *t, int j) { return t->part && j == t->vectors - 1; }

/* Return the address of vector j of a row that begins at `row`. The last vector may be moved left by t->back bytes. */
static struct jit_at vector_of(const struct jit_code *code, const struct jit_tile *t, struct jit_at row,
                               int j) {
    return (struct jit_at){row.base, row.offset + j * full(code) - (j == t->vectors - 1 ? t->back : 0)};
}

/* Return the address of vector j of a row of right, as vector_of does. */
static struct jit_at vector_of_right(const struct jit_code *code, const struct jit_tile *t, struct jit_at row,
                                     int j) {
    int ahead = vector_of(code, t, (struct jit_at){row.base, 0}, j).offset;
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

/* Emit a load, or with `to_memory` a store, of vector j of a row between register `reg` and its address `at`. */
static void move(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at,
                 bool to_memory) {
    struct jit_vector_op op = t->kind->bytes == 8 ? load_8 : load_4;
    struct jit_access access = {.unit = full(code), .vector = full(code), .store = to_memory};
    if (is_part(t, j)) {
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

/* Emit a load of register `reg` from vector j of right, of elements of 2 bytes at `at`, which become 4 bytes. */
static void load_widened(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at) {
    const struct jit_kind *kind = t->kind;
    int vector = is_part(t, j) ? jit_tile_vector(code->wide, 1, t->part) : full(code);
    bool few = is_part(t, j) && t->part < vector;
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

/* Emit a store of register `reg` to vector j of a row, whose address is `at`. The code may overwrite the register
   of left's value. */
static void store(struct jit_code *code, const struct jit_tile *t, int j, int reg, struct jit_at at) {
    if (!is_part(t, j) || !store_pieces(code, t, reg, at)) move(code, t, j, reg, at, true);
}

/* Return the address of row i of out; with a table of rows, emit code that loads it into RAX. */
static struct jit_at row_of_out(struct jit_code *code, const struct jit_tile *t, int i) {
    if (t->shape->out_row != BRGEMM_ROWS) return (struct jit_at){t->out, (int32_t)(i * t->shape->out_row)};
    jit_integer_at(code, JIT_LOAD, RAX, (struct jit_at){t->rows_at, 8 * i});
    jit_integer(code, JIT_ADD, RAX, t->out);
    return (struct jit_at){RAX, 0};
}

/* Emit the start of row i's sums: zero, or if `add` the first sum from out. */
static void start_row(struct jit_code *code, const struct jit_tile *t, int i, bool add) {
    for (int chain = 0; chain < chains_of(t); chain++) {
        bool load = add && chain == 0;
        struct jit_at row = load ? row_of_out(code, t, i) : (struct jit_at){RAX, 0};
        for (int j = 0; j < t->vectors; j++)
            if (load)
                move(code, t, j, sum_register(code, t, chain, i, j), vector_of(code, t, row, j), false);
            else
                jit_zero(code, sum_register(code, t, chain, i, j));
    }
}

/* Emit the addition of row i's sums, if there are several, and the store to out. */
static void store_row(struct jit_code *code, const struct jit_tile *t, int i) {
    struct jit_at row = row_of_out(code, t, i);
    for (int j = 0; j < t->vectors; j++) {
        int sum = sum_register(code, t, 0, i, j);
        for (int chain = 1; chain < chains_of(t); chain++)
            jit_vector(code, t->kind->bytes == 8 ? add_8 : add_4, sum, sum,
                       sum_register(code, t, chain, i, j));
        store(code, t, j, sum, vector_of(code, t, row, j));
    }
}

void jit_tile_start(struct jit_code *code, const struct jit_tile *t, bool add) {
    for (int i = 0; i < t->rows; i++) start_row(code, t, i, add);
}

void jit_tile_store(struct jit_code *code, const struct jit_tile *t) {
    for (int i = 0; i < t->rows; i++) store_row(code, t, i);
}

/* --- steps ------------------------------------------------------------------------------------------- */

/* Emit sum += a * b for vector j, with registers, or with b in memory if `at` is not NULL. An incomplete vector
   uses the shortest vector that holds it: half the time where 64 bytes (Zen 4) or 32 (Zen 1) are computed in two
   halves. */
static void multiply(struct jit_code *code, const struct jit_tile *t, int j, int sum, int a, int b,
                     const struct jit_at *at, struct jit_access access) {
    const struct jit_kind *kind = t->kind;
    struct jit_vector_op op = kind->two_steps ? kind->multiply : kind->add;
    int to = kind->two_steps ? product_register(code, t) : sum, before = code->vector;
    if (is_part(t, j)) code->vector = jit_tile_vector(code->wide, 1, t->part);
    if (at)
        jit_vector_at(code, op, to, a, *at, access);
    else
        jit_vector(code, op, to, a, b);
    if (kind->two_steps) jit_vector(code, kind->add, sum, sum, to);
    code->vector = before;
}

/* Return true if multiply-adds read left from memory: tiles one vector wide with AVX-512, unless left needs a
   register. */
static bool from_memory(const struct jit_code *code, const struct jit_tile *t) {
    return code->wide && t->vectors == 1 && !t->kind->left_first && !t->shape->left_columns;
}

/* Return true if vector j of right is loaded into a register before use; a single row of left reads it from memory. */
static bool is_loaded(const struct jit_code *code, const struct jit_tile *t, int j) {
    return t->copies || t->held || t->rows > 1 || is_part(t, j) || from_memory(code, t) ||
           t->kind->right_first || t->kind->widen.opcode || t->shape->left_columns;
}

/* Emit a load of the element at `at` into all lanes of register `to`. */
static void broadcast(struct jit_code *code, const struct jit_tile *t, int to, struct jit_at at) {
    struct jit_vector_op op = t->kind->bytes == 4 ? broadcast_4 : code->wide ? broadcast_8 : broadcast_8_vex;
    jit_vector_at(code, op, to, 0, at,
                  (struct jit_access){.unit = t->kind->bytes, .vector = code->vector > 32 ? 64 : 32});
}

/* Emit a load of left's value for row i, at address `left`, into all lanes of its register; nothing if
   multiply-adds read it from memory. */
static void load_left(struct jit_code *code, const struct jit_tile *t, int i, struct jit_at left) {
    if (!t->shape->left_columns && !from_memory(code, t))
        broadcast(code, t, value_register(code, t, i), left);
}

static void load_right(struct jit_code *code, const struct jit_tile *t, int64_t k, int j,
                       struct jit_at right) {
    if (t->shape->right_single || !is_loaded(code, t, j)) return;
    int reg = right_register(code, t, k, j);
    struct jit_at at = vector_of_right(code, t, right, j);
    if (t->kind->widen.opcode)
        load_widened(code, t, j, reg, at);
    else
        move(code, t, j, reg, at, false);
}

/* Emit sum += left[i, k, j] * right[k, j] for left with columns of its own: vector j of the row at `left`, in
   memory, or in a register if incomplete. */
static void term_of_columns(struct jit_code *code, const struct jit_tile *t, int sum, int64_t k, int i, int j,
                            struct jit_at left) {
    bool there = !is_part(t, j);
    struct jit_at at = vector_of(code, t, left, j);
    int value = value_register(code, t, i);
    if (!there) move(code, t, j, value, at, false);
    multiply(code, t, j, sum, right_register(code, t, k, t->shape->right_single ? 0 : j), value,
             there ? &at : NULL, (struct jit_access){.unit = full(code)});
}

/* Emit the multiply-add of step k for row i and vector j of a tile, after load_left and load_right. left: address
   of left's value [i, k], or of its row of columns (left_columns); right: address of right's row k. */
static void term(struct jit_code *code, const struct jit_tile *t, int64_t k, int i, int j, struct jit_at left,
                 struct jit_at right) {
    int sum = sum_register(code, t, k, i, j);
    if (t->shape->left_columns) {
        term_of_columns(code, t, sum, k, i, j, left);
    } else if (from_memory(code, t)) {
        multiply(code, t, j, sum, right_register(code, t, k, 0), 0, &left,
                 (struct jit_access){.unit = t->kind->bytes, .broadcast = true});
    } else {
        bool turned = t->kind->right_first, there = !is_loaded(code, t, j);
        int a = value_register(code, t, i), b = right_register(code, t, k, j);
        struct jit_at at = vector_of(code, t, right, j);
        multiply(code, t, j, sum, turned ? b : a, turned ? a : b, there ? &at : NULL,
                 (struct jit_access){.unit = full(code)});
    }
}

/* Emit a copy of vector j of right's row k, as it is used. Rows are as far apart as the caller's matrix is wide,
   which no hardware prefetcher follows. So prefetch as many steps ahead as L3 takes to answer. */
static void copy_right(struct jit_code *code, const struct jit_tile *t, int64_t k, int j) {
    enum { BEFORE = 16 };
    struct jit_at copy = {t->copy, (int32_t)(k * t->shape->copy_step)},
                  later = {t->right, (int32_t)((k + BEFORE) * t->right_step)};
    store(code, t, j, right_register(code, t, k, j), vector_of(code, t, copy, j));
    jit_prefetch(code, vector_of(code, t, later, j));
}

static struct jit_at left_at(const struct jit_tile *t, int64_t k, int i) {
    return (struct jit_at){t->left, (int32_t)(k * t->shape->left_step + brgemm_left_row(t->shape, i))};
}

enum half { BOTH, FIRST, SECOND };
static int begin_of(int n, enum half half) { return half == SECOND ? n / 2 : 0; }
static int end_of(int n, enum half half) { return half == FIRST ? n / 2 : n; }

/* Emit step k for the sums of all vectors, or for those of one half of them. */
static void step_in_turn(struct jit_code *code, const struct jit_tile *t, int64_t k, enum half half) {
    struct jit_at right = {t->right, (int32_t)(k * t->right_step)};
    for (int i = 0; i < t->rows; i++) load_left(code, t, i, left_at(t, k, i));
    for (int j = begin_of(t->vectors, half); j < end_of(t->vectors, half); j++) {
        load_right(code, t, k, j, right);
        if (t->copies) copy_right(code, t, k, j);
        for (int i = 0; i < t->rows; i++) term(code, t, k, i, j, left_at(t, k, i), right);
    }
}

/* Emit step k of a tile for all vectors, or for one half of them if they are loaded one at a time. */
static void step(struct jit_code *code, const struct jit_tile *t, int64_t k, enum half half) {
    struct jit_at right = {t->right, (int32_t)(k * t->right_step)};
    if (t->shape->right_single) broadcast(code, t, right_register(code, t, k, 0), right);
    if (right_in_turn(code, t)) {
        step_in_turn(code, t, k, half);
        return;
    }
    for (int j = 0; j < t->vectors; j++) load_right(code, t, k, j, right);
    for (int j = 0; t->copies && j < t->vectors; j++) copy_right(code, t, k, j);
    for (int i = begin_of(t->rows, half); i < end_of(t->rows, half); i++) {
        load_left(code, t, i, left_at(t, k, i));
        for (int j = 0; j < t->vectors; j++) term(code, t, k, i, j, left_at(t, k, i), right);
    }
}

static int64_t step_length(const struct jit_tile *t) { return t->vectors + t->rows + t->rows * t->vectors; }

/* Return how many of the last n steps one half of the sums takes before the other half begins; 0: none. If all sums
   ended at once, as many stores would wait. Zen 3 starts the next tile only with fewer than ten waiting, which
   costs 15 cycles a tile. */
static int64_t steps_by_halves(const struct jit_code *code, const struct jit_tile *t, int64_t n) {
    enum { STEPS = 5, STORES = 8 };
    if (code->wide || !t->plain || t->rows * t->vectors <= STORES) return 0;
    return n < STEPS ? n : STEPS;
}

/* Return true if the depth is known and so small that all steps are emitted without a loop. */
static bool whole(const struct jit_tile *t) {
    int64_t depth = t->shape->depth;
    return depth && depth <= WHOLE_DEPTH && depth * step_length(t) <= WHOLE_BODY;
}

/* Return the number of steps in a loop body, a multiple of the number of sums, and if possible a divisor of the
   depth. */
static int64_t body_steps(const struct jit_tile *t) {
    int64_t most = BODY / step_length(t), depth = t->shape->depth;
    most = most < 1 ? 1 : most > MOST_STEPS ? MOST_STEPS : most;
    int64_t chains = chains_of(t);
    for (int64_t n = most; depth && 2 * n > most; n--)
        if (depth % n == 0 && n % chains == 0) return n;
    return most < chains ? chains : most - most % chains;
}

/* Emit a prefetch of the line at R14, and advance R14 to the next one. */
static void fetch(struct jit_code *code) {
    jit_prefetch(code, (struct jit_at){R14, 0});
    jit_integer(code, JIT_ADD, R14, R15);
}

/* Emit a count of n prefetched lines. After the last of a column, or a few more, the next column follows; after the
   last of all, a line that is in cache anyway. */
static void count_fetched(struct jit_code *code, int64_t n) {
    const struct jit_at soon = {RSP, JIT_SOON}, lines = {RSP, JIT_SOON_LINES};
    jit_add(code, R12, -n);
    size_t more = jit_jump(code, JIT_GREATER);
    jit_integer(code, JIT_LOAD, R14, RSI);
    jit_set(code, R15, 0);
    jit_set(code, R12, INT32_MAX);
    jit_count_at(code, lines);
    size_t none = jit_jump(code, JIT_NOT_GREATER);
    jit_integer_at(code, JIT_LOAD, R14, soon);
    jit_add(code, R14, CACHE_LINE);
    jit_integer_at(code, JIT_STORE, R14, soon);
    jit_integer_at(code, JIT_LOAD, R15, (struct jit_at){RSI, offsetof(struct brgemm_call, soon_step)});
    jit_integer_at(code, JIT_LOAD, R12, (struct jit_at){RSI, offsetof(struct brgemm_call, soon_count)});
    jit_land(code, none);
    jit_land(code, more);
}

/* Emit a copy of the next row of right for later calls, through the registers of a row of right, and prefetch a
   later one. The code overwrites R10, which is free with one batch. */
static void carry_row(struct jit_code *code, const struct jit_tile *t) {
    int64_t to_step = t->shape->copy_step ? t->shape->copy_step : t->shape->right_step;
    jit_integer_at(code, JIT_LOAD, R10, (struct jit_at){RSI, offsetof(struct brgemm_call, soon_after)});
    jit_integer(code, JIT_ADD, R10, R14);
    int together = right_in_turn(code, t) ? 1 : t->vectors; /* vectors per register group */
    for (int first = 0; first < t->vectors; first += together) {
        for (int j = first; j < first + together; j++) {
            move(code, t, j, right_register(code, t, 0, j), vector_of(code, t, (struct jit_at){R14, 0}, j),
                 false);
            jit_prefetch(code, vector_of(code, t, (struct jit_at){R10, 0}, j));
        }
        for (int j = first; j < first + together; j++)
            store(code, t, j, right_register(code, t, 0, j), vector_of(code, t, (struct jit_at){R13, 0}, j));
    }
    jit_integer(code, JIT_ADD, R14, R15);
    jit_add(code, R13, to_step);
    jit_count_at(code, (struct jit_at){RSP, JIT_SOON_LINES});
}

/* Emit, after n steps, the copies of rows of right for later calls that are due by then. */
static void carry(struct jit_code *code, const struct jit_tile *t, int64_t n) {
    jit_add(code, R12, -n);
    size_t early = jit_jump(code, JIT_GREATER), loop = code->n;
    jit_compare_at(code, (struct jit_at){RSP, JIT_SOON_LINES}, 0);
    size_t none = jit_jump(code, JIT_NOT_GREATER);
    carry_row(code, t);
    jit_integer_at(code, JIT_ADD, R12, (struct jit_at){RSI, offsetof(struct brgemm_call, soon_pace)});
    jit_jump_back(code, JIT_NOT_GREATER, loop);
    size_t more = jit_jump(code, JIT_ALWAYS);
    jit_land(code, none);
    jit_set(code, R12, INT32_MAX);
    jit_land(code, more);
    jit_land(code, early);
}

void jit_tile_carry_rest(struct jit_code *code, const struct jit_tile *t) {
    jit_compare_at(code, (struct jit_at){RSP, JIT_SOON_LINES}, 0);
    size_t none = jit_jump(code, JIT_NOT_GREATER), loop = code->n;
    carry_row(code, t);
    jit_jump_back(code, JIT_GREATER, loop);
    jit_land(code, none);
}

/* Emit n steps of k, with the prefetch and copies that belong to them. `advance`: then move left, right
   and the copy on. */
static void steps(struct jit_code *code, const struct jit_tile *t, int64_t n, bool advance) {
    int64_t often = t->shape->soon_often ? 1 : n;
    bool fetches = advance && t->fetch && !t->shape->carries;
    int64_t together = n - (advance ? 0 : steps_by_halves(code, t, n));
    for (int64_t k = 0; k < together; k++) {
        step(code, t, k, BOTH);
        if (fetches && (k + 1) % often == 0) fetch(code);
    }
    for (int64_t k = together; k < n; k++) step(code, t, k, FIRST);
    for (int64_t k = together; k < n; k++) step(code, t, k, SECOND);
    if (t->fetch && t->shape->carries) carry(code, t, n);
    if (!advance) return;
    if (fetches) count_fetched(code, n / often);
    jit_add(code, t->left, n * t->shape->left_step);
    jit_add(code, t->right, n * t->right_step);
    if (t->copies) jit_add(code, t->copy, n * t->shape->copy_step);
}

/* Emit the loop over steps of k for a depth that the call gives. */
static void told_steps(struct jit_code *code, const struct jit_tile *t) {
    int64_t n = body_steps(t);
    jit_integer_at(code, JIT_LOAD, RCX, (struct jit_at){RSI, offsetof(struct brgemm_call, depth)});
    jit_add(code, RCX, -n);
    size_t few = jit_jump(code, JIT_LESS);
    jit_align(code, 32);
    size_t loop = code->n;
    steps(code, t, n, true);
    jit_add(code, RCX, -n);
    jit_jump_back(code, JIT_NOT_LESS, loop);
    jit_land(code, few);
    jit_add(code, RCX, n);
    size_t none = jit_jump(code, JIT_NOT_GREATER);
    loop = code->n;
    steps(code, t, 1, true);
    jit_count(code, RCX);
    jit_jump_back(code, JIT_NOT_ZERO, loop);
    jit_land(code, none);
}

void jit_tile_steps(struct jit_code *code, const struct jit_tile *t) {
    int64_t depth = t->shape->depth, n = body_steps(t),
            rounds = (depth - steps_by_halves(code, t, depth)) / n;
    if (!depth) {
        told_steps(code, t);
        return;
    }
    if (whole(t)) {
        steps(code, t, depth, false);
        return;
    }
    jit_set(code, RCX, (int32_t)rounds); /* at least 1: depths with a loop exceed two bodies */
    jit_align(code, 32);
    size_t loop = code->n;
    steps(code, t, n, true);
    jit_count(code, RCX);
    jit_jump_back(code, JIT_NOT_ZERO, loop);
    steps(code, t, depth - rounds * n, false);
    if (t->plain) jit_add(code, t->left, -rounds * n * t->shape->left_step);
    if (t->plain) jit_add(code, t->right, -rounds * n * t->right_step);
}

/* --- few steps --------------------------------------------------------------------------------------- */

bool jit_tile_by_rows(const struct jit_code *code, const struct jit_tile *t, bool add) {
    enum { STEPS = 8 };
    const struct brgemm_shape *s = t->shape;
    bool fits = (s->depth + 1) * t->vectors + 1 + t->kind->two_steps <= registers(code->wide);
    bool masked = code->wide && is_odd(t->part);
    return t->plain && s->depth && s->depth <= STEPS && fits && !(add && masked) && !s->left_columns &&
           !s->right_single && chains_of(t) == 1;
}

void jit_tile_rows(struct jit_code *code, const struct jit_tile *t, bool add) {
    struct jit_tile held = *t;
    held.held = t->shape->depth;
    for (int k = 0; k < held.held; k++)
        for (int j = 0; j < t->vectors; j++)
            load_right(code, &held, k, j, (struct jit_at){t->right, (int32_t)(k * t->right_step)});
    for (int i = 0; i < t->rows; i++) {
        start_row(code, &held, i, add);
        for (int k = 0; k < held.held; k++) {
            struct jit_at left = left_at(t, k, i);
            load_left(code, &held, i, left);
            for (int j = 0; j < t->vectors; j++) term(code, &held, k, i, j, left, (struct jit_at){RAX, 0});
        }
        store_row(code, &held, i);
    }
}
