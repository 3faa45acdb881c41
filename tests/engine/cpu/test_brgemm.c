/*
 * The batch-reduce kernels against plain loops, to the bit: all sizes up to 64 and some up to 128, every combination of
 * dtypes and every instruction set. Strides are negative, zero, large or overlapping; operands may be tables of rows
 * and batches. Operands begin or end at inaccessible pages.
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "base/machine/isa.h"
#include "engine/cpu/gemm/brgemm.h"
#include "engine/cpu/madd.h"
#include "tests/support/harness.h"

enum { ROOM = 1 << 20, PAGE = 1 << 16, MOST_BATCHES = 5 };

static const struct brgemm_types kinds[] = {
    {TY_F32, TY_F32, TY_F32, 1, false, false},    {TY_F64, TY_F64, TY_F64, 1, false, false},
    {TY_F32, TY_BF16, TY_F32, 1, false, false},   {TY_U8, TY_I8, TY_I32, 4, false, false},
    {TY_I32, TY_I32, TY_I32, 1, false, false},    {TY_F32, TY_F32, TY_F32, 1, true, false},
    {TY_F64, TY_F64, TY_F64, 1, true, false},     {TY_I32, TY_I32, TY_I32, 1, true, false},
    {TY_F32, TY_F32, TY_F32, 1, true, true},      {TY_F32, TY_F16, TY_F32, 1, false, false},
    {TY_I8, TY_I8, TY_I32, 4, false, false},      {TY_U8, TY_U8, TY_I32, 4, false, false},
    {TY_I8, TY_U8, TY_I32, 4, false, false},      {TY_I64, TY_I64, TY_I64, 1, false, false},
    {TY_U32, TY_U32, TY_U32, 1, false, false},    {TY_U64, TY_U64, TY_U64, 1, false, false},
    {TY_I16, TY_I16, TY_I16, 1, false, false},    {TY_U16, TY_U16, TY_U16, 1, false, false},
    {TY_I8, TY_I8, TY_I8, 1, false, false},       {TY_U8, TY_U8, TY_U8, 1, false, false},
    {TY_BOOL, TY_BOOL, TY_BOOL, 1, false, false}, {TY_I16, TY_I16, TY_I32, 2, false, false},
    {TY_I64, TY_I64, TY_I64, 1, true, false},     {TY_U64, TY_U64, TY_U64, 1, true, false},
    {TY_U32, TY_U32, TY_U32, 1, true, false},     {TY_I64, TY_I64, TY_I64, 1, true, true},
    {TY_I32, TY_I32, TY_I32, 1, true, true},      {TY_F64, TY_F64, TY_F64, 1, true, true},
};
enum { KINDS = sizeof kinds / sizeof *kinds, OFTEN = 9 };

/* Return one of three blocks of memory between inaccessible pages, in rotation. */
static char *guarded(void) {
    static char *base;
    static int next;
    if (!base) {
        base = mmap(NULL, 3 * (ROOM + PAGE) + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(base != MAP_FAILED, "no memory for operands");
        for (int i = 0; i < 3; i++)
            CHECK(!mprotect(base + PAGE + i * (ROOM + PAGE), ROOM, PROT_READ | PROT_WRITE), "mprotect fails");
    }
    return base + PAGE + next++ % 3 * (ROOM + PAGE);
}

/* Return an address in the room such that offsets low .. high (bytes) just fit, at its beginning or end. */
static char *place(char *room, int64_t low, int64_t high) {
    CHECK(high - low <= ROOM, "the case needs %lld bytes", (long long)(high - low));
    return test_between(0, 1) ? room - low : room + ROOM - high;
}

struct problem {
    struct brgemm_shape shape;
    struct brgemm_call call;
    int64_t depth;
    int64_t left_at[MOST_BATCHES], right_at[MOST_BATCHES], rows[BRGEMM_MOST];
    int64_t low, high; /* range of bytes of out */
    char *rooms[3], copy[ROOM], carried[ROOM];
};

static int64_t size_of(ty_dtype d) { return (int64_t)dtype_table[d].size; }

/* Fill with random finite values of either sign; integers for integer dtypes. */
static void fill(char *to, int64_t bytes, ty_dtype d) {
    int64_t n = bytes / size_of(d);
    for (int64_t i = 0; i < n; i++) {
        double x = test_uniform(-2, 2);
        uint64_t bits = test_random();
        float single = (float)x;
        uint16_t half = d == TY_F16 ? f32_to_f16(single) : f32_to_bf16(single);
        if (d == TY_F32) memcpy(to + 4 * i, &single, 4);
        if (d == TY_F64) memcpy(to + 8 * i, &x, 8);
        if (d == TY_F16 || d == TY_BF16) memcpy(to + 2 * i, &half, 2);
        if (dtype_is(d, CLASS_INTEGER)) memcpy(to + size_of(d) * i, &bits, (size_t)size_of(d));
        if (d == TY_BOOL) to[i] = (char)(bits & 1);
    }
}

/* Return a random stride, at least `least` in absolute value: in multiples of `unit`, so elements stay
   aligned to it. */
static int64_t stride(int64_t least, int64_t unit) {
    int64_t extra = test_between(0, 3) ? 0 : test_between(0, 40) * unit;
    return (test_between(0, 5) ? 1 : -1) * (least + extra);
}

static void widen(int64_t *low, int64_t *high, int64_t step, int64_t n) {
    if (n <= 0) return;
    *(step < 0 ? low : high) += step * (n - 1);
}

static void operand(struct problem *p, int which, int64_t low, int64_t high, int64_t *at,
                    const void **pointer) {
    int64_t least = 0, most = 0;
    for (int b = 0; b < p->call.batches; b++) {
        if (at) at[b] = test_between(-20, 20) * 64 + test_between(0, 3) * 8;
        if (at && (at[b] < least || !b)) least = at[b];
        if (at && (at[b] > most || !b)) most = at[b];
    }
    *pointer = place(p->rooms[which], low + least, high + most);
}

static void make(struct problem *p, const struct brgemm_types *k, int rows, int columns, int64_t depth) {
    struct brgemm_shape *s = &p->shape;
    int64_t least = size_of(k->left) * k->group, left = least * (k->left_columns ? columns : 1),
            right = size_of(k->right) * k->group, out = size_of(k->out);
    bool told = test_between(0, 2) == 0, by_table = test_between(0, 2) == 0;
    p->depth = depth;
    *s = (struct brgemm_shape){.left = k->left,
                               .right = k->right,
                               .out = k->out,
                               .group = k->group,
                               .rows = rows,
                               .columns = columns,
                               .depth = told ? 0 : (int32_t)depth,
                               .left_columns = k->left_columns,
                               .right_single = k->right_single,
                               .soon_often = test_between(0, 1)};
    if (!told && depth && dtype_is(k->out, CLASS_FLOAT)) s->chains = test_between(0, BRGEMM_CHAINS);
    bool packed = !k->left_columns && test_between(0, 1);
    s->left_step = packed ? left * test_between(rows, rows + 3) : left;
    s->left_row = packed ? left : stride(left * ((k->left_columns ? 1 : depth) + test_between(0, 3)), least);
    if (!test_between(0, 7))
        s->left_row = test_between(-1, 1) * least; /* overlapping rows, or all the same */
    if (!test_between(0, 7)) s->left_step = test_between(-3, 3) * least;
    s->right_step = test_between(0, 7) ? stride(right * columns, right) : test_between(-1, 1) * right;
    s->out_row = by_table ? BRGEMM_ROWS : stride(out * columns, out);
    bool plain = test_between(0, 2) == 0; /* like most small products: such calls have code of their own */
    int64_t batches = plain || test_between(0, 2) ? 1 : test_between(0, MOST_BATCHES);
    p->call = (struct brgemm_call){.batches = batches, .depth = told ? depth : -7, .add = test_between(0, 1)};
    int64_t low = 0, high = left;
    for (int line = test_between(2, 9); line > 1 && !s->line; line--)
        if (rows % line == 0 && test_between(0, 1)) s->line = line;
    s->left_line = stride(llabs(s->left_row) * (s->line + 2), least);
    widen(&low, &high, s->left_row, s->line ? s->line : rows), widen(&low, &high, s->left_step, depth);
    if (s->line) widen(&low, &high, s->left_line, rows / s->line);
    p->call.left_at = !plain && test_between(0, 1) ? p->left_at : NULL;
    operand(p, 0, low, high, p->call.left_at ? p->left_at : NULL, &p->call.left);
    low = 0, high = right * columns;
    widen(&low, &high, s->right_step, depth);
    p->call.right_at = !plain && test_between(0, 1) ? p->right_at : NULL;
    operand(p, 1, low, high, p->call.right_at ? p->right_at : NULL, &p->call.right);
    low = 0, high = out * columns;
    for (int i = 0; i < rows && by_table; i++) p->rows[i] = (rows - 1 - i) * (columns + 3) * out;
    widen(&low, &high, by_table ? (columns + 3) * out : s->out_row, rows);
    p->call.out = place(p->rooms[2], low, high);
    p->call.rows = by_table ? p->rows : NULL;
    p->low = low, p->high = high;
    p->call.soon = p->call.left, p->call.soon_count = plain ? 0 : test_between(0, 9),
    p->call.soon_step = test_between(-100, 100), p->call.soon_lines = test_between(0, 4);
}

/* Let the kernel copy right while it reads it, to rows with a random stride. */
static void make_copy(struct problem *p, const struct brgemm_types *k) {
    int64_t row = size_of(k->right) * k->group * p->shape.columns;
    p->shape.copy_step = row + test_between(0, 2) * 64;
    if (!p->call.batches) p->call.left_at = p->call.right_at = NULL;
    if (p->call.right_at) p->call.right = (const char *)p->call.right + p->right_at[0];
    p->call.right_at = NULL;
    p->call.batches = 1;
    p->call.copy = p->copy + test_between(0, 64);
    memset(p->copy, 77, (size_t)(p->depth * p->shape.copy_step) + 64);
}

/* Let the kernel copy rows of right to another buffer meanwhile, with the layout of the rows that tiles
   read. */
static void make_carry(struct problem *p, const struct brgemm_types *k) {
    int64_t row = size_of(k->right) * k->group * p->shape.columns;
    if (!p->shape.copy_step && p->shape.right_step < row) return;
    if (!p->shape.copy_step) make_copy(p, k), p->shape.copy_step = 0;
    p->shape.carries = true;
    p->call.soon = p->call.right;
    p->call.soon_step = p->shape.right_step;
    p->call.soon_count = test_between(0, (int)p->depth);
    p->call.soon_pace = test_between(1, test_between(0, 1) ? 9 : 2 * (int)p->depth + 1);
    p->call.soon_to = p->carried + test_between(0, 64);
    int64_t step = p->shape.copy_step ? p->shape.copy_step : p->shape.right_step;
    memset(p->call.soon_to, 77, (size_t)(p->call.soon_count * step + row));
}

static void check_carry(const struct problem *p, const struct brgemm_types *k) {
    const struct brgemm_shape *s = &p->shape;
    int64_t row = size_of(k->right) * k->group * s->columns,
            step = s->copy_step ? s->copy_step : s->right_step;
    const char *to = p->call.soon_to, *from = p->call.soon;
    for (int64_t i = 0; i < p->call.soon_count; i++)
        CHECK(!memcmp(to + i * step, from + i * p->call.soon_step, (size_t)row),
              "row %lld of %lld, %d columns of %s, is not carried", (long long)i,
              (long long)p->call.soon_count, s->columns, dtype_table[k->right].name);
    for (int64_t at = 0; at < p->call.soon_count * step + row; at++)
        if (at / step >= p->call.soon_count || at % step >= row)
            CHECK(to[at] == 77, "byte %lld is spoilt", (long long)at);
}

static void check_copy(const struct problem *p, const struct brgemm_types *k) {
    const struct brgemm_shape *s = &p->shape;
    int64_t row = size_of(k->right) * k->group * s->columns;
    const char *copy = p->call.copy, *right = p->call.right;
    for (int64_t i = 0; i < p->depth; i++) {
        CHECK(!memcmp(copy + i * s->copy_step, right + i * s->right_step, (size_t)row),
              "row %lld of right, %d columns of %s, is not copied", (long long)i, s->columns,
              dtype_table[k->right].name);
        for (int64_t j = row; j < s->copy_step; j++)
            CHECK(copy[i * s->copy_step + j] == 77, "behind row %lld of the copy", (long long)i);
    }
}

/* --- plain loops ------------------------------------------------------------------------------------- */

static bool fused(void) { return HAS_FMA || isa_current() != ISA_BASE; }

static double number(const char *at, ty_dtype d) {
    float x;
    double y;
    uint16_t h;
    if (d == TY_F32) return memcpy(&x, at, 4), (double)x;
    if (d == TY_F64) return memcpy(&y, at, 8), y;
    memcpy(&h, at, 2);
    return (double)(d == TY_F16 ? f16_to_f32(h) : bf16_to_f32(h));
}

static void add_number(char *to, double a, double b, ty_dtype d, bool fuse) {
    if (d == TY_F32) {
        float sum, x = (float)a, y = (float)b;
        memcpy(&sum, to, 4);
        volatile float product = x * y;
        sum = fuse ? fmaf(x, y, sum) : sum + product;
        memcpy(to, &sum, 4);
    } else {
        double sum;
        memcpy(&sum, to, 8);
        volatile double product = a * b;
        sum = fuse ? fma(a, b, sum) : sum + product;
        memcpy(to, &sum, 8);
    }
}

/* One operand's value: a float, or the bits of an integer. */
union value {
    double real;
    uint64_t whole;
};
static union value load(const char *at, ty_dtype d) {
    if (dtype_is(d, CLASS_FLOAT)) return (union value){.real = number(at, d)};
    return (union value){.whole = (uint64_t)element_load(d, at).i};
}

/* Add n products to the integer or bool at `to`, of dtype d. Sums wrap, in any order. */
static void add_wholes(char *to, int64_t n, const union value *a, const union value *b, ty_dtype d) {
    uint64_t sum = (uint64_t)element_load(d, to).i, any = sum;
    for (int64_t i = 0; i < n; i++) sum += a[i].whole * b[i].whole, any |= a[i].whole & b[i].whole;
    element_store(d, to, TY_U64, (struct element){.i = (int64_t)(d == TY_BOOL ? any : sum)});
}

enum { MOST_DEPTH = 200, MOST_GROUP = 4, MOST_VALUES = MOST_BATCHES * MOST_DEPTH * MOST_GROUP };

/* Return the number of values that a sum takes of each operand. */
static int64_t terms(const struct problem *p) { return p->call.batches * p->depth * p->shape.group; }

/* Load the values of left for element i, j of the result in the order in which they are added. */
static void load_left(const struct problem *p, int i, int j, union value *to) {
    const struct brgemm_shape *s = &p->shape;
    const struct brgemm_call *c = &p->call;
    for (int64_t b = 0; b < c->batches; b++)
        for (int64_t k = 0; k < p->depth; k++)
            for (int g = 0; g < s->group; g++)
                *to++ =
                    load((const char *)c->left + (c->left_at ? c->left_at[b] : 0) + brgemm_left_row(s, i) +
                             k * s->left_step + (g + (s->left_columns ? j : 0)) * size_of(s->left),
                         s->left);
}

/* Load the values of right for column j of the result in the order in which they are added. */
static void load_right(const struct problem *p, int j, union value *to) {
    const struct brgemm_shape *s = &p->shape;
    const struct brgemm_call *c = &p->call;
    for (int64_t b = 0; b < c->batches; b++)
        for (int64_t k = 0; k < p->depth; k++)
            for (int g = 0; g < s->group; g++)
                *to++ = load((const char *)c->right + (c->right_at ? c->right_at[b] : 0) + k * s->right_step +
                                 ((s->right_single ? 0 : j) * s->group + g) * size_of(s->right),
                             s->right);
}

/* Compute one element at `to`: the sum of all terms; or several partial sums, added to the first one. */
static void naive_element(const struct problem *p, const union value *left, const union value *right,
                          char *to) {
    const struct brgemm_shape *s = &p->shape;
    bool fuse = fused();
    char sums[BRGEMM_CHAINS][8] = {{0}};
    size_t size = (size_t)size_of(s->out);
    int64_t chains = s->chains > 1 ? s->chains : 1, count = p->call.batches * p->depth;
    if (p->call.add) memcpy(sums[0], to, size);
    if (!dtype_is(s->out, CLASS_FLOAT)) {
        add_wholes(sums[0], count * s->group, left, right, s->out);
        memcpy(to, sums[0], size);
        return;
    }
    for (int64_t term = 0; term < count; term++)
        add_number(sums[term % chains], left[term].real, right[term].real, s->out, fuse);
    for (int64_t chain = 1; chain < chains; chain++)
        add_number(sums[0], number(sums[chain], s->out), 1, s->out, fuse);
    memcpy(to, sums[0], size);
}

static void naive(const struct problem *p, char *out) {
    static union value rows[BRGEMM_MOST][MOST_VALUES], left[MOST_VALUES], right[MOST_VALUES];
    const struct brgemm_shape *s = &p->shape;
    const struct brgemm_call *c = &p->call;
    CHECK(terms(p) <= MOST_VALUES, "%lld terms", (long long)terms(p));
    for (int i = 0; i < s->rows && !s->left_columns; i++) load_left(p, i, 0, rows[i]);
    for (int j = 0; j < s->columns; j++) {
        load_right(p, j, right);
        for (int i = 0; i < s->rows; i++) {
            if (s->left_columns) load_left(p, i, j, left);
            naive_element(p, s->left_columns ? left : rows[i], right,
                          out + (c->rows ? c->rows[i] : i * s->out_row) + j * size_of(s->out));
        }
    }
}

static void check(struct problem *p, const struct brgemm_types *k, int rows, int columns, int64_t depth) {
    static char before[ROOM], want[ROOM];
    make(p, k, rows, columns, depth);
    if (test_between(0, 3) == 0 && !k->right_single) make_copy(p, k);
    if (test_between(0, 3) == 0 && !k->left_columns) make_carry(p, k);
    size_t bytes = (size_t)(p->high - p->low);
    char *out = (char *)p->call.out + p->low;
    memcpy(before, out, bytes), memcpy(want, out, bytes);
    naive(p, want - p->low);
    struct brgemm kernel;
    CHECK(brgemm_find(&kernel, &p->shape), "no kernel for %s %s %s by %d", dtype_table[k->left].name,
          dtype_table[k->right].name, dtype_table[k->out].name, k->group);
    kernel.run(&kernel, &p->call);
    for (size_t i = 0; i < bytes; i++)
        CHECK(out[i] == want[i],
              "%s %s %s by %d on %s: %d x %d x %lld, %lld batches, add %d, table %d, told %d: byte %zu of "
              "%zu is %d, "
              "not %d (before: %d)",
              dtype_table[k->left].name, dtype_table[k->right].name, dtype_table[k->out].name, k->group,
              ty_isa(), rows, columns, (long long)depth, (long long)p->call.batches, (int)p->call.add,
              p->call.rows != NULL, !p->shape.depth, i, bytes, out[i], want[i], before[i]);
    if (p->shape.copy_step) check_copy(p, k);
    if (p->shape.carries) check_carry(p, k);
}

static struct problem *problem(void) {
    static struct problem p;
    for (int i = 0; i < 3; i++)
        if (!p.rooms[i]) p.rooms[i] = guarded();
    return &p;
}

static void refill(struct problem *p, const struct brgemm_types *k) {
    fill(p->rooms[0], ROOM, k->left), fill(p->rooms[1], ROOM, k->right), fill(p->rooms[2], ROOM, k->out);
}

/* Force a random instruction set of this CPU. */
static void any_isa(void) {
    isa_force((enum isa)test_between(0, (int64_t)isa_best()));
    static int n;
    if (n++ % 512 == 0) brgemm_force_jit(test_between(0, 7));
}

static void sizes(const struct brgemm_types *k, int first, int step) {
    struct problem *p = problem();
    refill(p, k);
    for (int rows = first; rows <= 64; rows += step)
        for (int columns = 1; columns <= 64; columns++) {
            any_isa();
            check(p, k, rows, columns, test_between(0, 12));
        }
}

static void every_rows_and_columns(void) {
    for (int i = 0; i < OFTEN; i++) sizes(&kinds[i], 1, test_some(1, 5, 16));
}

/* Few elements use several partial sums each, over batches of every depth. */
static void several_sums(void) {
    struct problem *p = problem();
    for (int i = 0; i < OFTEN; i++) {
        refill(p, &kinds[i]);
        for (int depth = 0; depth <= 100; depth += test_some(1, 7, 23))
            for (int round = 0; round < 24; round++) {
                any_isa();
                check(p, &kinds[i], (int)test_between(1, 5), (int)test_between(1, 65), depth);
            }
    }
}

static void every_depth(void) {
    struct problem *p = problem();
    for (int i = 0; i < OFTEN; i++) {
        refill(p, &kinds[i]);
        for (int depth = 1; depth <= 64; depth += test_some(1, 5, 9))
            for (int round = 0; round < 12; round++) {
                any_isa();
                check(p, &kinds[i], (int)test_between(1, 40), (int)test_between(1, 40), depth);
            }
    }
}

static void large_blocks(void) {
    struct problem *p = problem();
    for (int i = 0; i < OFTEN; i++) {
        refill(p, &kinds[i]);
        for (int round = 0; round < test_some(60, 12, 2); round++) {
            any_isa();
            check(p, &kinds[i], (int)test_between(1, BRGEMM_MOST), (int)test_between(1, BRGEMM_MOST),
                  test_between(0, round % 2 ? 20 : 200));
        }
    }
}

static void other_types(void) {
    struct problem *p = problem();
    for (int i = OFTEN; i < KINDS; i++) {
        refill(p, &kinds[i]);
        for (int round = 0; round < test_some(400, 80, 10); round++) {
            any_isa();
            check(p, &kinds[i], (int)test_between(1, 30), (int)test_between(1, round % 4 ? 40 : BRGEMM_MOST),
                  test_between(0, 20));
        }
    }
}

static void unknown_types(void) {
    struct brgemm kernel;
    struct brgemm_shape shape = {
        .left = TY_F32, .right = TY_F64, .out = TY_F32, .rows = 1, .columns = 1, .group = 1};
    CHECK(!brgemm_find(&kernel, &shape), "f32 times f64 has a kernel");
    shape.right = TY_F32, shape.group = 2;
    CHECK(!brgemm_find(&kernel, &shape), "pairs of f32 have a kernel");
}

static void tiles_fit(void) {
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        for (int i = 0; i < KINDS; i++)
            for (int rows = 1; rows <= 64; rows++)
                for (int columns = 1; columns <= 64; columns++) {
                    int high = 0, wide = 0;
                    brgemm_tile(&kinds[i], rows, 1, columns, 0, &high, &wide);
                    CHECK(high >= 1 && high <= rows && wide >= 1, "tile of %d x %d for %d x %d", high, wide,
                          rows, columns);
                }
    }
}

TESTS_MAIN(TEST(every_rows_and_columns), TEST(every_depth), TEST(several_sums), TEST(large_blocks),
           TEST(other_types), TEST(unknown_types), TEST(tiles_fit))
