/* Choices of the compiler for given machines: which operands are copied, and how deep and wide boxes are. */
#include <string.h>
#include "base/machine/cache.h"
#include "base/machine/isa.h"
#include "base/machine/levels.h"
#include "contract/loops.h"
#include "engine/cpu/contract/contract_box.h"
#include "engine/cpu/contract/contract_run.h"
#include "tests/support/naive/contraction_spec.h"
#include "tests/support/harness.h"

static void small_second_level(struct contract_machine *m) {
    contract_machine_usual(m, TY_F32, 1);
    m->l1 = 32 << 10, m->l2 = 640 << 10, m->l3 = 16 << 20, m->l2_way = 64 << 10;
    m->sums_room = 360 << 10, m->reach = 768 << 10;
    m->tile_columns = 16, m->lanes = 8;
}

static void zen4(struct contract_machine *m) {
    contract_machine_usual(m, TY_F32, 1);
    m->l1 = 32 << 10, m->l2 = 1 << 20, m->l3 = 16 << 20, m->l2_way = 128 << 10;
    m->sums_room = 720 << 10, m->reach = 3 << 19;
    m->flops = 117e9, m->read = 27e9, m->stream = 33e9, m->l3_bytes = 70e9;
}

/* Return an optimised product of row-major matrices. */
static ty_contraction product_of(void (*make)(struct contract_machine *), int64_t m, int64_t k, int64_t n) {
    ty_contraction c = {0};
    ty_contraction_operand left = {TY_F32, 2, (int64_t[]){m, k}, NULL, 0},
                           right = {TY_F32, 2, (int64_t[]){k, n}, NULL, 0};
    struct contract_machine machine;
    struct fault fault = {0};
    make(&machine);
    CHECK(contraction_from(&c, "mk,kn->mn", &left, &right, NULL), "%s", c.error);
    CHECK(contraction_optimise(&c, &machine, &fault), "%s", fault.text);
    return c;
}

/* Copies are made where they repay. Right is copied if many panels of left use it, in whichever loops.
   Left is copied if blocks of K read parts of rows that begin in few sets of L2. Right's box may exceed L2
   if the operands exceed L3. */
static void copies_repay(void) {
    static const struct {
        int64_t m, k, n;
        bool left, right;
    } products[] = {
        {24, 896, 896, false, false},  {896, 896, 896, false, true},   {500, 500, 500, false, true},
        {1024, 4096, 192, true, true}, {1024, 4000, 192, false, true}, {1600, 1600, 1600, false, true},
        {192, 192, 192, false, true},  {192, 100, 192, false, false},  {200, 200, 200, false, false},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        int64_t m = products[i].m, k = products[i].k, n = products[i].n;
        ty_contraction c = product_of(small_second_level, m, k, n);
        bool left = c.packing[TY_LEFT].kind != TY_PACK_NONE, right = c.packing[TY_RIGHT].kind != TY_PACK_NONE;
        CHECK(left == products[i].left && right == products[i].right, "%d x %d x %d copies%s%s", (int)m,
              (int)k, (int)n, left ? " left" : "", right ? " right" : "");
    }
    ty_contraction c = product_of(small_second_level, 1600, 1600, 1600),
                   small = product_of(small_second_level, 768, 768, 768);
    int64_t bytes = contraction_box(&c, 1) * contraction_box(&c, 2) * 4;
    CHECK(bytes > 600 << 10 && bytes <= 900 << 10, "right's box has %d bytes", (int)bytes);
    bytes = contraction_box(&small, 1) * contraction_box(&small, 2) * 4;
    CHECK(bytes < 448 << 10, "right's box has %d bytes where all stays in L3", (int)bytes);
}

/* Blocks of K go deeper than L1 allows if all operands fit L3. Pixels by channels: L1 allows 160 of K,
   where sums are read back six times and left is copied for short runs. Deeper blocks are 1.02 to 1.04
   times as fast (Zen 4). */
static void blocks_go_deeper(void) {
    static const int64_t products[][3] = {{196, 1024, 256}, {49, 2048, 512}, {256, 256, 256}};
    for (size_t i = 0; i < sizeof products / sizeof *products; i++) {
        const int64_t *size = products[i];
        ty_contraction c = product_of(zen4, size[0], size[1], size[2]);
        CHECK(contraction_box(&c, 2) >= 256 && c.packing[TY_LEFT].kind == TY_PACK_NONE,
              "%d x %d x %d: blocks of %d", (int)size[0], (int)size[1], (int)size[2],
              (int)contraction_box(&c, 2));
    }
}

/* Every second pixel of an image: lines of seven rows are copied, since tiles of six do not fit them.
   Others are read in place, and so are operands used by few columns. */
static void lines_that_break_tiles(void) {
    static const struct {
        int64_t line, columns;
        bool left;
    } cases[] = {{7, 2048, true}, {7, 64, false}, {6, 2048, false}, {14, 2048, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t line = cases[i].line, columns = cases[i].columns, shape[] = {line, line, 1024},
                strides[] = {2 * line * 2048, 2048, 1};
        ty_contraction c = {0};
        ty_contraction_operand left = {TY_F32, 3, shape, strides, 0},
                               right = {TY_F32, 2, (int64_t[]){1024, columns}, NULL, 0};
        struct contract_machine m;
        struct fault fault = {0};
        contract_machine_usual(&m, TY_F32, 1);
        CHECK(contraction_from(&c, "abk,kn->abn", &left, &right, NULL), "%s", c.error);
        c.constant[TY_RIGHT] = true;
        CHECK(contraction_optimise(&c, &m, &fault), "%s", fault.text);
        CHECK((c.packing[TY_LEFT].kind != TY_PACK_NONE) == cases[i].left,
              "lines of %d by %d columns: left %s", (int)line, (int)columns,
              cases[i].left ? "lies" : "is copied");
    }
}

/* A search finds boxes that store whole lines. Sums of 24 products exceed a Zen 4's third cache level: the
   rules alone store partial lines and take a predicted 59 to 63 ms. */
static void boxes_are_searched(void) {
    static const char *const equations[] = {"dega,gfbc->abcdef", "degb,gfac->abcdef", "degc,gfab->abcdef"};
    static const int64_t shapes[3][2][4] = {{{24, 20, 24, 24}, {24, 20, 20, 20}},
                                            {{24, 20, 24, 20}, {24, 20, 24, 20}},
                                            {{24, 20, 24, 20}, {24, 20, 24, 20}}};
    for (int i = 0; i < 3; i++) {
        ty_contraction c = {0};
        ty_contraction_operand left = {TY_F32, 4, shapes[i][0], NULL, 0},
                               right = {TY_F32, 4, shapes[i][1], NULL, 0};
        struct contract_machine m;
        struct fault fault = {0};
        zen4(&m);
        CHECK(contraction_from(&c, equations[i], &left, &right, NULL), "%s", c.error);
        CHECK(contraction_optimise(&c, &m, &fault), "%s", fault.text);
        CHECK(c.seconds < 0.053, "%s is predicted to take %.1f ms", equations[i], 1e3 * c.seconds);
    }
}

/* Return a 3x3 convolution, channels first: left is the kernels (64,64,3,3), right the image. */
static ty_contraction window_over(int64_t line) {
    ty_contraction c = {.dtype = {TY_F32, TY_F32, TY_F32}, .sums = TY_F32, .ndims = 6, .nguards = 2};
    ty_dim dims[] = {{TY_DIM_M, 64, {576, 0, line * line}}, {TY_DIM_N, line, {0, line, line}},
                     {TY_DIM_N, line, {0, 1, 1}},           {TY_DIM_K, 64, {9, line * line, 0}},
                     {TY_DIM_K, 3, {3, line, 0}},           {TY_DIM_K, 3, {1, 1, 0}}};
    memcpy(c.dims, dims, sizeof dims);
    for (int i = 0; i < 2; i++) c.guards[i] = (ty_guard){TY_RIGHT, {1 + i, 4 + i}, {1, 1}, -1, line};
    c.offset[TY_RIGHT] = -line - 1;
    return c;
}

/* Pixels are columns if their lines are whole vectors. Otherwise they are rows, and kernels are
   transposed; for few pixels only if kernels are constant. */
static void lines_that_cut_vectors(void) {
    static const struct {
        int64_t line;
        bool constant, rows;
    } cases[] = {{32, false, false}, {28, false, true}, {28, true, true}, {5, false, false}, {5, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_contraction c = window_over(cases[i].line);
        struct contract_machine m;
        struct fault fault = {0};
        small_second_level(&m);
        c.constant[TY_LEFT] = cases[i].constant;
        CHECK(contraction_check(&c, &fault), "%s", fault.text);
        CHECK(contraction_optimise(&c, &m, &fault), "%s", fault.text);
        ty_dim_type type = c.dims[contraction_innermost(&c, TY_OUT)].type;
        CHECK((type == TY_DIM_M) == cases[i].rows, "lines of %d: pixels are %s", (int)cases[i].line,
              type == TY_DIM_M ? "rows" : "columns");
    }
}

/* Return a depthwise convolution, channels last. */
static ty_contraction batch_window(int64_t line, int64_t channels, int64_t taps) {
    ty_contraction c = {.dtype = {TY_F32, TY_F32, TY_F32}, .sums = TY_F32, .ndims = 5, .nguards = 2};
    int64_t row = line * channels;
    ty_dim dims[] = {{TY_DIM_M, line, {row, 0, row}},
                     {TY_DIM_M, line, {channels, 0, channels}},
                     {TY_DIM_C, channels, {1, 1, 1}},
                     {TY_DIM_K, taps, {row, taps * channels, 0}},
                     {TY_DIM_K, taps, {channels, channels, 0}}};
    memcpy(c.dims, dims, sizeof dims);
    for (int i = 0; i < 2; i++) c.guards[i] = (ty_guard){TY_LEFT, {i, 3 + i}, {1, 1}, -(taps / 2), line};
    c.offset[TY_LEFT] = -(row + channels) * (taps / 2);
    return c;
}

/* Depthwise images are read in place, unless most pieces would be single pixels or lines fall on few sets
   of L1. */
static void windows_of_a_batch(void) {
    static const struct {
        int64_t line, channels, taps;
        bool copied;
    } cases[] = {{7, 960, 7, true},   {7, 960, 5, false},  {14, 384, 7, false}, {14, 512, 7, true},
                 {14, 512, 3, false}, {14, 1024, 3, true}, {56, 128, 3, false}, {2, 520, 5, false},
                 {3, 520, 3, false},  {28, 1024, 7, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ty_contraction c = batch_window(cases[i].line, cases[i].channels, cases[i].taps);
        struct contract_machine m;
        struct fault fault = {0};
        small_second_level(&m);
        CHECK(contraction_check(&c, &fault), "%s", fault.text);
        CHECK(contraction_optimise(&c, &m, &fault), "%s", fault.text);
        CHECK(c.primitive == TY_PRIMITIVE_LANES, "case %d: primitive %d", (int)i, (int)c.primitive);
        CHECK((c.packing[TY_LEFT].kind == TY_PACK_FOOTPRINT) == cases[i].copied, "case %d: packing %d",
              (int)i, (int)c.packing[TY_LEFT].kind);
    }
}

/* If the compiler plans non-temporal stores, the engine uses them: its blocks have a buffer for their
   sums. */
static void blocks_have_room_to_wait(void) {
    static const int64_t sizes[] = {1200, 1300, 1500, 1601, 1800, 2000, 2048};
    static const ty_dtype dtypes[] = {TY_F32, TY_F64};
    int past = 0;
    cache_force(16 << 20);
    level_force(LEVEL_FIRST, 32 << 10);
    for (int i = 0; i < 7 * 2 * 2; i++) {
        int64_t n = sizes[i / 4];
        ty_contraction_operand square = {dtypes[i % 2], 2, (int64_t[]){n, n}, NULL, 0};
        ty_contraction c = {0};
        struct arena arena = {0};
        struct fault fault = {0};
        level_force(LEVEL_SECOND, i / 2 % 2 ? 1 << 20 : 512 << 10);
        bool made = contraction_from(&c, "mk,kn->mn", &square, &square, NULL);
        made = made && ty_contraction_optimise(&c, 1);
        CHECK(made || test_starving(), "%s", c.error);
        struct contract_plan *p = made ? contract_plan_make(&c, NULL, INT64_MAX, &arena, &fault) : NULL;
        bool planned = p != NULL, agree = !planned || p->bypass == c.bypass;
        past += c.bypass;
        arena_drop(&arena);
        CHECK(planned || test_starving(), "%s", fault.text);
        CHECK(agree, "%d squared, %s: out does not go past the caches", (int)n, ty_dtype_name(dtypes[i % 2]));
    }
    cache_force(0);
    level_force(LEVEL_FIRST, 0);
    level_force(LEVEL_SECOND, 0);
    CHECK(past > 4 || test_starving(), "%d of 28 go past the caches", past);
}

/* Make a contraction of six dimensions of size three, with loops of step two over the first `cut` of them;
   false on error. */
static bool cut_dims(ty_contraction *c, int cut) {
    ty_contraction_operand left = {TY_F32, 4, (int64_t[]){3, 3, 3, 3}, NULL, 0}, right = left;
    if (!contraction_from(c, "abef,efcd->abcd", &left, &right, NULL)) return false;
    c->nloops = 0;
    for (int d = 0; d < cut; d++) c->loops[c->nloops++] = (ty_loop){.dim = d, .step = 2};
    for (int d = 0; d < c->ndims; d++)
        c->loops[c->nloops++] = (ty_loop){.dim = d, .step = d < cut ? 2 : 3, .exec = TY_EXEC_PRIMITIVE};
    c->primitive = TY_PRIMITIVE_GEMM;
    return ty_contraction_check(c, NULL);
}

/* Boxes at far ends belong to the plan, and those of all kinds if they are few. If they are many, threads
   make the others on demand, repeatedly if they exceed a thread's cache. */
static void far_ends_are_in_the_plan(void) {
    enum { N = 81 };
    float left[N], right[N], out[N];
    for (int i = 0; i < N; i++) left[i] = (float)(i * 7 % 11), right[i] = (float)(i * 5 % 13);
    for (int cut = 0; cut <= 6; cut++) {
        ty_contraction c = {0};
        struct arena arena = {0};
        struct fault fault = {0};
        bool made = cut_dims(&c, cut);
        CHECK(made || test_starving(), "%s", c.error);
        struct contract_plan *p = made ? contract_plan_make(&c, NULL, INT64_MAX, &arena, &fault) : NULL;
        int kinds = 0;
        for (const struct contract_made *m = p ? p->made : NULL; m; m = m->next) kinds++;
        bool planned = p != NULL, all = planned && p->box_rooms == 0;
        arena_drop(&arena);
        CHECK(planned || test_starving(), "%s", fault.text);
        CHECK(!planned || (cut <= 4 ? all && kinds == (1 << cut) - 1 : !all && kinds == 16),
              "%d cuts: %d kinds of boxes, %s", cut, kinds, all ? "all" : "and more");
        ty_contraction_plan *plan = made ? ty_contraction_compile(&c) : NULL;
        bool ran = plan && ty_contraction_run(plan, left, right, out);
        ty_contraction_plan_release(plan);
        CHECK(ran || test_starving(), "%d cuts do not run", cut);
        for (int i = 0; ran && i < N; i++) {
            float sum = 0;
            for (int k = 0; k < 9; k++) sum += left[i / 9 * 9 + k] * right[k * 9 + i % 9];
            CHECK(out[i] == sum, "%d cuts: element %d is %g, not %g", cut, i, (double)out[i], (double)sum);
        }
    }
}

/* Make a product of 8 rows, `depth` products and n columns, whose right side is copied as `kind` in boxes of `step`
   columns. False on error. */
static bool cut_columns(ty_contraction *c, ty_dtype dtype, int64_t depth, int64_t n, int64_t step,
                        ty_packing kind) {
    ty_contraction_operand left = {dtype, 2, (int64_t[]){8, depth}, NULL, 0},
                           right = {dtype, 2, (int64_t[]){depth, n}, NULL, 0};
    if (!contraction_from(c, "mk,kn->mn", &left, &right, NULL)) return false;
    c->nloops = 0;
    for (int d = 0; d < c->ndims; d++)
        if (c->dims[d].type == TY_DIM_N) c->loops[c->nloops++] = (ty_loop){.dim = d, .step = step};
    for (int d = 0; d < c->ndims; d++)
        c->loops[c->nloops++] = (ty_loop){.dim = d,
                                          .step = c->dims[d].type == TY_DIM_N ? step : c->dims[d].size,
                                          .exec = TY_EXEC_PRIMITIVE};
    c->primitive = TY_PRIMITIVE_GEMM;
    c->packing[TY_RIGHT].kind = kind;
    c->packing[TY_RIGHT].loop = kind == TY_PACK_WHOLE ? -1 : 0;
    return ty_contraction_check(c, NULL);
}

/* The copy of every box fits a slot, which has the bytes of the full box: also a last box, whose columns are one
   incomplete panel, while the full box has several. */
static void last_boxes_fit_slots(void) {
    int panels = 0;
    for (int i = 0; i < test_some(2000, 400, 20); i++) {
        ty_contraction c = {0};
        struct arena arena = {0};
        struct fault fault = {0};
        int64_t step = 8 * test_between(2, 16), n = 3 * step - test_between(1, step - 1);
        isa_force((enum isa)test_between(0, (int)isa_best()));
        bool made =
            cut_columns(&c, TY_F32, test_between(1, 9), n, step, i % 2 ? TY_PACK_WHOLE : TY_PACK_PANELS);
        CHECK(made || test_starving(), "%s", c.error);
        struct contract_plan *p = made ? contract_plan_make(&c, NULL, INT64_MAX, &arena, &fault) : NULL;
        int64_t most = 0, slot = p ? p->side[TY_RIGHT].bytes : 0;
        for (const struct contract_made *m = p ? p->made : NULL; m; m = m->next)
            if (m->box->length[TY_RIGHT] > most) most = m->box->length[TY_RIGHT];
        panels += p && p->panels;
        arena_drop(&arena);
        isa_force(isa_best());
        CHECK(p || test_starving(), "%s", fault.text);
        CHECK(most <= slot, "%d columns in boxes of %d: a copy has %d bytes, its slot %d", (int)n, (int)step,
              (int)most, (int)slot);
    }
    CHECK(panels > 0 || test_starving(), "no plan has panels");
}

/* Kept copies have the same bytes, whatever the workspace contained: programs share equal ones. */
static void kept_copies_are_equal(void) {
    enum { DEPTH = 5, N = 67 };
    static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32, TY_I8};
    static const int64_t right[DEPTH * N];
    for (int i = 0; i < 4; i++) {
        ty_contraction c = {0};
        struct arena arena = {0};
        struct fault fault = {0};
        bool made = cut_columns(&c, dtypes[i], DEPTH, N, N, TY_PACK_WHOLE), equal = true;
        CHECK(made || test_starving(), "%s", c.error);
        c.constant[TY_RIGHT] = true;
        struct contract_plan *p = made ? contract_plan_make(&c, NULL, INT64_MAX, &arena, &fault) : NULL;
        size_t bytes = p ? p->kept_bytes : 0, room = p ? p->thread_bytes : 0;
        char *kept[2], *workspace = arena_alloc(&arena, room + CACHE_LINE);
        for (int k = 0; k < 2; k++) kept[k] = arena_alloc(&arena, bytes + 1);
        bool done = p && workspace && kept[0] && kept[1];
        for (int k = 0; done && k < 2; k++) {
            struct contract_call call = {.plan = p, .right = (const char *)right, .kept = kept[k]};
            call.threads = ((uintptr_t)workspace + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
            memset(kept[k], 0, bytes);
            memset(workspace, k ? 0x55 : 0x11, room + CACHE_LINE);
            contract_keep(&call, 1);
            equal = !memcmp(kept[0], kept[k], bytes);
        }
        arena_drop(&arena);
        CHECK((done && bytes > 0) || test_starving(), "nothing is kept: %s", fault.text);
        CHECK(equal, "kept copies of %s depend on the workspace", ty_dtype_name(dtypes[i]));
    }
}

TESTS_MAIN(TEST(blocks_have_room_to_wait), TEST(copies_repay), TEST(lines_that_break_tiles),
           TEST(lines_that_cut_vectors), TEST(windows_of_a_batch), TEST(blocks_go_deeper),
           TEST(boxes_are_searched), TEST(far_ends_are_in_the_plan), TEST(last_boxes_fit_slots),
           TEST(kept_copies_are_equal))
