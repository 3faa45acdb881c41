/*
 * The contraction compiler: the results of lowering and of each pass compute the contraction of the labels.
 *
 * Expected values come from a loop over labels, independent of dimensions. Cases are all assignments of types to up to
 * four dimensions per operand. Sizes, orders and strides (permuted, with gaps, negative, zero, overlapping) are
 * sampled. All small windows on an input or on the output follow. Machines are small too, so that boxes of a few
 * elements are cut, reordered and shared. Elements are small integers, so that sums are exact in every dtype.
 */
#include <stdio.h>
#include <string.h>
#include "array/dtype.h"
#include "base/machine/isa.h"
#include "contract/loops.h"
#include "contract/sums.h"
#include "engine/engines.h"
#include "tests/support/naive/contraction_spec.h"
#include "tests/support/harness.h"

/* ---- stages ---- */

/* Run all parts by one engine and compare; false: an allocation failed, as requested. */
static bool compute_with(const struct contraction_runner *runner, struct spec *s,
                         const struct contraction_parts *parts, const void *want, const char *stage) {
    size_t bytes = (size_t)s->length[TY_OUT] * ty_dtype_size(s->operands[TY_OUT].dtype);
    char *out = test_room(bytes);
    struct arena arena = {0};
    struct fault fault = {0};
    bool ok = true;
    memcpy(out, s->memory[TY_OUT], bytes);
    for (int i = 0; ok && i < parts->n; i++) {
        const ty_contraction *c = &parts->items[i];
        const int64_t sizes[SPEC_SIDES] = {
            s->length[c->swapped] * (int64_t)ty_dtype_size(s->operands[c->swapped].dtype),
            s->length[!c->swapped] * (int64_t)ty_dtype_size(s->operands[!c->swapped].dtype), (int64_t)bytes};
        void *prepared;
        int64_t workspace;
        CHECK(contraction_check(c, &fault), "%s: %s", stage, fault.text);
        CHECK(contraction_check_buffers(c, sizes, &fault), "%s: %s", stage, fault.text);
        ok = runner->prepare(c, &prepared, &workspace, &arena, &fault) &&
             runner->run(prepared, s->memory[c->swapped], s->memory[!c->swapped], out, &fault);
    }
    arena_drop(&arena);
    CHECK(ok || test_starving(), "%s: %s", stage, fault.text);
    if (ok && memcmp(out, want, bytes) != 0) {
        struct text text = {0};
        for (int i = 0; i < parts->n; i++) contraction_describe(&parts->items[i], &text);
        CHECK(false, "%s, %s, after %s:\n%s", runner->engine, ty_isa(), stage, test_text(text_take(&text)));
    }
    return ok;
}

/* Compare by the interpreter, and by the cpu engine on a random instruction set; false: an allocation
   failed. */
static bool compute(struct spec *s, const struct contraction_parts *parts, const void *want,
                    const char *stage) {
    if (!compute_with(&contraction_interpreted, s, parts, want, stage)) return false;
    isa_force((enum isa)test_between(0, isa_best()));
    test_draw_caches();
    bool ok = compute_with(&cpu_contraction_runner, s, parts, want, stage);
    isa_force(isa_best());
    return ok;
}

/* Return a machine with caches so small that small boxes are large. */
static struct contract_machine small_machine(void) {
    static const int64_t caches[] = {64, 256, 2048, 1 << 20};
    struct contract_machine m;
    contract_machine_usual(&m, TY_F32, (int)test_between(1, 5));
    m.l1 = caches[test_between(0, 2)];
    m.l2 = m.l1 * (1 << test_between(0, 4));
    m.l2_way = m.l2 / (1 << test_between(0, 4));
    m.sums_room = m.l2 / 3 * 2;
    m.reach = test_between(0, 1) * 2 * m.l2;
    m.l3 = m.l2 * (1 << test_between(0, 4));
    m.tile_rows = (int)test_between(1, 4);
    m.lanes = (int)test_between(1, 4);
    m.depth = 2 * m.lanes;
    m.tile_columns = m.lanes * (int)test_between(1, 2);
    m.flops = test_between(0, 1) ? 1e3 : 1e11;
    m.sums_apart = test_between(0, 1);
    return m;
}

/* Counts of tested contractions with loops, dimensions cut twice, ... */
static struct { int all, looped, twice, shared, summed, spans, swapped, footprints; } met;

static void count(const ty_contraction *c) {
    int over[TY_CONTRACTION_DIMS] = {0};
    met.all++;
    met.swapped += c->swapped;
    met.spans += c->spans > 1;
    met.footprints += c->packing[0].kind == TY_PACK_FOOTPRINT || c->packing[1].kind == TY_PACK_FOOTPRINT;
    met.shared += c->nloops && c->loops[0].exec == TY_EXEC_SHARED;
    met.looped += c->nloops && c->loops[0].exec != TY_EXEC_PRIMITIVE;
    bool twice = false, summed = false;
    for (int i = 0; i < c->nloops && c->loops[i].exec != TY_EXEC_PRIMITIVE; i++) {
        twice |= over[c->loops[i].dim]++ > 0;
        summed |= c->dims[c->loops[i].dim].type == TY_DIM_K;
    }
    met.twice += twice, met.summed += summed;
}

/* Lower a contraction, then run the passes one by one and compare after each. */
static void prove(struct spec *s) {
    struct arena arena = {0};
    struct fault fault = {0};
    struct contraction_parts parts;
    struct contract_machine m = small_machine();
    void *want = spec_expected(s);
    bool ok = contraction_lower(&parts, &s->attr, s->operands, &arena, &fault);
    CHECK(ok || test_starving(), "%s", fault.text);
    ok = ok && compute(s, &parts, want, "lowering");
    for (const struct contract_pass *pass = contract_passes; ok && pass->name; pass++) {
        for (int i = 0; i < parts.n; i++)
            CHECK(pass->run(&parts.items[i], &m, &fault), "%s: %s", pass->name, fault.text);
        ok = compute(s, &parts, want, pass->name);
    }
    for (int i = 0; ok && i < parts.n; i++) count(&parts.items[i]);
    arena_drop(&arena);
}

/* ---- all types ---- */

/* Set up a contraction with a given number of dimensions of each type. */
static void set_types(struct spec *s, const int count[4], int64_t most) {
    static const uint8_t in[4] = {7, 5, 6, 3}; /* C M N K: bit mask of the sides that have the type */
    uint8_t labels[SPEC_SIDES][SPEC_LABELS];
    int n[SPEC_SIDES] = {0}, label = 0;
    *s = (struct spec){0};
    for (int type = 0; type < 4; type++)
        for (int i = 0; i < count[type]; i++, label++) {
            s->size[label] = test_between(test_between(0, 19) ? 1 : 0, most);
            for (int side = 0; side < SPEC_SIDES; side++)
                if (in[type] >> side & 1) labels[side][n[side]++] = (uint8_t)label;
        }
    for (int i = label; i < SPEC_LABELS; i++) s->size[i] = 1;
    for (int side = 0; side < SPEC_SIDES; side++) {
        spec_shuffle(n[side], labels[side]);
        spec_side(s, side, n[side], labels[side]);
    }
    spec_operands(s, true);
}

static double points_of(const struct spec *s) {
    double n = 1;
    for (int i = 0; i < SPEC_LABELS; i++) n *= (double)s->size[i];
    return n;
}

/* Every assignment of types with at most four dimensions per operand gives exact results. */
static void all_types(void) {
    int samples = test_some(100, 30, 1), stride = test_starving() ? 40 : 1, number = 0;
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

/* Sizes that boxes cut with remainders give exact results. */
static void longer_sizes(void) {
    static const int64_t sizes[] = {1, 2, 7, 13, 16, 33, 67, 101};
    for (int i = 0, done = 0; done < test_some(800, 200, 1); i++) {
        struct test_round round = test_round();
        struct spec s;
        int count[4] = {(int)test_between(0, 1), (int)test_between(0, 2), (int)test_between(0, 2),
                        (int)test_between(0, 2)};
        set_types(&s, count, 2);
        for (int label = 0; label < SPEC_LABELS; label++)
            if (s.size[label] != 1) s.size[label] = sizes[test_between(0, 7)];
        spec_operands(&s, true);
        if (points_of(&s) < 12000 && ++done) prove(&s);
        test_round_end(round);
    }
}

/* ---- windows ---- */

enum { OUTER = 0, INNER = 1, WINDOW = CONTRACT_WINDOW };

/* The three contractions of a one-dimensional convolution, and sums over windows of one operand. */
static const struct form {
    const char *what;
    int n[SPEC_SIDES];
    uint8_t labels[SPEC_SIDES][4];
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
    for (int i = 0; i < SPEC_LABELS; i++) s->size[i] = 1;
    s->size[OUTER] = w.outer_size, s->size[INNER] = w.inner_size;
    s->size[2] = test_between(1, 3), s->size[3] = test_between(1, 3);
    for (int side = 0; side < SPEC_SIDES; side++) spec_side(s, side, form->n[side], form->labels[side]);
    spec_operands(s, test_between(0, 1));
}

static void prove_window(struct contract_window w, const struct form *form) {
    struct test_round round = test_round();
    struct spec s;
    set_window(&s, form, w);
    prove(&s);
    test_round_end(round);
}

/* Every small stride, dilation, padding and size gives exact results. */
static void all_windows(void) {
    uint32_t number = 0, every = (uint32_t)test_some(31, 127, 65521);
    for (int64_t stride = 1; stride <= 4; stride++)
        for (int64_t dilation = -2; dilation <= 3; dilation++)
            for (int64_t low = -3; low <= 4; low++)
                for (int64_t sizes = 0; sizes < 5 * 5 * 10; sizes++)
                    for (int form = 0; form < FORMS; form++) {
                        struct contract_window w = {
                            sizes % 5, sizes / 5 % 5, stride, dilation, low, sizes / 25, 0, 0, {0}};
                        if (dilation == 0 || (++number * 2654435761u >> 8) % every) continue;
                        prove_window(w, &forms[form]);
                    }
}

/* Images with two windows and padding on each, NHWC and NCHW, and strides of a batch. */
static const struct form images[] = {
    {"forward NHWC", {4, 4, 4}, {{6, WINDOW, WINDOW + 1, 4}, {INNER, 3, 4, 5}, {6, OUTER, 2, 5}}},
    {"forward NCHW", {4, 4, 4}, {{6, 4, WINDOW, WINDOW + 1}, {5, 4, INNER, 3}, {6, 5, OUTER, 2}}},
    {"kernel NHWC", {4, 4, 4}, {{6, WINDOW, WINDOW + 1, 4}, {6, OUTER, 2, 5}, {INNER, 3, 4, 5}}},
    {"input NHWC", {4, 4, 4}, {{6, OUTER, 2, 5}, {INNER, 3, 4, 5}, {6, WINDOW, WINDOW + 1, 4}}},
    {"input NCHW", {4, 4, 4}, {{6, 5, OUTER, 2}, {5, 4, INNER, 3}, {6, 4, WINDOW, WINDOW + 1}}},
    {"depthwise NHWC", {4, 3, 4}, {{6, WINDOW, WINDOW + 1, 4}, {INNER, 3, 4}, {6, OUTER, 2, 4}}},
    {"depthwise NCHW", {4, 3, 4}, {{6, 4, WINDOW, WINDOW + 1}, {4, INNER, 3}, {6, 4, OUTER, 2}}},
};

static struct contract_window random_window(uint8_t outer, uint8_t inner) {
    struct contract_window w = {test_between(1, 5),
                                test_between(1, 3),
                                test_between(1, 3),
                                test_between(1, 2),
                                test_between(-1, 2),
                                test_between(1, 9),
                                outer,
                                inner,
                                {0}};
    return w;
}

static void image_windows(void) {
    for (int i = 0; i < (test_starving() ? 2 : 400); i++) {
        struct test_round round = test_round();
        const struct form *form = &images[i % (int)(sizeof images / sizeof *images)];
        struct spec s = {.attr.nwindows = 2,
                         .attr.windows = {random_window(OUTER, INNER), random_window(2, 3)}};
        for (int label = 0; label < SPEC_LABELS; label++) s.size[label] = label < 7 ? test_between(1, 3) : 1;
        s.size[OUTER] = s.attr.windows[0].outer_size, s.size[INNER] = s.attr.windows[0].inner_size;
        s.size[2] = s.attr.windows[1].outer_size, s.size[3] = s.attr.windows[1].inner_size;
        for (int side = 0; side < SPEC_SIDES; side++) spec_side(&s, side, form->n[side], form->labels[side]);
        spec_operands(&s, test_between(0, 1));
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
    CHECK(!ok || (parts.n == 1 && parts.items[0].nguards == 0), "%d parts, %d guards", parts.n,
          parts.items[0].nguards);
    arena_drop(&arena);
    set_window(&s, &forms[2], (struct contract_window){5, 3, 2, 1, 1, 9, 0, 0, {0}});
    ok = contraction_lower(&parts, &s.attr, s.operands, &arena, &fault);
    CHECK(!ok || parts.n == 2, "%d parts", parts.n);
    arena_drop(&arena);
}

/* Phases of few channels are computed together, along both axes or the inner one. Phases of one channel or
   of many are separate, and so are phases of unequal lengths. */
static void few_channels_join_phases(void) {
    static const struct {
        int64_t channels, taps, stride, low, length;
        int parts;
    } cases[] = {{3, 7, 2, 3, 10, 1}, {3, 4, 2, 1, 8, 2},  {2, 5, 3, 2, 9, 2},   {12, 7, 2, 3, 10, 2},
                 {5, 7, 2, -1, 8, 1}, {1, 7, 2, 3, 10, 4}, {16, 7, 2, 3, 10, 4}, {3, 7, 2, 3, 9, 4}};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct test_round round = test_round();
        struct arena arena = {0};
        struct fault fault = {0};
        struct contraction_parts parts;
        const struct form *form = &images[3 + i % 2];
        int64_t channels = cases[i / 2].channels, taps = cases[i / 2].taps, stride = cases[i / 2].stride;
        struct contract_window w = {5,     taps,  stride, 1, cases[i / 2].low, cases[i / 2].length,
                                    OUTER, INNER, {0}};
        struct spec s = {.attr.nwindows = 2, .attr.windows = {w, w}};
        for (int label = 0; label < SPEC_LABELS; label++) s.size[label] = label < 7 ? 2 : 1;
        s.attr.windows[1].outer = 2, s.attr.windows[1].inner = 3;
        s.size[OUTER] = s.size[2] = w.outer_size, s.size[INNER] = s.size[3] = taps, s.size[4] = channels;
        for (int side = 0; side < SPEC_SIDES; side++) spec_side(&s, side, form->n[side], form->labels[side]);
        spec_operands(&s, false);
        bool ok = contraction_lower(&parts, &s.attr, s.operands, &arena, &fault);
        bool counted = ok && ty_dtype_size(s.operands[TY_OUT].dtype) == 4; /* dtypes are random */
        arena_drop(&arena);
        CHECK(ok || test_starving(), "%s", fault.text);
        CHECK(!counted || parts.n == cases[i / 2].parts, "case %d: %d parts", (int)i, parts.n);
        prove(&s);
        test_round_end(round);
    }
}

/* Elements that a kernel of one tap leaves out along two axes are zeroed together: the rest of its lines,
   and whole lines. */
static void zeros_are_joined(void) {
    for (int64_t stride = 2; stride < 4; stride++) {
        struct test_round round = test_round();
        struct arena arena = {0};
        struct fault fault = {0};
        struct contraction_parts parts;
        struct spec s = {.attr.nwindows = 2,
                         .attr.windows = {{4, 1, stride, 1, 0, 4 * stride, OUTER, INNER, {0}},
                                          {5, 1, stride, 1, 0, 5 * stride, 2, 3, {0}}},
                         .size = {[OUTER] = 4, [INNER] = 1, [2] = 5, [3] = 1, [4] = 2, [5] = 2, [6] = 2}};
        const struct form *form = &images[3];
        for (int side = 0; side < SPEC_SIDES; side++) spec_side(&s, side, form->n[side], form->labels[side]);
        spec_operands(&s, false);
        bool ok = contraction_lower(&parts, &s.attr, s.operands, &arena, &fault);
        CHECK(ok || test_starving(), "%s", fault.text);
        CHECK(!ok || parts.n == 3, "%d parts", parts.n);
        arena_drop(&arena);
        prove(&s);
        test_round_end(round);
    }
}

/* ---- large sizes: configurations are checked, not run ---- */

/* Check that c adds up terms as `first` does, in equal spans, and in equal boxes if these show. */
static void check_sums(const ty_contraction *first, const ty_contraction *c) {
    struct sum_order order[2];
    contraction_order_of(first, &order[0]);
    contraction_order_of(c, &order[1]);
    bool same = contraction_order_equal(&order[0], &order[1]) && first->spans == c->spans;
    for (int d = 0; same && d < c->ndims && contraction_boxes_show(c); d++)
        same = c->dims[d].type != TY_DIM_K || contraction_box(first, d) == contraction_box(c, d);
    if (same) return;
    struct text text = {0};
    contraction_describe(first, &text);
    contraction_describe(c, &text);
    CHECK(false, "sums depend on the machine:\n%s", test_text(text_take(&text)));
}

/* Optimise for several numbers of threads, and for random machines; the order of sums must not depend on them. */
static void prove_large(struct spec *s, struct arena *arena) {
    static const int threads[] = {1, 2, 3, 8, 64};
    struct fault fault = {0};
    struct contraction_parts parts;
    ty_contraction first = {0}, c;
    ty_dtype dtype = test_between(0, 1) ? TY_F32 : TY_C128;
    for (int side = 0; side < SPEC_SIDES; side++) s->operands[side].dtype = dtype;
    s->attr.sums = 0;
    if (!contraction_lower(&parts, &s->attr, s->operands, arena, &fault)) return;
    bool apart = test_between(0, 1), near = test_between(0, 1);
    for (int i = 0; i < 8; i++) {
        struct contract_machine m;
        contract_machine_usual(&m, dtype, threads[i % 5]);
        m.sums_apart = apart;
        if (near) m.sums_room = 360 << 10, m.l2 = 640 << 10, m.l2_way = 64 << 10, m.reach = 768 << 10;
        if (i > 4) m = small_machine();
        c = parts.items[0];
        for (int side = 0; side < 2 && i > 4; side++) c.constant[side] = test_between(0, 1);
        CHECK(contraction_optimise(&c, &m, &fault) && contraction_check(&c, &fault), "%s", fault.text);
        if (i == 0) first = c;
        check_sums(&first, &c);
        CHECK(c.seconds >= 0 && (i > 4 || c.seconds <= first.seconds * 1.0001),
              "%d threads take %g s, one %g s", m.threads, c.seconds, first.seconds);
        count(&c);
    }
}

static void large_sizes(void) {
    static const int64_t sizes[] = {1, 3, 16, 24, 64, 100, 256, 384, 1000, 1601, 4096, 20000};
    for (int i = 0; i < test_some(600, 300, 2); i++) {
        struct test_round round = test_round();
        struct arena arena = {0};
        struct spec s;
        int types[4] = {(int)test_between(0, 1), (int)test_between(0, 3), (int)test_between(0, 3),
                        (int)test_between(0, 2)};
        set_types(&s, types, 2);
        double points = 1;
        for (int label = 0; label < SPEC_LABELS; label++) {
            if (s.size[label] != 1) s.size[label] = sizes[test_between(0, points < 1e8 ? 11 : 3)];
            points *= (double)s.size[label];
        }
        for (int side = 0; side < SPEC_SIDES; side++) spec_layout(&s, side, false);
        prove_large(&s, &arena);
        arena_drop(&arena);
        test_round_end(round);
    }
}

/* The tests above covered all the features that they are for. */
static void proofs_met_everything(void) {
    if (test_starving() || met.all == 0) return;
    if (test_verbose())
        printf("%d contractions: %d with loops, %d cut twice, %d shared, %d with K cut, %d in spans, %d "
               "swapped, %d "
               "footprints\n",
               met.all, met.looped, met.twice, met.shared, met.summed, met.spans, met.swapped,
               met.footprints);
    int part = test_some(1, 10, 1);
    CHECK(met.looped > met.all / 10 && met.twice > 50 / part && met.shared > 200 / part &&
              met.summed > 200 / part && met.spans > 10 / part && met.swapped > 1000 / part &&
              met.footprints > 1000 / part,
          "of %d contractions %d had loops", met.all, met.looped);
}

/* Windows that strides and guards cannot express are refused. */
static void unresolvable_windows(void) {
    static const struct {
        const char *words;
        int64_t stride, dilation;
        struct form form;
    } cases[] = {
        {"stride 0", 0, 1, {"", {2, 2, 2}, {{WINDOW, 2}, {INNER, 2}, {3, OUTER}}}},
        {"dilation 0", 1, 0, {"", {2, 2, 2}, {{WINDOW, 2}, {INNER, 2}, {3, OUTER}}}},
        {"beyond 2^47", (int64_t)1 << 50, 1, {"", {2, 2, 2}, {{WINDOW, 2}, {INNER, 2}, {3, OUTER}}}},
        {"is in the output next to", 1, 1, {"", {2, 2, 2}, {{OUTER, 3}, {INNER, 3}, {WINDOW, OUTER}}}},
        {"names window 1, but there are 1", 1, 1, {"", {2, 2, 2}, {{WINDOW + 1, 3}, {INNER, 3}, {OUTER, 3}}}},
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

TESTS_MAIN(TEST(all_types), TEST(longer_sizes), TEST(all_windows), TEST(image_windows), TEST(large_sizes),
           TEST(proofs_met_everything), TEST(patches_are_one_part), TEST(few_channels_join_phases),
           TEST(zeros_are_joined), TEST(unresolvable_windows))
