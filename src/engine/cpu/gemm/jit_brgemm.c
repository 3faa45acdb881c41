/*
 * Generates machine code for a block of a batch-reduce product: columns of tiles, strips of rows in each, batches in
 * a tile, k in a batch. Equal strips or columns form a loop. The idea is that of Heinecke et al., "LIBXSMM:
 * accelerating small matrix multiplications by runtime code generation" (SC 2016). Sizes and strides are constants,
 * so addresses are offsets in the instructions and only multiply-adds remain.
 *
 * A kernel of known depth exists twice. The plain version serves calls with one batch, no tables and no prefetch; it
 * saves no registers and computes no addresses. The general version serves all calls.
 *
 * Registers: RSI the call, R8 and R9 left and right of the tile, RDI out, RBP (plain: RDX) the position in the table
 * of rows. In the general version RAX and RDX step through a batch, R10 and R11 through the tables of batches. RBX
 * counts batches, R12, R14 and R15 serve prefetch, and R13 is the destination of copies of right.
 */
#include "engine/cpu/gemm/jit_brgemm.h"
#include <stddef.h>
#include "base/machine/isa.h"
#include "engine/cpu/gemm/brgemm_pick.h"

/* Stack slots of the general version. ZERO stays 0; it serves as the table of batches if there is none. */
enum {
    ZERO = 0,
    LEFT_AT = 8,
    LEFT_WALK = 16,
    RIGHT_AT = 24,
    RIGHT_WALK = 32,
    ROWS = 40,
    COLUMNS = 48,
    RIGHT = 56, /* right of the current columns, and the destination of its copy */
    COPY = 64,
    SOON = JIT_SOON,
    SOON_LINES = JIT_SOON_LINES,
    FRAME = 88
};
enum { PLAIN_MOST = 8192 }; /* vector multiply-adds; above this the cost of a call does not show */
#define CALL(member) ((struct jit_at){RSI, offsetof(struct brgemm_call, member)})
#define SLOT(slot) ((struct jit_at){RSP, slot})
static const enum jit_register saved[] = {RBX, RBP, R12, R13, R14, R15};
enum { SAVED = sizeof saved / sizeof *saved };

static const struct jit_kind kinds[] = {
    {TY_F32, TY_F32, TY_F32, 1, 4, .add = {2, 1, 0, 0xb8}},
    {TY_F64, TY_F64, TY_F64, 1, 8, .add = {2, 1, 1, 0xb8}},
    {TY_I32, TY_I32, TY_I32, 1, 4, .add = {1, 1, 0, 0xfe}, .multiply = {2, 1, 0, 0x40}, .two_steps = true},
    {TY_U32, TY_U32, TY_U32, 1, 4, .add = {1, 1, 0, 0xfe}, .multiply = {2, 1, 0, 0x40}, .two_steps = true},
    {TY_U8, TY_I8, TY_I32, 4, 4, .add = {2, 1, 0, 0x50}, .left_first = true, .needs = 1 << ISA_VNNI},
    {TY_I8, TY_U8, TY_I32, 4, 4, .add = {2, 1, 0, 0x50}, .right_first = true, .needs = 1 << ISA_VNNI},
    {TY_I16, TY_I16, TY_I32, 2, 4, .add = {2, 1, 0, 0x52}, .needs = 1 << ISA_VNNI},
    {TY_I16, TY_I16, TY_I32, 2, 4, .add = {1, 1, 0, 0xfe}, .multiply = {1, 1, 0, 0xf5}, .two_steps = true,
     .left_first = true},
    {TY_F32, TY_F16, TY_F32, 1, 4, .add = {2, 1, 0, 0xb8}, .widen = {2, 1, 0, 0x13}},
    {TY_F32, TY_BF16, TY_F32, 1, 4, .add = {2, 1, 0, 0xb8}, .widen = {2, 1, 0, 0x33}, .shift = 16},
};

const struct jit_kind *jit_kind_find(const struct brgemm_types *types) {
    int extras = 0;
    if (isa_current() == ISA_BASE || sizeof(void *) < 8)
        return NULL; /* other processors have only the base set */
    for (int extra = 0; extra < ISA_EXTRAS; extra++) extras |= isa_has((enum isa_extra)extra) << extra;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].left == types->left && kinds[i].right == types->right && kinds[i].out == types->out &&
            kinds[i].group == types->group && !(kinds[i].needs & ~extras))
            return &kinds[i];
    return NULL;
}

struct gemm_block {
    struct jit_code *code;
    struct jit_tile tile;
    int lanes, part; /* part: bytes of an incomplete last vector, else 0 */
    bool plain;
};

/* --- a tile ------------------------------------------------------------------------------------------ */

/* Emit one batch: load the addresses of left and right from the tables, step through k, count down. */
static void emit_batch(struct gemm_block *b) {
    struct jit_code *code = b->code;
    jit_integer_at(code, JIT_LOAD, RAX, (struct jit_at){R10, 0});
    jit_integer(code, JIT_ADD, RAX, R8);
    jit_integer_at(code, JIT_ADD, R10, SLOT(LEFT_WALK));
    jit_integer_at(code, JIT_LOAD, RDX, (struct jit_at){R11, 0});
    jit_integer(code, JIT_ADD, RDX, R9);
    jit_integer_at(code, JIT_ADD, R11, SLOT(RIGHT_WALK));
    jit_tile_steps(code, &b->tile);
    jit_count(code, RBX);
}

/* Emit the loop over all batches; plain code has one batch. If the number of sums does not divide the depth, the
   next batch starts with another sum. Then a round of the loop has one batch for each. */
static void emit_batches(struct gemm_block *b) {
    struct jit_code *code = b->code;
    if (b->plain) {
        jit_tile_steps(code, &b->tile);
        return;
    }
    size_t done[BRGEMM_CHAINS];
    int n = 0, depth = b->tile.shape->depth, chains = b->tile.shape->chains > 1 ? b->tile.shape->chains : 1;
    jit_integer(code, JIT_TEST, RBX, RBX);
    done[n++] = jit_jump(code, JIT_NOT_GREATER);
    size_t loop = code->n;
    emit_batch(b);
    while ((b->tile.chain = (b->tile.chain + depth) % chains)) {
        done[n++] = jit_jump(code, JIT_ZERO);
        emit_batch(b);
    }
    jit_jump_back(code, JIT_NOT_ZERO, loop);
    while (n > 0) jit_land(code, done[--n]);
}

/* Set how the tile handles an incomplete last vector: move it left to be full (tile.back), or access a part
   (tile.part). `add`: sums start from out. */
static void set_part(struct gemm_block *b, bool add) {
    b->tile.back = jit_tile_back(b->code->wide, add, b->tile.vectors, b->part);
    b->tile.part = b->tile.back ? 0 : b->part;
}

/* Emit all batches and the stores of a tile whose sums have started. */
static void emit_sums(struct gemm_block *b) {
    emit_batches(b);
    jit_tile_store(b->code, &b->tile);
}

/* Emit the start of a tile's sums: from out if `add`, else at zero. With `few` steps emit the rest of the tile,
   too, so that each case has code of its own. */
static void emit_way(struct gemm_block *b, bool few, bool add) {
    if (few) set_part(b, add);
    if (few && jit_tile_by_rows(b->code, &b->tile, add)) {
        jit_tile_rows(b->code, &b->tile, add);
    } else {
        jit_tile_start(b->code, &b->tile, add);
        if (few) emit_sums(b);
    }
    set_part(b, false);
}

/* Emit a tile of `rows` rows: its addresses, its sums, from out or from zero as the call says, and its
   stores. */
static void emit_tile(struct gemm_block *b, int rows) {
    struct jit_code *code = b->code;
    b->tile.rows = rows;
    b->tile.fetch = !b->plain && !(b->tile.copies && b->tile.shape->carries) &&
                    (rows * b->tile.vectors >= 12 || b->tile.shape->carries);
    if (!b->plain) {
        jit_integer_at(code, JIT_LOAD, RBX, CALL(batches));
        jit_integer_at(code, JIT_LOAD, R10, SLOT(LEFT_AT));
        jit_integer_at(code, JIT_LOAD, R11, SLOT(RIGHT_AT));
    }
    bool few = jit_tile_by_rows(code, &b->tile, false);
    jit_compare_at(code, CALL(add), 0);
    size_t overwrite = jit_jump(code, JIT_ZERO);
    emit_way(b, few, true);
    size_t done = jit_jump(code, JIT_ALWAYS);
    jit_land(code, overwrite);
    emit_way(b, few, false);
    jit_land(code, done);
    if (!few) emit_sums(b);
}

/* --- strips and columns of tiles --------------------------------------------------------------------- */

/* Emit the start of a loop of n rounds, counted in a register (plain code) or a stack slot; nothing if n is 1.
   Return the loop's offset in the code, to jump back to; 0 if n is 1. */
static size_t loop_begin(struct gemm_block *b, int64_t n, enum jit_register counter, int slot) {
    if (n == 1) return 0;
    if (b->plain)
        jit_set(b->code, counter, (int32_t)n);
    else
        jit_set_at(b->code, SLOT(slot), (int32_t)n);
    return b->code->n;
}

/* Emit the end of the loop that loop_begin started at offset `begin`, with the same n, counter and slot. */
static void loop_end(struct gemm_block *b, int64_t n, enum jit_register counter, int slot, size_t begin) {
    if (n == 1) return;
    if (b->plain)
        jit_count(b->code, counter);
    else
        jit_count_at(b->code, SLOT(slot));
    jit_jump_back(b->code, JIT_NOT_ZERO, begin);
}

/* Emit code that moves left and out, or its table, down by `rows` rows; negative: up. */
static void go_down(struct gemm_block *b, int64_t rows) {
    const struct brgemm_shape *s = b->tile.shape;
    jit_add(b->code, R8, rows < 0 ? -brgemm_left_row(s, -rows) : brgemm_left_row(s, rows));
    if (s->out_row == BRGEMM_ROWS)
        jit_add(b->code, b->tile.rows_at, 8 * rows);
    else
        jit_add(b->code, RDI, rows * s->out_row);
}

/* Emit n strips of `rows` rows each. `more`: other strips follow. */
static void emit_strips(struct gemm_block *b, int64_t n, int rows, bool more) {
    if (!n) return;
    size_t loop = loop_begin(b, n, R10, ROWS);
    emit_tile(b, rows);
    if (more || n > 1) go_down(b, rows);
    loop_end(b, n, R10, ROWS, loop);
}

/* Emit the first strip, of `rows` rows, which copies right; later strips read the copy. `more`: other strips or
   columns follow. */
static void emit_copying_strip(struct gemm_block *b, int rows, bool more) {
    struct jit_code *code = b->code;
    jit_integer_at(code, JIT_LOAD, R9, SLOT(RIGHT));
    if (b->tile.shape->carries) jit_integer_at(code, JIT_STORE, R13, SLOT(SOON));
    jit_integer_at(code, JIT_LOAD, R13, SLOT(COPY));
    b->tile.copies = true;
    b->tile.right_step = b->tile.shape->right_step;
    emit_tile(b, rows);
    b->tile.copies = false;
    b->tile.right_step = b->tile.shape->copy_step;
    if (more) go_down(b, rows);
    jit_integer_at(code, JIT_LOAD, R9, SLOT(COPY));
    if (b->tile.shape->carries) jit_integer_at(code, JIT_LOAD, R13, SLOT(SOON));
}

static void add_to_slot(struct gemm_block *b, int slot, int64_t bytes) {
    jit_integer_at(b->code, JIT_LOAD, RAX, SLOT(slot));
    jit_add(b->code, RAX, bytes);
    jit_integer_at(b->code, JIT_STORE, RAX, SLOT(slot));
}

/* Emit code that moves right, its copy and out to the next columns, `bytes` further. */
static void go_right(struct gemm_block *b, int64_t bytes) {
    if (b->tile.shape->left_columns) jit_add(b->code, R8, bytes);
    if (!b->tile.shape->right_single) jit_add(b->code, R9, bytes / jit_tile_widening(b->tile.kind));
    jit_add(b->code, RDI, bytes);
    if (!b->tile.shape->copy_step) return;
    add_to_slot(b, RIGHT, bytes);
    add_to_slot(b, COPY, bytes);
}

/* Emit n columns of tiles, each `vectors` wide. part: bytes of an incomplete last vector, else 0. `more`: other
   columns follow. */
static void emit_columns(struct gemm_block *b, int64_t n, int vectors, int part, bool more) {
    if (!n) return;
    const struct brgemm_shape *s = b->tile.shape;
    int64_t line = s->line ? s->line : 1, lines = s->rows / line;
    int64_t most = jit_tile_most(b->code->wide, b->tile.kind, vectors, s->chains) / line;
    int64_t strips = (lines + most - 1) / most, high = (lines + strips - 1) / strips,
            tall = lines - strips * (high - 1);
    b->tile.vectors = vectors;
    b->part = part;
    set_part(b, false);
    b->code->vector = jit_tile_vector(b->code->wide, vectors, part);
    size_t loop = loop_begin(b, n, R11, COLUMNS);
    more = more || n > 1;
    bool copies = s->copy_step;
    if (copies) emit_copying_strip(b, (int)(high * line), more || strips > 1);
    emit_strips(b, tall - copies, (int)(high * line), more || tall < strips);
    emit_strips(b, strips - tall, (int)((high - 1) * line), more);
    if (more) {
        go_down(b, -s->rows);
        go_right(b, vectors * (b->code->wide ? 64 : 32));
    }
    loop_end(b, n, R11, COLUMNS, loop);
}

/* Set *high and *width to the rows and vectors of generated tiles for a block of rows x columns of this
   depth, as brgemm_pick does. left_columns: left has columns of its own; line: rows per line; widest: the
   most vectors; chains: sums per element. */
static void pick(const struct jit_kind *kind, bool left_columns, int64_t rows, int64_t line, int64_t columns,
                 int64_t depth, int widest, int chains, int32_t *high, int32_t *width) {
    bool wide = isa_current() == ISA_AVX512;
    int lanes = (wide ? 64 : 32) / kind->bytes, most[JIT_WIDEST + 1] = {0};
    for (int v = 1; v <= JIT_WIDEST; v++) most[v] = jit_tile_most(wide, kind, v, chains);
    struct brgemm_tiles tiles = {most, widest, left_columns, depth * (wide ? 64 : 32)};
    brgemm_pick(&tiles, rows, line, (columns + lanes - 1) / lanes, high, width);
}

void jit_brgemm_pick(const struct jit_kind *kind, bool left_columns, int64_t rows, int64_t line,
                     int64_t columns, int64_t depth, int32_t *high, int32_t *width) {
    pick(kind, left_columns, rows, line, columns, depth, JIT_WIDEST, 1, high, width);
}

/* Return the greatest width of a tile, in vectors: NARROW for one row of left with 1 to FEW steps of K, unless the
   kernel copies or left has columns; else JIT_WIDEST. Such products read little of each matrix row, and hardware
   prefetch follows contiguous rows. From memory AVX2 is 1.4 times as fast with 4 vectors as with 8, and 1.2 times
   that with 2 (Zen 3, 4000 squared; in L3 0.9 to 1.1). With more steps the latency of sums would dominate. */
static int widest(const struct brgemm_shape *s) {
    enum { FEW = 12, NARROW = 2 };
    bool few =
        s->rows == 1 && s->depth && s->depth <= FEW && !s->left_columns && !s->copy_step && !s->carries;
    return few ? NARROW : JIT_WIDEST;
}

/* Return the number of columns of tiles in the block; *width is their width in vectors. */
static int columns_of_tiles(const struct gemm_block *b, int32_t *width) {
    const struct brgemm_shape *s = b->tile.shape;
    int32_t high;
    pick(b->tile.kind, s->left_columns, s->rows, s->line ? s->line : 1, s->columns, s->depth, widest(s),
         s->chains, &high, width);
    return ((s->columns + b->lanes - 1) / b->lanes + *width - 1) / *width;
}

/* Emit the whole block: columns of tiles, of which the last may be narrower. */
static void emit_block(struct gemm_block *b) {
    const struct brgemm_shape *s = b->tile.shape;
    int part = s->columns % b->lanes * b->tile.kind->bytes, vectors = (s->columns + b->lanes - 1) / b->lanes;
    int32_t width;
    int n = columns_of_tiles(b, &width), last = vectors - (n - 1) * width;
    bool alike = last == width && !part;
    emit_columns(b, alike ? n : n - 1, width, 0, !alike);
    if (!alike) emit_columns(b, 1, last, part, false);
}

/* --- the kernel -------------------------------------------------------------------------------------- */

/* Emit loads of the addresses of left, right and out, and of the list of rows if there is one, from the
   call. */
static void load_call(struct gemm_block *b) {
    jit_integer_at(b->code, JIT_LOAD, R8, CALL(left));
    jit_integer_at(b->code, JIT_LOAD, R9, CALL(right));
    jit_integer_at(b->code, JIT_LOAD, RDI, CALL(out));
    if (b->tile.shape->out_row == BRGEMM_ROWS) jit_integer_at(b->code, JIT_LOAD, b->tile.rows_at, CALL(rows));
}

/* Emit the plain version, for calls with one batch, no tables and no prefetch; other calls jump to the general one.
   general[] receives those two jumps, for jit_land. */
static void emit_plain(struct gemm_block *b, size_t general[2]) {
    struct jit_code *code = b->code;
    jit_integer_at(code, JIT_LOAD, RAX, CALL(left_at));
    jit_integer_at(code, JIT_OR, RAX, CALL(right_at));
    jit_integer_at(code, JIT_OR, RAX, CALL(soon_count));
    general[0] = jit_jump(code, JIT_NOT_ZERO);
    jit_compare_at(code, CALL(batches), 1);
    general[1] = jit_jump(code, JIT_NOT_ZERO);
    b->plain = b->tile.plain = true;
    b->tile.left = R8, b->tile.right = R9, b->tile.rows_at = RDX;
    load_call(b);
    emit_block(b);
    if (code->long_vectors) jit_clear(code);
    jit_return(code);
}

/* Emit code that stores the table of batches at `table` in stack slot `at`, and its step, 8, in slot `walk`. For a
   table of NULL: the address of slot ZERO and step 0. */
static void emit_table(struct jit_code *code, struct jit_at table, int at, int walk) {
    jit_integer_at(code, JIT_LOAD, RAX, table);
    jit_set_at(code, SLOT(walk), 8);
    jit_integer(code, JIT_TEST, RAX, RAX);
    size_t there = jit_jump(code, JIT_NOT_ZERO);
    jit_integer_at(code, JIT_ADDRESS, RAX, SLOT(ZERO));
    jit_set_at(code, SLOT(walk), 0);
    jit_land(code, there);
    jit_integer_at(code, JIT_STORE, RAX, SLOT(at));
}

/* Emit prefetches of the lines of the current column that no tile fetched. */
static void emit_rest_of_soon(struct jit_code *code) {
    jit_integer(code, JIT_TEST, R12, R12);
    size_t none = jit_jump(code, JIT_NOT_GREATER);
    jit_integer(code, JIT_TEST, R15, R15);
    size_t all = jit_jump(code, JIT_ZERO);
    size_t loop = code->n;
    jit_prefetch(code, (struct jit_at){R14, 0});
    jit_integer(code, JIT_ADD, R14, R15);
    jit_count(code, R12);
    jit_jump_back(code, JIT_NOT_ZERO, loop);
    jit_land(code, all);
    jit_land(code, none);
}

/* Emit code that loads the lines to prefetch, or the rows of right to copy for later calls, into registers and
   slots. */
static void emit_soon(struct jit_code *code, const struct brgemm_shape *s) {
    jit_integer_at(code, JIT_LOAD, R14, CALL(soon));
    jit_integer_at(code, JIT_LOAD, R15, CALL(soon_step));
    jit_integer_at(code, JIT_LOAD, R12, CALL(soon_count));
    if (!s->carries) {
        jit_integer_at(code, JIT_STORE, R14, SLOT(SOON));
        jit_integer_at(code, JIT_LOAD, RAX, CALL(soon_lines));
        jit_integer_at(code, JIT_STORE, RAX, SLOT(SOON_LINES));
        return;
    }
    jit_integer_at(code, JIT_STORE, R12, SLOT(SOON_LINES));
    jit_integer_at(code, JIT_LOAD, R13, CALL(soon_to));
    jit_integer_at(code, JIT_LOAD, R12, CALL(soon_pace));
}

/* Emit the general version: saves registers, reads tables and prefetch from the call, and emits the block. */
static void emit_general(struct gemm_block *b) {
    struct jit_code *code = b->code;
    for (int i = 0; i < SAVED; i++) jit_push(code, saved[i]);
    jit_add(code, RSP, -FRAME);
    jit_set_at(code, SLOT(ZERO), 0);
    emit_table(code, CALL(left_at), LEFT_AT, LEFT_WALK);
    emit_table(code, CALL(right_at), RIGHT_AT, RIGHT_WALK);
    emit_soon(code, b->tile.shape);
    b->plain = b->tile.plain = false;
    b->tile.left = RAX, b->tile.right = RDX, b->tile.rows_at = RBP, b->tile.copy = R13;
    load_call(b);
    if (b->tile.shape->copy_step) {
        jit_integer_at(code, JIT_STORE, R9, SLOT(RIGHT));
        jit_integer_at(code, JIT_LOAD, RAX, CALL(copy));
        jit_integer_at(code, JIT_STORE, RAX, SLOT(COPY));
    }
    emit_block(b);
    if (b->tile.shape->carries)
        jit_tile_carry_rest(code, &b->tile);
    else
        emit_rest_of_soon(code);
    if (code->long_vectors) jit_clear(code);
    jit_add(code, RSP, FRAME);
    for (int i = SAVED; i-- > 0;) jit_pop(code, saved[i]);
    jit_return(code);
}

/* Return true if all offsets within the block, and their sums, fit in 32 bits. */
static bool strides_fit(const struct brgemm_shape *s) {
    enum { STEPS = 64, MOST = INT32_MAX / 2 };
    int64_t most = MOST / (s->depth > STEPS ? s->depth : STEPS);
    int64_t out = s->out_row == BRGEMM_ROWS ? 0 : s->out_row, row = MOST / BRGEMM_MOST,
            line = s->line ? s->left_line : 0;
    return s->left_step <= most && s->left_step >= -most && s->right_step <= most && s->right_step >= -most &&
           s->copy_step <= most && s->copy_step >= -most && s->left_row <= row && s->left_row >= -row &&
           out <= row && out >= -row && line <= row && line >= -row;
}

bool jit_brgemm(struct jit_code *code, const struct jit_kind *kind, const struct brgemm_shape *shape) {
    code->wide = isa_current() == ISA_AVX512;
    code->n = 0;
    code->long_vectors = false;
    struct gemm_block b = {
        .code = code,
        .lanes = (code->wide ? 64 : 32) / kind->bytes,
        .tile = {.kind = kind, .shape = shape, .right_step = shape->right_step, .out = RDI}};
    int32_t width;
    int last = shape->columns % b.lanes;
    if (!strides_fit(shape) || shape->line > jit_tile_most(code->wide, kind, 1, shape->chains)) return false;
    if (shape->carries && columns_of_tiles(&b, &width) > 1)
        return false; /* rows of right must be as wide as a tile's */
    if (kind->widen.opcode && (shape->copy_step || shape->carries)) return false; /* registers hold f32 */
    jit_entry(code);
    if (last && code->wide) {
        jit_set(code, RAX, (1 << last) - 1);
        jit_mask(code, JIT_MASK, RAX);
    }
    size_t general[2] = {0, 0};
    int64_t work = (int64_t)shape->rows * ((shape->columns + b.lanes - 1) / b.lanes) * shape->depth;
    bool both = shape->depth && work <= PLAIN_MOST && !shape->copy_step && !shape->carries;
    if (both) emit_plain(&b, general);
    for (int i = 0; both && i < 2; i++) jit_land(code, general[i]);
    emit_general(&b);
    return code->n <= code->room;
}
