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
#include "engine/cpu/gemm/jit_move.h"
#include "engine/cpu/gemm/jit_registers.h"

enum { BODY = 160, WHOLE_BODY = 400, WHOLE_DEPTH = 64, MOST_STEPS = 16 };

static const struct jit_vector_op broadcast_4 = {2, 1, 0, 0x18}, broadcast_8 = {2, 1, 1, 0x19},
                                  broadcast_8_vex = {2, 1, 0, 0x19}, add_4 = {1, 0, 0, 0x58},
                                  add_8 = {1, 1, 1, 0x58};

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
                jit_move(code, t, j, sum_register(code, t, chain, i, j), jit_vector_of(code, t, row, j),
                         false);
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
        jit_store(code, t, j, sum, jit_vector_of(code, t, row, j));
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
    if (jit_is_part(t, j)) code->vector = jit_tile_vector(code->wide, 1, t->part);
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
    return t->copies || t->held || t->rows > 1 || jit_is_part(t, j) || from_memory(code, t) ||
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
    struct jit_at at = jit_vector_of_right(code, t, right, j);
    if (t->kind->widen.opcode)
        jit_load_widened(code, t, j, reg, at);
    else
        jit_move(code, t, j, reg, at, false);
}

/* Emit sum += left[i, k, j] * right[k, j] for left with columns of its own: vector j of the row at `left`, in
   memory, or in a register if incomplete. */
static void term_of_columns(struct jit_code *code, const struct jit_tile *t, int sum, int64_t k, int i, int j,
                            struct jit_at left) {
    bool there = !jit_is_part(t, j);
    struct jit_at at = jit_vector_of(code, t, left, j);
    int value = value_register(code, t, i);
    if (!there) jit_move(code, t, j, value, at, false);
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
        struct jit_at at = jit_vector_of(code, t, right, j);
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
    jit_store(code, t, j, right_register(code, t, k, j), jit_vector_of(code, t, copy, j));
    jit_prefetch(code, jit_vector_of(code, t, later, j));
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
            jit_move(code, t, j, right_register(code, t, 0, j),
                     jit_vector_of(code, t, (struct jit_at){R14, 0}, j), false);
            jit_prefetch(code, jit_vector_of(code, t, (struct jit_at){R10, 0}, j));
        }
        for (int j = first; j < first + together; j++)
            jit_store(code, t, j, right_register(code, t, 0, j),
                      jit_vector_of(code, t, (struct jit_at){R13, 0}, j));
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
