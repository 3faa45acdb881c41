/*
 * The contraction compiler: what lowering makes, and what each pass leaves, computes what the labels say.
 *
 * The oracle here is a loop over labels that knows nothing of dimensions.  Cases are all assignments of types to up to
 * four dimensions an operand, with sizes, orders and strides sampled (permuted, with gaps, negative, zero, overlapping),
 * and all small windows on an input or on the output.  Machines are small too, so that boxes of a few elements are cut,
 * reordered and shared.  Elements are small whole numbers, so that sums are exact in every dtype.
 */
#include <stdio.h>
#include <string.h>
#include "array/dtype.h"
#include "contract/contraction.h"
#include "tests/harness.h"

enum { LABELS = 12, SIDES = 3, MOST_PARTS = 64 };

struct spec {
    struct contract_attr attr;
    struct layout_room rooms[SIDES];
    struct contract_operand operands[SIDES];
    int64_t size[LABELS], length[SIDES];
    void *memory[SIDES];
};

static uint8_t *labels_of(struct spec *s, int side) {
    return s->attr.labels + (side == TY_LEFT ? 0 : side == TY_RIGHT ? s->attr.ra : s->attr.ra + s->attr.rb);
}

static int rank_of(const struct spec *s, int side) {
    return side == TY_LEFT ? s->attr.ra : side == TY_RIGHT ? s->attr.rb : s->attr.ro;
}

static int64_t length_of(const struct spec *s, int label) {
    return label < CONTRACT_WINDOW ? s->size[label] : s->attr.windows[label - CONTRACT_WINDOW].length;
}

static void shuffle(int n, uint8_t *list) {
    for (int i = n - 1; i > 0; i--) {
        int j = (int)test_between(0, i);
        uint8_t x = list[i];
        list[i] = list[j];
        list[j] = x;
    }
}

/* Sides are given their labels in the order left, right, out. */
static void set_side(struct spec *s, int side, int n, const uint8_t *labels) {
    *(side == TY_LEFT ? &s->attr.ra : side == TY_RIGHT ? &s->attr.rb : &s->attr.ro) = n;
    if (n) memcpy(labels_of(s, side), labels, (size_t)n);
}

/* Sizes from the labels; an input's plain axis is now and then 1. */
static void set_layout(struct spec *s, int side, bool wild) {
    int rank = rank_of(s, side);
    struct layout *l = layout_room_init(&s->rooms[side], rank);
    int64_t step = 1, mode = wild ? test_between(0, 4) : 0;
    int first = (int)test_between(0, 3);
    for (int i = 0; i < rank; i++) {
        int label = labels_of(s, side)[i];
        l->shape[i] = length_of(s, label);
        if (wild && label < CONTRACT_WINDOW && test_between(0, 9) == 0) l->shape[i] = 1;
    }
    for (int i = rank - 1; i >= 0; i--) {
        int axis = wild ? (first + i) % rank : i;
        l->strides[axis] = mode == 3 && test_between(0, 1) ? test_between(0, 3) : step;
        if (mode >= 2 && test_between(0, 2) == 0) l->strides[axis] = test_between(0, 1) ? -l->strides[axis] : 0;
        step *= l->shape[axis] > 0 ? l->shape[axis] + (mode == 1) : 1;
    }
}

static void set_memory(struct spec *s, int side, ty_dtype dtype) {
    struct layout *l = &s->rooms[side].layout;
    int64_t low, high, size = (int64_t)ty_dtype_size(dtype);
    l->offset = 0;
    layout_extent(l, &low, &high);
    l->offset = -low + test_between(0, 3);
    s->length[side] = high - low + 5;
    s->memory[side] = test_room((size_t)(s->length[side] * size));
    int least = dtype_is(dtype, CLASS_BOOL | CLASS_UNSIGNED) ? 0 : -3, most = dtype == TY_BOOL ? 1 : 3;
    for (int64_t i = 0; i < s->length[side]; i++) {
        struct element e = {.i = test_between(least, most)};
        __real__ e.z = (long double)e.i;
        __imag__ e.z = dtype_is(dtype, CLASS_COMPLEX) ? (long double)test_between(least, most) : 0;
        element_store(dtype, (char *)s->memory[side] + i * size,
                      dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL) ? TY_I64 : TY_C128, e);
    }
    s->operands[side] = (struct contract_operand){dtype, l};
}

static const struct dtypes {
    ty_dtype dtype[SIDES];
    int32_t sums;
} dtype_choices[] = {
    {{TY_I32, TY_I32, TY_I32}, 0},  {{TY_F32, TY_F32, TY_F32}, 0},  {{TY_C64, TY_C64, TY_C64}, 0},
    {{TY_BOOL, TY_BOOL, TY_BOOL}, 0}, {{TY_U8, TY_I8, TY_I32}, 1 + TY_I32}, {{TY_BF16, TY_BF16, TY_F32}, 1 + TY_F32},
    {{TY_F64, TY_F64, TY_F64}, 0},  {{TY_U8, TY_U8, TY_U8}, 0},
};

/* Layouts and memory for all sides; out is dense, of the sizes that the labels have after broadcasting. */
static void set_operands(struct spec *s, bool wild) {
    enum { CHOICES = sizeof dtype_choices / sizeof *dtype_choices };
    const struct dtypes *d = &dtype_choices[test_between(0, 1) ? 0 : test_between(0, CHOICES - 1)];
    int64_t met[LABELS];
    for (int i = 0; i < LABELS; i++) met[i] = 1;
    for (int side = TY_LEFT; side <= TY_RIGHT; side++) {
        set_layout(s, side, wild);
        for (int i = 0; i < rank_of(s, side); i++) {
            int label = labels_of(s, side)[i];
            if (label < CONTRACT_WINDOW && s->rooms[side].layout.shape[i] != 1) met[label] = s->size[label];
        }
    }
    for (int i = 0; i < s->attr.nwindows; i++) {
        const struct contract_window *w = &s->attr.windows[i];
        met[w->outer] = w->outer_size, met[w->inner] = w->inner_size;
    }
    memcpy(s->size, met, sizeof met);
    set_layout(s, TY_OUT, false);
    for (int side = 0; side < SIDES; side++) set_memory(s, side, d->dtype[side]);
    s->attr.sums = d->sums;
}

/* ---- the oracle ---- */

/* The element of a side where the labels are; -1: padding. */
static int64_t place_of(struct spec *s, int side, const int64_t *index) {
    const struct layout *l = &s->rooms[side].layout;
    int64_t at = l->offset;
    for (int i = 0; i < l->rank; i++) {
        int label = labels_of(s, side)[i];
        const struct contract_window *w = &s->attr.windows[label < CONTRACT_WINDOW ? 0 : label - CONTRACT_WINDOW];
        int64_t place = label < CONTRACT_WINDOW ? l->shape[i] == 1 ? 0 : index[label]
                                                : index[w->outer] * w->stride + index[w->inner] * w->dilation - w->low;
        if (label >= CONTRACT_WINDOW && (place < 0 || place >= w->length)) return -1;
        at += place * l->strides[i];
    }
    return at;
}

static struct element element_of(const struct spec *s, int side, int64_t at) {
    ty_dtype dtype = s->operands[side].dtype;
    struct element e = {0};
    return at < 0 ? e : element_load(dtype, (char *)s->memory[side] + at * (int64_t)ty_dtype_size(dtype));
}

static void multiply_add(ty_dtype dtype, struct element *to, struct element a, struct element b) {
    to->i = dtype == TY_BOOL ? to->i | (a.i & b.i) : (int64_t)((uint64_t)to->i + (uint64_t)a.i * (uint64_t)b.i);
    to->z += a.z * b.z;
}

static bool next(const struct spec *s, int64_t *index) {
    for (int i = 0; i < LABELS; i++) {
        if (++index[i] < s->size[i]) return true;
        index[i] = 0;
    }
    return false;
}

/* The bytes that out should have, what it does not reach included. */
static void *expected(struct spec *s) {
    ty_dtype dtype = s->operands[TY_OUT].dtype;
    const struct layout *l = &s->rooms[TY_OUT].layout;
    int64_t size = (int64_t)ty_dtype_size(dtype), n = s->length[TY_OUT], index[LABELS] = {0};
    struct element *sums = test_room((size_t)n * sizeof *sums);
    char *bytes = test_room((size_t)(n * size));
    bool empty = false;
    for (int i = 0; i < LABELS; i++) empty |= s->size[i] == 0;
    if (!empty) do {
            int64_t left = place_of(s, TY_LEFT, index), right = place_of(s, TY_RIGHT, index);
            int64_t out = place_of(s, TY_OUT, index);
            if (out >= 0)
                multiply_add(dtype, &sums[out], element_of(s, TY_LEFT, left), element_of(s, TY_RIGHT, right));
        } while (next(s, index));
    memcpy(bytes, s->memory[TY_OUT], (size_t)(n * size));
    bool whole = dtype_is(dtype, CLASS_INTEGER | CLASS_BOOL);
    for (int64_t i = 0; i < shape_size(l->rank, l->shape); i++)
        element_store(dtype, bytes + (l->offset + i) * size, whole ? TY_I64 : TY_C128, sums[l->offset + i]);
    return bytes;
}

/* ---- stages ---- */

/* Carries out all parts as they are and compares; false: an allocation that was made to fail failed. */
static bool compute(struct spec *s, const struct contraction_parts *parts, const void *want, const char *stage) {
    size_t bytes = (size_t)s->length[TY_OUT] * ty_dtype_size(s->operands[TY_OUT].dtype);
    char *out = test_room(bytes);
    struct arena arena = {0};
    struct fault fault = {0};
    bool ok = true;
    memcpy(out, s->memory[TY_OUT], bytes);
    for (int i = 0; ok && i < parts->n; i++) {
        const ty_contraction *c = &parts->items[i];
        const int64_t sizes[SIDES] = {
            s->length[c->swapped] * (int64_t)ty_dtype_size(s->operands[c->swapped].dtype),
            s->length[!c->swapped] * (int64_t)ty_dtype_size(s->operands[!c->swapped].dtype), (int64_t)bytes};
        void *prepared;
        CHECK(contraction_check(c, &fault), "%s: %s", stage, fault.text);
        CHECK(contraction_check_buffers(c, sizes, &fault), "%s: %s", stage, fault.text);
        ok = contraction_interpreted.prepare(c, &prepared, &arena, &fault) &&
             contraction_interpreted.run(prepared, s->memory[c->swapped], s->memory[!c->swapped], out, &fault);
    }
    arena_drop(&arena);
    CHECK(ok || test_starving(), "%s: %s", stage, fault.text);
    if (ok && memcmp(out, want, bytes) != 0) {
        struct text text = {0};
        for (int i = 0; i < parts->n; i++) contraction_describe(&parts->items[i], &text);
        CHECK(false, "after %s:\n%s", stage, test_text(text_take(&text)));
    }
    return ok;
}

/* A machine on which small boxes are large. */
static struct contract_machine small_machine(void) {
    static const int64_t caches[] = {64, 256, 2048, 1 << 20};
    struct contract_machine m;
    contract_machine_usual(&m, TY_F32, (int)test_between(1, 5));
    m.l1 = caches[test_between(0, 2)];
    m.l2 = m.l1 * (1 << test_between(0, 4));
    m.l3 = m.l2 * (1 << test_between(0, 4));
    m.tile_rows = (int)test_between(1, 4);
    m.lanes = (int)test_between(1, 4);
    m.tile_columns = m.lanes * (int)test_between(1, 2);
    m.flops = test_between(0, 1) ? 1e3 : 1e11;
    m.sums_apart = test_between(0, 1);
    return m;
}

/* Lowers, then runs pass after pass, computing after each. */
static void prove(struct spec *s) {
    struct arena arena = {0};
    struct fault fault = {0};
    struct contraction_parts parts;
    struct contract_machine m = small_machine();
    void *want = expected(s);
    bool ok = contraction_lower(&parts, &s->attr, s->operands, &arena, &fault);
    CHECK(ok || test_starving(), "%s", fault.text);
    ok = ok && compute(s, &parts, want, "lowering");
    for (const struct contract_pass *pass = contract_passes; ok && pass->name; pass++) {
        for (int i = 0; i < parts.n; i++)
            CHECK(pass->run(&parts.items[i], &m, &fault), "%s: %s", pass->name, fault.text);
        ok = compute(s, &parts, want, pass->name);
    }
    arena_drop(&arena);
}

/* ---- all types ---- */

/* A contraction with so many dimensions of each type. */
static void set_types(struct spec *s, const int count[4], int64_t most) {
    static const uint8_t in[4] = {7, 5, 6, 3}; /* C M N K: bits of the sides that have it */
    uint8_t labels[SIDES][LABELS];
    int n[SIDES] = {0}, label = 0;
    *s = (struct spec){0};
    for (int type = 0; type < 4; type++)
        for (int i = 0; i < count[type]; i++, label++) {
            s->size[label] = test_between(test_between(0, 19) ? 1 : 0, most);
            for (int side = 0; side < SIDES; side++)
                if (in[type] >> side & 1) labels[side][n[side]++] = (uint8_t)label;
        }
    for (int i = label; i < LABELS; i++) s->size[i] = 1;
    for (int side = 0; side < SIDES; side++) {
        shuffle(n[side], labels[side]);
        set_side(s, side, n[side], labels[side]);
    }
    set_operands(s, true);
}

static double points_of(const struct spec *s) {
    double n = 1;
    for (int i = 0; i < LABELS; i++) n *= (double)s->size[i];
    return n;
}

/* Every assignment of types with at most four dimensions an operand. */
static void all_types(void) {
    int samples = test_starving() ? 1 : 300, stride = test_starving() ? 40 : 1, number = 0;
    for (int code = 0; code < 5 * 5 * 5 * 5; code++) {
        int count[4] = {code % 5, code / 5 % 5, code / 25 % 5, code / 125};
        if (count[0] + count[1] + count[3] > 4 || count[0] + count[2] + count[3] > 4 ||
            count[0] + count[1] + count[2] > 4 || number++ % stride)
            continue;
        for (int i = 0; i < samples; i++) {
            struct test_round round = test_round();
            struct spec s;
            set_types(&s, count, 5);
            if (points_of(&s) < 2000) prove(&s);
            test_round_end(round);
        }
    }
}

/* Sizes that boxes cut with remainders. */
static void longer_sizes(void) {
    static const int64_t sizes[] = {1, 2, 7, 13, 16, 33, 67, 101};
    for (int i = 0, done = 0; done < (test_starving() ? 1 : 400); i++) {
        struct test_round round = test_round();
        struct spec s;
        int count[4] = {(int)test_between(0, 1), (int)test_between(0, 2), (int)test_between(0, 2), (int)test_between(0, 2)};
        set_types(&s, count, 2);
        for (int label = 0; label < LABELS; label++)
            if (s.size[label] != 1) s.size[label] = sizes[test_between(0, 7)];
        set_operands(&s, true);
        if (points_of(&s) < 12000 && ++done) prove(&s);
        test_round_end(round);
    }
}

/* ---- windows ---- */

enum { OUTER = 0, INNER = 1, WINDOW = CONTRACT_WINDOW };

/* The three contractions of a one-dimensional convolution, and sums over windows of one operand. */
static const struct form {
    const char *what;
    int n[SIDES];
    uint8_t labels[SIDES][4];
} forms[] = {
    {"forward", {2, 2, 2}, {{WINDOW, 2}, {INNER, 2}, {3, OUTER}}},
    {"kernel gradient", {2, 2, 2}, {{WINDOW, 2}, {OUTER, 3}, {INNER, 2}}},
    {"input gradient", {2, 2, 2}, {{OUTER, 3}, {INNER, 3}, {WINDOW, 2}}},
    {"transposed", {2, 3, 2}, {{OUTER, 3}, {INNER, 3, 2}, {WINDOW, 2}}},
    {"depthwise", {2, 2, 2}, {{WINDOW, 2}, {INNER, 2}, {OUTER, 2}}},
    {"depthwise gradient", {2, 2, 2}, {{2, OUTER}, {INNER, 2}, {2, WINDOW}}},
    {"columns to image", {2, 1, 2}, {{OUTER, INNER}, {2}, {2, WINDOW}}},
    {"both windowed", {1, 1, 1}, {{WINDOW}, {WINDOW}, {OUTER}}},
};
enum { FORMS = sizeof forms / sizeof *forms };

static void set_window(struct spec *s, const struct form *form, struct contract_window w) {
    *s = (struct spec){.attr.nwindows = 1};
    w.outer = OUTER, w.inner = INNER;
    s->attr.windows[0] = w;
    for (int i = 0; i < LABELS; i++) s->size[i] = 1;
    s->size[OUTER] = w.outer_size, s->size[INNER] = w.inner_size;
    s->size[2] = test_between(1, 3), s->size[3] = test_between(1, 3);
    for (int side = 0; side < SIDES; side++) set_side(s, side, form->n[side], form->labels[side]);
    set_operands(s, test_between(0, 1));
}

static void prove_window(struct contract_window w, const struct form *form) {
    struct test_round round = test_round();
    struct spec s;
    set_window(&s, form, w);
    prove(&s);
    test_round_end(round);
}

/* Every stride, dilation, padding and size that is small. */
static void all_windows(void) {
    uint32_t number = 0, every = test_starving() ? 65521 : 13;
    for (int64_t stride = 1; stride <= 4; stride++)
        for (int64_t dilation = -2; dilation <= 3; dilation++)
            for (int64_t low = -3; low <= 4; low++)
                for (int64_t sizes = 0; sizes < 5 * 5 * 10; sizes++)
                    for (int form = 0; form < FORMS; form++) {
                        struct contract_window w = {sizes % 5, sizes / 5 % 5, stride, dilation,
                                                    low,       sizes / 25,    0,      0,        {0}};
                        if (dilation == 0 || (++number * 2654435761u >> 8) % every) continue;
                        prove_window(w, &forms[form]);
                    }
}

/* Two windows and padding on each, as images have, NHWC and NCHW, with steps of a batch outside. */
static const struct form images[] = {
    {"forward NHWC", {4, 4, 4}, {{6, WINDOW, WINDOW + 1, 4}, {INNER, 3, 4, 5}, {6, OUTER, 2, 5}}},
    {"forward NCHW", {4, 4, 4}, {{6, 4, WINDOW, WINDOW + 1}, {5, 4, INNER, 3}, {6, 5, OUTER, 2}}},
    {"kernel NHWC", {4, 4, 4}, {{6, WINDOW, WINDOW + 1, 4}, {6, OUTER, 2, 5}, {INNER, 3, 4, 5}}},
    {"input NHWC", {4, 4, 4}, {{6, OUTER, 2, 5}, {INNER, 3, 4, 5}, {6, WINDOW, WINDOW + 1, 4}}},
    {"input NCHW", {4, 4, 4}, {{6, 5, OUTER, 2}, {5, 4, INNER, 3}, {6, 4, WINDOW, WINDOW + 1}}},
    {"depthwise NHWC", {4, 3, 4}, {{6, WINDOW, WINDOW + 1, 4}, {INNER, 3, 4}, {6, OUTER, 2, 4}}},
};

static struct contract_window random_window(uint8_t outer, uint8_t inner) {
    struct contract_window w = {test_between(1, 5), test_between(1, 3), test_between(1, 3), test_between(1, 2),
                                test_between(-1, 2), test_between(1, 9), outer, inner, {0}};
    return w;
}

static void image_windows(void) {
    for (int i = 0; i < (test_starving() ? 2 : 400); i++) {
        struct test_round round = test_round();
        const struct form *form = &images[i % (int)(sizeof images / sizeof *images)];
        struct spec s = {.attr.nwindows = 2, .attr.windows = {random_window(OUTER, INNER), random_window(2, 3)}};
        for (int label = 0; label < LABELS; label++) s.size[label] = label < 7 ? test_between(1, 3) : 1;
        s.size[OUTER] = s.attr.windows[0].outer_size, s.size[INNER] = s.attr.windows[0].inner_size;
        s.size[2] = s.attr.windows[1].outer_size, s.size[3] = s.attr.windows[1].inner_size;
        for (int side = 0; side < SIDES; side++) set_side(&s, side, form->n[side], form->labels[side]);
        set_operands(&s, test_between(0, 1));
        prove(&s);
        test_round_end(round);
    }
}

/* Windows that do not overlap are one contraction, not one for each phase, and need no guard. */
static void patches_are_one_part(void) {
    struct spec s;
    struct arena arena = {0};
    struct fault fault = {0};
    struct contraction_parts parts;
    set_window(&s, &forms[2], (struct contract_window){5, 4, 4, 1, 0, 20, 0, 0, {0}});
    bool ok = contraction_lower(&parts, &s.attr, s.operands, &arena, &fault);
    CHECK(ok || test_starving(), "%s", fault.text);
    CHECK(!ok || (parts.n == 1 && parts.items[0].nguards == 0), "%d parts, %d guards", parts.n, parts.items[0].nguards);
    arena_drop(&arena);
    set_window(&s, &forms[2], (struct contract_window){5, 3, 2, 1, 1, 9, 0, 0, {0}});
    ok = contraction_lower(&parts, &s.attr, s.operands, &arena, &fault);
    CHECK(!ok || parts.n == 2, "%d parts", parts.n);
    arena_drop(&arena);
}

/* ---- public functions ---- */

static const int64_t shape_a[] = {31, 40}, shape_b[] = {40, 17}, shape_y[] = {31, 17}, narrow[] = {31, 4};
static const ty_contraction_operand left = {TY_F32, 2, shape_a, NULL, 0}, right = {TY_F32, 2, shape_b, NULL, 0};

/* Makes "mk,kn->mn", optimised; an allocation that fails leaves a sentence that says so. */
static bool make(ty_contraction *c, int threads) {
    bool ok = ty_contraction_of(c, "mk,kn->mn", &left, &right, NULL) && ty_contraction_optimise(c, threads);
    CHECK(ok || (test_starving() && strstr(c->error, "memory")), "%s", c->error);
    return ok;
}

static void release_plan(void *plan) { ty_contraction_plan_release(plan); }

/* Runs a configuration of the product above on numbers and compares. */
static void check_run(const ty_contraction *c) {
    static float a[31 * 40], b[40 * 17], y[31 * 17];
    for (int i = 0; i < 31 * 40; i++) a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < 40 * 17; i++) b[i] = (float)(i % 5 - 2);
    memset(y, 0xff, sizeof y);
    ty_contraction_plan *plan = test_own(ty_contraction_compile(c), release_plan);
    if (test_starving() && (!plan || *ty_contraction_plan_error(plan))) return;
    CHECK(ty_contraction_run(plan, a, b, y), "%s", ty_contraction_plan_error(plan));
    for (int i = 0; i < 31; i++)
        for (int j = 0; j < 17; j++) {
            float sum = 0;
            for (int k = 0; k < 40; k++) sum += a[i * 40 + k] * b[k * 17 + j];
            CHECK(y[i * 17 + j] == sum, "y[%d,%d] is %g, not %g", i, j, (double)y[i * 17 + j], (double)sum);
        }
}

static void runs_what_users_make(void) {
    ty_contraction c;
    if (!ty_contraction_of(&c, "mk,kn->mn", &left, &right, NULL)) return;
    CHECK(c.ndims == 3 && c.nloops == 0 && c.flops == 2.0 * 31 * 40 * 17, "%d dimensions, %g flops", c.ndims, c.flops);
    check_run(&c);
    if (!make(&c, 2)) return;
    check_run(&c);
    c.nloops = 0;
    c.loops[c.nloops++] = (ty_loop){1, TY_EXEC_SHARED, 5};
    c.loops[c.nloops++] = (ty_loop){2, TY_EXEC_SEQUENTIAL, 11};
    c.loops[c.nloops++] = (ty_loop){0, TY_EXEC_SEQUENTIAL, 30};
    c.loops[c.nloops++] = (ty_loop){2, TY_EXEC_SEQUENTIAL, 3};
    for (int d = 0; d < 3; d++) c.loops[c.nloops++] = (ty_loop){d, TY_EXEC_PRIMITIVE, d == 0 ? 30 : d == 1 ? 5 : 3};
    c.packing[0].loop = c.packing[1].loop = -1;
    CHECK(ty_contraction_check(&c, (int64_t[]){31 * 40 * 4, 40 * 17 * 4, 31 * 17 * 4}), "%s", c.error);
    check_run(&c);
}

/* The order of sums does not depend on threads, whatever they do to rows and columns. */
static void sums_are_cut_by_shape_alone(void) {
    static const int64_t sizes[][3] = {{1600, 1600, 1601}, {64, 32, 100000}, {5000, 24, 384}, {14, 32, 70000}, {300, 300, 300}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t a[] = {sizes[i][0], sizes[i][2]}, b[] = {sizes[i][2], sizes[i][1]}, steps = -1, spans = -1;
        ty_contraction_operand x = {TY_F32, 2, a, NULL, 0}, y = {TY_F32, 2, b, NULL, 0};
        for (int threads = 1; threads <= 9; threads++) {
            ty_contraction c;
            if (!ty_contraction_of(&c, "mk,kn->mn", &x, &y, NULL) || !ty_contraction_optimise(&c, threads)) return;
            int64_t step = -1;
            for (int l = 0; l < c.nloops; l++)
                if (c.dims[c.loops[l].dim].type == TY_DIM_K) step = c.loops[l].step;
            CHECK(threads == 1 || (step == steps && c.spans == spans), "%d threads: steps of %lld, not %lld", threads,
                  (long long)step, (long long)steps);
            CHECK(threads == 1 || i > 0 || c.loops[0].exec == TY_EXEC_SHARED, "nothing is shared");
            steps = step, spans = c.spans;
        }
    }
}

static void text_tells(void) {
    ty_contraction c;
    if (!make(&c, 1)) return;
    char *text = test_text(ty_contraction_text(&c));
    if (!text) return;
    CHECK(strstr(text, "gemm") && strstr(text, "flops") && strstr(text, "f32, f32 -> f32"), "%s", text);
    ty_contraction_of(&c, "mk,kn", &left, &right, NULL);
    text = test_text(ty_contraction_text(&c));
    CHECK(!text || strstr(text, "error: "), "%s", text);
}

static void json_goes_round(void) {
    ty_contraction c, again;
    if (!make(&c, 4)) return;
    c.guards[c.nguards++] = (ty_guard){TY_LEFT, {0, 2}, {1, -1}, 40, 71};
    c.dims[0].stride[TY_LEFT] = -40, c.offset[TY_LEFT] = 30 * 40;
    char *text = test_text(ty_contraction_json(&c));
    if (!text) return;
    bool ok = ty_contraction_read(&again, text, strlen(text));
    CHECK(ok || test_starving(), "%s in %s", again.error, text);
    if (ok) CHECK(memcmp(&c, &again, sizeof c) == 0, "not the same after %s", text);
    char path[] = "contraction-test.json";
    if (!ty_contraction_save(&c, path)) return;
    ok = ty_contraction_load(&again, path);
    remove(path);
    CHECK(ok || test_starving(), "%s", again.error);
    if (ok) CHECK(memcmp(&c, &again, sizeof c) == 0, "not the same after a file");
    CHECK(!ty_contraction_load(&again, "no-such-file.json") && *again.error, "a file that is not there");
}

/* JSON with one thing changed, and what is said of it. */
static void json_is_read_strictly(void) {
    static const struct {
        const char *from, *to, *words;
    } cases[] = {
        {"\"spans\"", "\"sprats\"", "\"sprats\" is not a field that is known"},
        {"\"spans\": 0", "\"spans\": 9", "9 spans; the outermost loop over K has"},
        {"\"spans\": 0,", "", "\"spans\" is not there"},
        {"\"size\": 31", "\"size\": -31", "has size -31"},
        {"\"size\": 31", "\"size\": 3.5", "\"size\" is not a whole number"},
        {"\"size\": 31", "\"size\": 99999999999999999999", "not valid JSON"},
        {"\"type\": \"M\"", "\"type\": \"Q\"", "\"type\" is not a name that is known"},
        {"\"type\": \"M\"", "\"type\": \"K\"", "the step is 0 there"},
        {"\"strides\": [40, 0, 17]", "\"strides\": [40, 17]", "not three numbers"},
        {"\"strides\": [40, 0, 17]", "\"strides\": [40, 0, 16]", "out would overlap itself"},
        {"\"strides\": [40, 0, 17]", "\"strides\": [40, 0, 0]", "make it K"},
        {"\"strides\": [40, 0, 17]", "\"strides\": [4000000000000000000, 0, 17]", "beyond 2^56"},
        {"\"dim\": 0", "\"dim\": 7", "over dimension 7 of 3"},
        {"\"dim\": 0", "\"dim\": 2", "left there"},
        {"\"step\": 31", "\"step\": 0", "has the step 0"},
        {"f32", "f31", "not a name that is known"},
        {"{\"tyto_contraction\": 1", "{\"tyto_contraction\": 2", "version 1"},
        {"\"bypass\": false", "\"bypass\": 0", "true or false"},
        {"\"seconds\": ", "\"seconds\": -", "not a time"},
        {"\"kind\": \"", "\"kind\": \"x", "not a name that is known"},
    };
    ty_contraction c;
    if (!make(&c, 1)) return;
    char *text = test_text(ty_contraction_json(&c));
    for (size_t i = 0; text && i < sizeof cases / sizeof *cases; i++) {
        char changed[4096];
        const char *at = strstr(text, cases[i].from);
        CHECK(at, "%s is not in %s", cases[i].from, text);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, cases[i].to, at + strlen(cases[i].from));
        ty_contraction again;
        CHECK(!ty_contraction_read(&again, changed, strlen(changed)), "case %d is read", (int)i);
        CHECK(strstr(again.error, cases[i].words) || test_starving(), "case %d: %s", (int)i, again.error);
    }
}

static void refuses_with_sentences(void) {
    ty_contraction_operand small = {TY_F32, 2, narrow, NULL, 0}, none = {(ty_dtype)99, 2, shape_a, NULL, 0};
    ty_contraction_operand out = {TY_F32, 2, shape_y, (int64_t[]){17, 0}, 0};
    const struct {
        const char *equation;
        const ty_contraction_operand *left, *right, *out;
        const char *words;
    } cases[] = {
        {"mk,kn", &left, &right, NULL, "'->' and the output are needed"},
        {"mk,k!->mn", &left, &right, NULL, "column 5 is not a letter"},
        {"mk,kn->mq", &left, &right, NULL, "letter q of the output is in no operand"},
        {"mk,kn->mm", &left, &right, NULL, "letter m is in the output twice"},
        {"mkj,kn->mn", &left, &right, NULL, "left has 2 axes and 3 letters"},
        {"mk,kn->mn", &small, &right, NULL, "letter k is 4 in left and 40 in right"},
        {"mm,kn->mn", &left, &right, NULL, "letter m is 31 and 40 in left"},
        {"mk,kn->mn", &none, &right, NULL, "left has no dtype (99)"},
        {"mk,kn->mn", &left, &right, &left, "letter n is 40 in out and 17 in the operands"},
        {"mk,kn->mn", &left, &right, &out, "no step in out"},
        {NULL, &left, &right, NULL, "one is NULL"},
    };
    ty_contraction c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK(!ty_contraction_of(&c, cases[i].equation, cases[i].left, cases[i].right, cases[i].out), "case %d", (int)i);
        CHECK(strstr(c.error, cases[i].words) || test_starving(), "case %d: %s", (int)i, c.error);
    }
    if (!make(&c, 1)) return;
    CHECK(!ty_contraction_check(&c, (int64_t[]){31 * 40 * 4, 40 * 17 * 4 - 1, 31 * 17 * 4}) &&
              strstr(c.error, "right reaches elements 0 to 679, its buffer has 679"),
          "%s", c.error);
    CHECK(!ty_contraction_optimise(&(ty_contraction){.ndims = -1}, 1), "negative dimensions");
    c.error[0] = 0;
    c.nloops = 0;
    c.loops[c.nloops++] = (ty_loop){2, TY_EXEC_SHARED, 1};
    CHECK(!ty_contraction_check(&c, NULL) && strstr(c.error, "ask for spans"), "%s", c.error);
    ty_contraction_plan *plan = test_own(ty_contraction_compile(&c), release_plan);
    CHECK(!plan || strstr(ty_contraction_plan_error(plan), "ask for spans"), "%s", ty_contraction_plan_error(plan));
    CHECK(!ty_contraction_run(plan, NULL, NULL, NULL), "runs what it cannot");
}

/* Windows that have no form as strides and guards. */
static void unresolvable_windows(void) {
    static const struct {
        const char *words;
        int64_t stride, dilation;
        struct form form;
    } cases[] = {
        {"stride 0", 0, 1, {"", {2, 2, 2}, {{WINDOW, 2}, {INNER, 2}, {3, OUTER}}}},
        {"dilation 0", 1, 0, {"", {2, 2, 2}, {{WINDOW, 2}, {INNER, 2}, {3, OUTER}}}},
        {"beyond 2^47", (int64_t)1 << 50, 1, {"", {2, 2, 2}, {{WINDOW, 2}, {INNER, 2}, {3, OUTER}}}},
        {"is in the output beside", 1, 1, {"", {2, 2, 2}, {{OUTER, 3}, {INNER, 3}, {WINDOW, OUTER}}}},
        {"names window 1 of 1", 1, 1, {"", {2, 2, 2}, {{WINDOW + 1, 3}, {INNER, 3}, {OUTER, 3}}}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct test_round round = test_round();
        struct spec s;
        struct arena arena = {0};
        struct fault fault = {0};
        struct contraction_parts parts;
        struct contract_window w = {3, 3, cases[i].stride, cases[i].dilation, 0, 5, 0, 0, {0}};
        set_window(&s, &cases[i].form, w);
        CHECK(!contraction_lower(&parts, &s.attr, s.operands, &arena, &fault), "case %d", (int)i);
        CHECK(strstr(fault.text, cases[i].words) || test_starving(), "case %d: %s", (int)i, fault.text);
        arena_drop(&arena);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(all_types), TEST(longer_sizes), TEST(all_windows), TEST(image_windows), TEST(patches_are_one_part),
           TEST(runs_what_users_make), TEST(sums_are_cut_by_shape_alone), TEST(text_tells), TEST(json_goes_round),
           TEST(json_is_read_strictly), TEST(refuses_with_sentences), TEST(unresolvable_windows))
