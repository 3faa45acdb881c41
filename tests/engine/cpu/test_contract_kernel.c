/*
 * Single contraction kernels of the cpu engine against a naive loop: random labels, sizes and strides (permuted,
 * negative, zero, overlapping), every dtype and instruction set, any number of threads, epilogues. Operands are small
 * integers, so that sums are exact and every dtype must agree to the bit.
 */
#include <string.h>

#include "array/dtype.h"
#include "base/machine/isa.h"
#include "engine/cpu/cpu.h"
#include "ops/core/attributes.h"
#include "tests/support/harness.h"

enum { LABELS = 6, RANK = 4, LEFT = 0, RIGHT = 1, OUT = 2, EXTRA = 3, SLOTS = 4 };

/* A contraction with the memory of its operands. */
struct sum {
    ty_dtype dtype, operand[2]; /* dtype of sums and out; dtypes of left and right */
    struct contract_attr attr;
    struct layout_room layout[SLOTS];
    int64_t length[SLOTS]; /* elements of a slot */
    void *slots[SLOTS];
    int64_t size[LABELS];
};

/* Kinds of sums: one of each dtype, then four that sum u8 or i8 in i32. */
enum { KINDS = TY_DTYPES + 4 };
static struct sum sum_of(int kind) {
    static const ty_dtype bytes[] = {TY_U8, TY_I8};
    int mixed = kind - TY_DTYPES;
    ty_dtype dtype = (ty_dtype)kind;
    if (mixed < 0) return (struct sum){.dtype = dtype, .operand = {dtype, dtype}};
    return (struct sum){
        .dtype = TY_I32, .operand = {bytes[mixed % 2], bytes[mixed / 2]}, .attr = {.sums = 1 + TY_I32}};
}
static ty_dtype dtype_of(const struct sum *s, int side) {
    return side <= RIGHT ? s->operand[side] : s->dtype;
}

static const uint8_t *labels_of(const struct sum *s, int side) {
    return s->attr.labels + (side == LEFT ? 0 : side == RIGHT ? s->attr.ra : s->attr.ra + s->attr.rb);
}

/* Set the labels of a side, left before right. Some sizes are 1, to broadcast. */
static void set_labels(struct sum *s, int side, int rank, const uint8_t *labels, bool may_repeat) {
    memcpy((uint8_t *)(uintptr_t)labels_of(s, side), labels, (size_t)rank);
    *(side == LEFT ? &s->attr.ra : side == RIGHT ? &s->attr.rb : &s->attr.ro) = rank;
    struct layout *l = layout_room_init(&s->layout[side], rank);
    for (int i = 0; i < rank; i++)
        l->shape[i] = may_repeat && test_between(0, 9) == 0 ? 1 : s->size[labels[i]];
}

/* Choose random strides: dense in any order of axes, with gaps, negative, zero, overlapping. */
static void set_strides(struct layout *l) {
    int64_t step = 1, mode = test_between(0, 3);
    int first = (int)test_between(0, 3);
    for (int i = l->rank - 1; i >= 0; i--) {
        int axis = (first + i) % l->rank;
        l->strides[axis] = mode == 3 && test_between(0, 1) ? test_between(0, 3) : step;
        if (mode >= 2 && test_between(0, 2) == 0)
            l->strides[axis] = test_between(0, 1) ? -l->strides[axis] : 0;
        step *= l->shape[axis] > 0 ? l->shape[axis] + (mode == 1) : 1;
    }
}

/* Fill a side with small integers, or with any bytes if bytes are summed in i32. */
static void set_small(const struct sum *s, int side) {
    ty_dtype dtype = dtype_of(s, side);
    void *data = s->slots[side];
    int64_t n = s->length[side];
    int high = dtype == TY_BOOL ? 1 : dtype == s->dtype ? 3 : dtype == TY_U8 ? 255 : 127;
    int low = dtype_is(dtype, CLASS_BOOL | CLASS_UNSIGNED) ? 0 : -high;
    bool whole = dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL);
    for (int64_t i = 0; i < n; i++) {
        struct element e = {.i = test_between(low, high)};
        __real__ e.z = (long double)e.i;
        __imag__ e.z = dtype_is(dtype, CLASS_COMPLEX) ? (long double)test_between(low, high) : 0;
        element_store(dtype, (char *)data + i * (int64_t)ty_dtype_size(dtype), whole ? TY_I64 : TY_C128, e);
    }
}

/* Allocate and fill the memory of a side's layout. */
static void set_memory(struct sum *s, int side) {
    struct layout *l = &s->layout[side].layout;
    int64_t low, high;
    l->offset = 0;
    layout_extent(l, &low, &high);
    l->offset = -low + test_between(0, 3);
    s->length[side] = high - low + 4;
    s->slots[side] = test_room((size_t)s->length[side] * ty_dtype_size(dtype_of(s, side)));
    set_small(s, side);
}

/* Return the size of a label on a side and its stride; size 1 and stride 0 if the side lacks the label. */
static int64_t find_label(const struct sum *s, int side, int label, int64_t *step) {
    const struct layout *l = &s->layout[side].layout;
    *step = 0;
    for (int i = 0; i < l->rank; i++)
        if (labels_of(s, side)[i] == label && l->shape[i] != 1) {
            *step = l->strides[i];
            return l->shape[i];
        }
    return 1;
}

/* Return the size of a label after broadcasting. */
static int64_t size_of(const struct sum *s, int label) {
    int64_t step, left = find_label(s, LEFT, label, &step);
    return left != 1 ? left : find_label(s, RIGHT, label, &step);
}

static void set_out(struct sum *s, int rank, const uint8_t *labels) {
    set_labels(s, OUT, rank, labels, false);
    struct layout *l = &s->layout[OUT].layout;
    for (int i = 0; i < rank; i++) l->shape[i] = size_of(s, labels[i]);
    shape_row_major(rank, l->shape, l->strides);
    for (int side = LEFT; side <= OUT; side++) set_memory(s, side);
}

static void shuffle(uint8_t *labels, int n) {
    for (int i = n - 1; i > 0; i--) {
        int j = (int)test_between(0, i);
        uint8_t label = labels[i];
        labels[i] = labels[j];
        labels[j] = label;
    }
}

/* Set up a random contraction with sizes from a list. */
static void set_random(struct sum *s, int kind, int nsizes, const int64_t *sizes, int rank) {
    *s = sum_of(kind);
    uint8_t all[LABELS], kept[LABELS];
    bool seen[LABELS] = {false};
    int n = 0;
    for (int i = 0; i < LABELS; i++) {
        all[i] = (uint8_t)i;
        s->size[i] = sizes[test_between(0, nsizes - 1)];
    }
    for (int side = LEFT; side <= RIGHT; side++) {
        int mine = (int)test_between(0, rank);
        shuffle(all, LABELS);
        set_labels(s, side, mine, all, true);
        set_strides(&s->layout[side].layout);
        for (int i = 0; i < mine; i++) seen[all[i]] = true;
    }
    for (int i = 0; i < LABELS; i++)
        if (seen[i] && test_between(0, 9) < 6) kept[n++] = (uint8_t)i;
    shuffle(kept, n);
    set_out(s, n, kept);
}

static double work_of(const struct sum *s) {
    double n = 1;
    for (int i = 0; i < LABELS; i++) n *= (double)size_of(s, i);
    return n;
}

/* ---- the naive loop ---- */

/* Elements as numbers in which sums of small integers are exact. */
struct numbers {
    int64_t *whole;
    double (*parts)[2];
};

static struct numbers numbers_of(ty_dtype dtype, const char *data, int64_t n) {
    struct numbers x = {test_room((size_t)n * sizeof *x.whole), test_room((size_t)n * sizeof *x.parts)};
    for (int64_t i = 0; data && i < n; i++) {
        struct element e = element_load(dtype, data + i * (int64_t)ty_dtype_size(dtype));
        x.whole[i] = e.i;
        x.parts[i][0] = (double)__real__ e.z;
        x.parts[i][1] = (double)__imag__ e.z;
    }
    return x;
}

static void multiply_add_whole(bool truths, int64_t *to, int64_t a, int64_t b) {
    *to = truths ? (*to | (a & b)) : (int64_t)((uint64_t)*to + (uint64_t)a * (uint64_t)b);
}

static void multiply_add_parts(double *to, const double *a, const double *b) {
    to[0] += a[0] * b[0] - a[1] * b[1];
    to[1] += a[0] * b[1] + a[1] * b[0];
}

/* Add the n products along one label; at, step: elements of left, right and out. */
static void add_line(ty_dtype dtype, const struct numbers *x, const int64_t *at, const int64_t *step,
                     int64_t n) {
    bool whole = dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL);
    int64_t left = at[LEFT], right = at[RIGHT], out = at[OUT];
    for (int64_t i = 0; i < n; i++, left += step[LEFT], right += step[RIGHT], out += step[OUT])
        if (whole)
            multiply_add_whole(dtype == TY_BOOL, &x[OUT].whole[out], x[LEFT].whole[left],
                               x[RIGHT].whole[right]);
        else
            multiply_add_parts(x[OUT].parts[out], x[LEFT].parts[left], x[RIGHT].parts[right]);
}

static bool count_up(int64_t *index, const int64_t *size) {
    for (int i = 0; i < LABELS; i++) {
        if (++index[i] < size[i]) return true;
        index[i] = 0;
    }
    return false;
}

static void add_lines(const struct sum *s, const struct numbers *x, int64_t *size, int64_t step[LABELS][3]) {
    int64_t index[LABELS] = {0};
    int line = 0;
    for (int i = 1; i < LABELS; i++)
        if (size[i] > size[line]) line = i;
    int64_t n = size[line];
    size[line] = 1;
    do {
        int64_t at[3] = {s->layout[LEFT].layout.offset, s->layout[RIGHT].layout.offset, 0};
        for (int i = 0; i < LABELS; i++)
            for (int side = LEFT; side <= OUT; side++) at[side] += index[i] * step[i][side];
        add_line(s->dtype, x, at, step[line], n);
    } while (count_up(index, size));
}

/* Return the dense expected sums in the widest type. */
static struct element *naive(const struct sum *s) {
    const struct layout *l = &s->layout[OUT].layout;
    int64_t n = shape_size(l->rank, l->shape) + 1, size[LABELS], step[LABELS][3];
    struct element *out = test_room((size_t)n * sizeof *out);
    struct numbers x[3];
    for (int side = LEFT; side <= OUT; side++)
        x[side] = numbers_of(dtype_of(s, side), side == OUT ? NULL : s->slots[side],
                             side == OUT ? n : s->length[side]);
    for (int i = 0; i < LABELS; i++) {
        for (int side = LEFT; side <= OUT; side++) find_label(s, side, i, &step[i][side]);
        size[i] = size_of(s, i);
        if (size[i] == 0) return out;
    }
    add_lines(s, x, size, step);
    for (int64_t i = 0; i < n; i++) {
        out[i].i = x[OUT].whole[i];
        __real__ out[i].z = x[OUT].parts[i][0];
        __imag__ out[i].z = x[OUT].parts[i][1];
    }
    return out;
}

/* ---- the engine ---- */

/* Compute by the engine; false if an allocation failed, as requested. */
static bool compute(struct sum *s, struct program *program) {
    struct operand inputs[3], output;
    for (int side = LEFT; side < SLOTS; side++) {
        struct operand o = {.slot = side, .dtype = dtype_of(s, side), .layout = s->layout[side].layout};
        *(side == OUT ? &output : side == EXTRA ? &inputs[2] : &inputs[side]) = o;
    }
    struct kernel k = {.kind = KERNEL_CONTRACT,
                       .attr = &s->attr,
                       .attr_bytes = sizeof s->attr,
                       .core_dtype = s->dtype,
                       .ninputs = program ? 3 : 2,
                       .ncore = 2,
                       .noutputs = 1,
                       .inputs = inputs,
                       .outputs = &output,
                       .program = program};
    struct arena arena = {0};
    struct fault fault = {0};
    bool done = cpu_contract.prepare(&k, &arena, &fault);
    if (done) {
        char *room = test_room(k.workspace + 64);
        char *workspace = room + (64 - (uintptr_t)room % 64) % 64;
        memset(workspace, 0xAB, k.workspace); /* it must not be read before it is written */
        done = cpu_contract.launch(&k, s->slots, workspace, &fault);
    }
    arena_drop(&arena);
    CHECK(done || test_starving(), "%s", fault.text);
    return done;
}

static void check(const struct sum *s, const struct element *want, const char *what) {
    const struct layout *l = &s->layout[OUT].layout;
    int64_t n = shape_size(l->rank, l->shape), size = (int64_t)ty_dtype_size(s->dtype);
    bool whole = dtype_is(s->dtype, CLASS_INTEGER | CLASS_BOOL);
    for (int64_t i = 0; i < n; i++) {
        char expected[16] = {0};
        element_store(s->dtype, expected, whole ? TY_I64 : TY_C128, want[i]);
        struct element e = element_load(s->dtype, (char *)s->slots[OUT] + (l->offset + i) * size);
        struct element x = element_load(s->dtype, expected);
        CHECK(whole ? e.i == x.i : e.z == x.z,
              "%s, %s, %s: element %lld of %lld is %.9g%+.9gi (%lld), not %.9g%+.9gi (%lld)", what,
              ty_dtype_name(s->dtype), ty_isa(), (long long)i, (long long)n, (double)__real__ e.z,
              (double)__imag__ e.z, (long long)e.i, (double)__real__ x.z, (double)__imag__ x.z,
              (long long)x.i);
    }
}

/* Check the contraction on every instruction set. */
static void check_all(struct sum *s, struct program *program, const struct element *want, const char *what) {
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        memset(s->slots[OUT], 0x5A, (size_t)s->length[OUT] * ty_dtype_size(s->dtype));
        if (compute(s, program)) check(s, want, what);
    }
}

/* ---- tests ---- */

static void small_shapes(void) {
    static const int64_t sizes[] = {0, 1, 2, 3, 4, 5, 2, 3};
    for (int i = 0; i < test_some(100, 20, 2); i++)
        for (int kind = 0; kind < KINDS; kind++) {
            struct test_round round = test_round();
            struct sum s;
            int skip = i % 8 != 0; /* with sizes of 0 most results are empty */
            set_random(&s, kind, 8 - skip, sizes + skip, RANK);
            check_all(&s, NULL, naive(&s), "small");
            test_round_end(round);
        }
}

static void block_edges(void) {
    if (test_starving()) return;
    static const int64_t sizes[] = {1,  2,  7,  13, 14, 15,  16,  17,  28,  31,
                                    32, 33, 63, 64, 65, 100, 255, 256, 257, 300};
    for (int i = 0, done = 0; done < test_some(150, 30, 0); i++) {
        struct test_round round = test_round();
        struct sum s;
        set_random(&s, i % KINDS, sizeof sizes / sizeof *sizes, sizes, 3);
        if (work_of(&s) < 3e5 && ++done) check_all(&s, NULL, naive(&s), "edges");
        test_round_end(round);
    }
}

/* Set up a dense contraction from text: labels a, b, ... with their sizes. */
static void set_dense(struct sum *s, int kind, const char *const *text, const int64_t *size) {
    *s = sum_of(kind);
    memcpy(s->size, size, sizeof s->size);
    for (int side = LEFT; side <= OUT; side++) {
        uint8_t labels[LABELS];
        int rank = (int)strlen(text[side]);
        for (int i = 0; i < rank; i++) labels[i] = (uint8_t)(text[side][i] - 'a');
        if (side == OUT) {
            set_out(s, rank, labels);
            return;
        }
        set_labels(s, side, rank, labels, false);
        shape_row_major(rank, s->layout[side].layout.shape, s->layout[side].layout.strides);
    }
}

static const struct form {
    const char *text[3];
    int64_t size[LABELS];
} forms[] = {
    {{"ab", "bc", "ac"}, {100, 700, 70}},
    {{"ab", "cb", "ac"}, {45, 600, 90}},
    {{"ba", "bc", "ac"}, {300, 40, 130}},
    {{"ab", "bc", "ca"}, {50, 300, 60}},
    {{"abc", "acd", "abd"}, {5, 30, 40, 50}},
    {{"abc", "cd", "abd"}, {6, 20, 300, 33}},
    {{"ab", "ac", "bc"}, {20000, 25, 32}},
    {{"a", "a", ""}, {20000}},
    {{"ab", "ab", "a"}, {300, 200}},
    {{"abc", "bc", "abc"}, {20, 9, 70}},
    {{"abcd", "dc", "abc"}, {7, 11, 64, 9}},
    {{"ab", "b", "a"}, {500, 300}},
    {{"ab", "b", "a"}, {23, 13003}},
    {{"abcd", "bcd", "ba"}, {9, 5, 12, 13}},
    {{"a", "ab", "b"}, {300, 500}},
    {{"a", "b", "ab"}, {130, 290}},
    {{"adb", "dbc", "adc"}, {16, 12, 40, 24}},
    {{"abd", "bcd", "acd"}, {15, 40, 33, 3}},
};
enum { FORMS = sizeof forms / sizeof *forms };

/* Return the first case to test: with failing allocations only the last and smallest one. */
static int first_form(void) { return test_starving() ? FORMS - 1 : 0; }

static void usual_forms(void) {
    static const int kinds[] = {TY_F32, TY_F64,  TY_I32,    TY_C64,       TY_BF16,
                                TY_U8,  TY_BOOL, TY_DTYPES, TY_DTYPES + 2};
    int step = test_some(1, 4, 1); /* step through kinds; each case starts at another one */
    for (int i = first_form(); i < FORMS; i++)
        for (size_t d = (size_t)(i % step); d < sizeof kinds / sizeof *kinds; d += (size_t)step) {
            struct test_round round = test_round();
            struct sum s;
            set_dense(&s, kinds[d], forms[i].text, forms[i].size);
            check_all(&s, NULL, naive(&s), forms[i].text[OUT]);
            test_round_end(round);
        }
}

/* Set up a convolution as a contraction over a window view: y[n,h,w,k] = sum of x[n,h+r,w+s] f[r,s,k]. Its
   kernel gradient is f[r,s,k] = sum of x[n,h+r,w+s] y[n,h,w,k]. */
static void set_convolution(struct sum *s, int kind, int64_t width, bool gradient) {
    static const uint8_t window[] = {0, 1, 2, 3, 4}, image[] = {0, 1, 2, 5}, filter[] = {3, 4, 5};
    int64_t in = width + 4;
    *s = sum_of(kind);
    memcpy(s->size, (int64_t[]){3, width, width, 5, 5, 32}, sizeof s->size);
    set_labels(s, LEFT, 5, window, false);
    memcpy(s->layout[LEFT].layout.strides, (int64_t[]){in * in, in, 1, in, 1}, 5 * sizeof(int64_t));
    set_labels(s, RIGHT, gradient ? 4 : 3, gradient ? image : filter, false);
    shape_row_major(s->layout[RIGHT].layout.rank, s->layout[RIGHT].layout.shape,
                    s->layout[RIGHT].layout.strides);
    set_out(s, gradient ? 3 : 4, gradient ? filter : image);
}

static void convolutions(void) {
    static const int kinds[] = {TY_F32, TY_F64, TY_I64, TY_C128, TY_F16, TY_I8, TY_DTYPES + 1, TY_DTYPES + 2};
    for (int64_t width = 1; width < test_some(40, 20, 2); width += 9)
        for (int i = 0; i < 2 * (int)(sizeof kinds / sizeof *kinds); i++) {
            struct test_round round = test_round();
            struct sum s;
            set_convolution(&s, kinds[i / 2], width, i % 2);
            check_all(&s, NULL, naive(&s), i % 2 ? "gradient of a kernel" : "convolution");
            test_round_end(round);
        }
}

static void check_threads(struct sum *s, const char *what) {
    static const int widths[] = {1, 2, 3, 8};
    size_t bytes = (size_t)s->length[OUT] * sizeof(float);
    void *first = test_room(bytes);
    for (int side = LEFT; side <= RIGHT; side++)
        for (int64_t j = 0; j < s->length[side]; j++)
            ((float *)s->slots[side])[j] = (float)test_uniform(-1, 1);
    for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
        ty_set_threads(widths[w]);
        if (!compute(s, NULL)) return;
        if (w == 0) memcpy(first, s->slots[OUT], bytes);
        CHECK(!memcmp(first, s->slots[OUT], bytes), "%s with %d threads differs from one", what, widths[w]);
    }
}

static void any_threads(void) {
    for (int i = first_form(); i < FORMS; i++) {
        struct test_round round = test_round();
        struct sum s;
        int64_t size[LABELS];
        for (int j = 0; j < LABELS; j++) size[j] = forms[i].size[j] * 2;
        set_dense(&s, TY_F32, forms[i].text, size);
        check_threads(&s, forms[i].text[OUT]);
        test_round_end(round);
    }
}

/* Add a bias along the last axis to the contraction, and bias and relu to `want`. */
static void add_bias(struct sum *s, struct element *want) {
    const struct layout *out = &s->layout[OUT].layout;
    struct layout *bias = layout_room_init(&s->layout[EXTRA], out->rank);
    for (int i = 0; i < out->rank; i++) {
        bias->shape[i] = out->shape[i];
        bias->strides[i] = i == out->rank - 1;
    }
    set_memory(s, EXTRA);
    int64_t n = shape_size(out->rank, out->shape), last = out->rank ? out->shape[out->rank - 1] : 1;
    for (int64_t j = 0; j < n; j++) {
        char sum[16]; /* the sum rounds once before the bias is added */
        int64_t at = bias->offset + (out->rank ? j % last : 0);
        element_store(s->dtype, sum, dtype_is(s->dtype, CLASS_INTEGER) ? TY_I64 : TY_C128, want[j]);
        struct element x = element_load(s->dtype, sum);
        struct element y =
            element_load(s->dtype, (char *)s->slots[EXTRA] + at * (int64_t)ty_dtype_size(s->dtype));
        long double real = __real__ x.z + __real__ y.z;
        want[j] = (struct element){x.i + y.i > 0 ? x.i + y.i : 0, real > 0 ? real : 0};
    }
}

static void epilogues(void) {
    struct instr instrs[] = {{.op = op_find("add"), .src = {0, 1}}, {.op = op_find("relu"), .src = {2}}};
    uint16_t outputs[] = {3};
    struct program program = {2, 2, 1, instrs, outputs};
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32, TY_F16};
    for (int i = first_form() * 4; i < FORMS * 4; i += test_some(1, 3, 1)) {
        struct test_round round = test_round();
        struct sum s;
        set_dense(&s, dtypes[i % 4], forms[i / 4].text, forms[i / 4].size);
        instrs[0].in = instrs[0].out = instrs[1].in = instrs[1].out = s.dtype;
        struct element *want = naive(&s);
        add_bias(&s, want);
        check_all(&s, &program, want, "epilogue");
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(small_shapes), TEST(block_edges), TEST(usual_forms), TEST(convolutions), TEST(any_threads),
           TEST(epilogues))
