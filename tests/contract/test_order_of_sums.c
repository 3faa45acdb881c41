/*
 * Products and convolutions have the same bits on all machines: for caches, processors, instruction sets with fused
 * multiply-adds, threads, workspaces, constant operands and epilogues of all kinds.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/machine/cache.h"
#include "base/machine/core.h"
#include "base/machine/isa.h"
#include "base/machine/levels.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"
#include "tests/support/samples/sample.h"

/* ---- machines ---- */

enum { KIB = 1024 };

/* A machine, and how a program uses the product. */
static const struct machine {
    int64_t first, second, third; /* bytes of caches; third 0: this machine's */
    int core;
    bool narrow; /* AVX2, if this machine has wider vectors */
    int threads;
    int64_t workspace;
    int constant; /* bit set of constant operands */
    bool epilogue;
} machines[] = {
    {32 * KIB, 1024 * KIB, 0, CORE_ZEN_4, false, 1, 0, 0, false},
    {32 * KIB, 256 * KIB, 0, CORE_USUAL, true, 1, 0, 0, false},
    {32 * KIB, 512 * KIB, 0, CORE_ZEN_3, false, 2, 0, 0, true},
    {48 * KIB, 2048 * KIB, 0, CORE_USUAL, false, 3, 0, 1, false},
    {64 * KIB, 1024 * KIB, 1, CORE_ZEN_5, true, 4, 0, 2, false},
    {48 * KIB, 2048 * KIB, 0, CORE_ZEN_5, false, 8, 64 * KIB, 0, false},
    {32 * KIB, 512 * KIB, 1, CORE_ZEN_3, true, 5, 1 << 20, 1, true},
    {32 * KIB, 256 * KIB, 0, CORE_USUAL, false, 1, 1, 2, true},
    {4 * KIB, 32 * KIB, 1, CORE_USUAL, false, 6, 0, 1, false},
};
enum { MACHINES = sizeof machines / sizeof *machines };

static void become(const struct machine *m) {
    level_force(LEVEL_FIRST, m->first);
    level_force(LEVEL_SECOND, m->second);
    level_force(LEVEL_SECOND_WAY, m->second / 8);
    cache_force((size_t)m->third);
    core_force(m->core);
    isa_force(m->narrow ? ISA_AVX2 : isa_best());
    ty_set_threads(m->threads);
    ty_set_workspace(m->workspace);
    ty_trim(); /* kernels prepared for another machine would be found again */
}

/* ---- products ---- */

/* Part of a product that is computed: the product, or its gradient by an operand. */
enum part { WHOLE, BY_A, BY_B, PARTS };

/* A product or convolution of a and b. With an equation it is that einsum, else a convolution. */
struct product {
    const char *equation;
    ty_conv conv;
    ty_tensor *a, *b, *weights; /* weights: of the results, in gradients */
    enum part part;
};

static ty_tensor *multiply(const struct product *p, ty_tensor *a, ty_tensor *b) {
    return p->equation ? ty_einsum(p->equation, a, b) : ty_conv2d(a, b, p->conv);
}

/* Return the promise of a part of the product; a bit set of operands are `constant`. */
static ty_tensor *record(const struct product *p, int constant, bool epilogue) {
    bool gradient = p->part != WHOLE;
    ty_tensor *a = constant & 1 && !gradient ? p->a : ty_var(p->a, "a"),
              *b = constant & 2 && !gradient ? p->b : ty_var(p->b, "b"), *y = multiply(p, a, b);
    if (gradient) {
        ty_tensor *loss = ty_sum(ty_mul(y, constant ? p->weights : ty_var(p->weights, "weights")), TY_ALL);
        ty_grad(loss, 1, p->part == BY_A ? &a : &b, &y);
    }
    return epilogue ? ty_add(y, ty_abs(y)) : y;
}

/* Return the part of p that machine m computes in a program; NULL: an allocation failed. */
static ty_tensor *run_on(const struct product *p, const struct machine *m) {
    become(m);
    ty_tensor *y = record(p, m->constant, m->epilogue);
    ty_program *program = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    bool done = ty_run(program);
    CHECK(done || test_starving(), "%s", ty_program_error(program));
    return done ? ty_output(program, 0) : NULL;
}

/* Check that all machines compute the same bits. `what` names the case. */
static void prove(const struct product *p, const char *what) {
    ty_tensor *want = NULL;
    for (int i = 0; i < MACHINES; i++) {
        ty_tensor *got = run_on(p, &machines[i]);
        if (!got) return;
        if (i == 0) want = got;
        compare_bits(got, machines[i].epilogue ? ty_add(want, ty_abs(want)) : want, "%s, part %d, machine %d",
                     what, (int)p->part, i);
    }
}

/* Return random values for the letters up to `end`, with sizes as in "m16 n32". */
static ty_tensor *operand(ty_dtype dtype, const char *sizes, const char *letters, const char *end) {
    int64_t shape[TY_MAX_RANK];
    int rank = 0;
    for (; letters < end; letters++) shape[rank++] = atoll(strchr(sizes, *letters) + 1);
    return sample_shape(dtype, rank, shape, -1, 1);
}

static void prove_equation(const char *equation, const char *sizes, ty_dtype dtype) {
    const char *comma = strchr(equation, ','), *arrow = strchr(equation, '-');
    struct test_round round = test_round();
    char what[128];
    snprintf(what, sizeof what, "%s %s %s", ty_dtype_name(dtype), equation, sizes);
    struct product p = {.equation = equation,
                        .a = operand(dtype, sizes, equation, comma),
                        .b = operand(dtype, sizes, comma + 1, arrow)};
    prove(&p, what);
    test_round_end(round);
}

/* ---- tests ---- */

static const ty_dtype floats[] = {TY_F32, TY_F64, TY_F16, TY_BF16, TY_C64, TY_C128};

/* Products whose K, rows or columns exceed caches, with one, two and three summed axes. */
static void products(void) {
    static const struct {
        const char *equation, *sizes;
    } cases[] = {
        {"mk,kn->mn", "m16 k20000 n32"},
        {"mk,kn->mn", "m300 k700 n250"},
        {"km,nk->nm", "m130 k1500 n70"},
        {"mk,k->m", "m70 k9000"},
        {"mk,k->m", "m3 k30000"},
        {"km,k->m", "m100 k3000"},
        {"k,kn->n", "k5000 n200"},
        {"mk,kn->mn", "m1 k100 n40"},
        {"mk,kn->mn", "m4 k5000 n12"},
        {"bmk,bkn->bmn", "b5 m40 k900 n30"},
        {"bmk,bkn->bmn", "b24 m3 k70 n2"},
        {"mbk,kbn->bmn", "b40 m1 k300 n1"},
        {"cad,dcb->ab", "a40 b50 c60 d70"},
        {"acd,dbc->ab", "a40 b50 c90 d60"},
        {"adec,ebd->abc", "a10 b12 c16 d40 e60"},
        {"aebf,fdec->abcd", "a6 b7 c8 d9 e40 f50"},
        {"eafd,fbec->abcd", "a6 b7 c8 d9 e40 f50"},
        {"aecf,gfeb->abcg", "a5 b6 c7 e30 f60 g9"},
        {"xayz,zbyx->ab", "a30 b40 x20 y16 z18"},
        {"ayz,zy->a", "a20 y90 z80"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int d = 0; d < test_some(i % 6 == 5 ? 6 : 2, 2, 1); d++)
            prove_equation(cases[i].equation, cases[i].sizes, floats[d]);
}

static void prove_conv(ty_dtype dtype, int64_t batch, int64_t size, int64_t channels, int64_t filters,
                       int64_t taps, int64_t stride, int64_t dilation, int64_t groups, bool nchw) {
    struct test_round round = test_round();
    int64_t low = taps / 2 * dilation, each = channels / groups;
    char what[160];
    snprintf(what, sizeof what, "%s %d x %d^2 x %d > %d, %d taps, stride %d, dilation %d, groups %d%s",
             ty_dtype_name(dtype), (int)batch, (int)size, (int)channels, (int)filters, (int)taps, (int)stride,
             (int)dilation, (int)groups, nchw ? ", channels first" : "");
    struct product p = {.conv = {.nchw = nchw,
                                 .stride = {stride, stride},
                                 .dilation = {dilation, dilation},
                                 .low = {low, low},
                                 .high = {low, low},
                                 .groups = groups}};
    p.a = sample_shape(
        dtype, 4, nchw ? (int64_t[]){batch, channels, size, size} : (int64_t[]){batch, size, size, channels},
        -1, 1);
    p.b = sample_shape(dtype, 4,
                       nchw ? (int64_t[]){filters, each, taps, taps} : (int64_t[]){taps, taps, each, filters},
                       -1, 1);
    become(&machines[0]);
    p.weights = ty_neg(multiply(&p, p.a, p.b));
    for (p.part = WHOLE; p.part < PARTS; p.part++) prove(&p, what);
    test_round_end(round);
}

/* Windows with padding, strides, dilation and groups, and their gradients. */
static void convolutions(void) {
    static const struct {
        int64_t batch, size, channels, filters, taps, stride, dilation, groups;
    } cases[] = {
        {1, 7, 512, 512, 3, 1, 1, 1}, {1, 14, 200, 64, 3, 2, 1, 1}, {1, 15, 3, 64, 7, 2, 1, 1},
        {1, 28, 70, 40, 3, 1, 1, 1},  {2, 9, 130, 5, 3, 1, 4, 1},   {3, 12, 48, 48, 3, 1, 1, 48},
        {1, 28, 24, 24, 5, 2, 1, 24}, {2, 10, 64, 32, 3, 1, 1, 4},  {2, 40, 10, 12, 5, 1, 1, 1},
        {1, 30, 12, 12, 7, 1, 1, 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int n = 0; n < test_some(i < 3 ? 3 : 2, 1, 1); n++)
            prove_conv(n & 2 ? TY_F64 : TY_F32, cases[i].batch, cases[i].size, cases[i].channels,
                       cases[i].filters, cases[i].taps, cases[i].stride, cases[i].dilation, cases[i].groups,
                       n & 1);
}

/* Append the letters of `from` to `to` in random order. */
static void shuffled(char *to, const char *from) {
    size_t n = strlen(from);
    memcpy(to, from, n + 1);
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)test_between(0, (int64_t)i - 1);
        char x = to[i - 1];
        to[i - 1] = to[j];
        to[j] = x;
    }
}

/* Small contractions of random axes, on machines with small caches drawn at random. */
static void random_contractions(void) {
    static const char *const batches[] = {"", "", "b"}, *const rows[] = {"", "m", "mp"},
                             *const columns[] = {"", "n", "nq"}, *const sums[] = {"k", "kl", "kl", "klj"};
    for (int i = 0; i < test_some(1500, 150, 2); i++) {
        struct test_round round = test_round();
        char part[3][16], letters[3][16], equation[64], sizes[128] = "";
        const char *batch = batches[test_between(0, 2)], *row = rows[test_between(0, 2)],
                   *column = columns[test_between(0, 2)], *sum = sums[test_between(0, 3)];
        snprintf(part[0], sizeof part[0], "%s%s%s", batch, row, sum);
        snprintf(part[1], sizeof part[1], "%s%s%s", batch, sum, column);
        snprintf(part[2], sizeof part[2], "%s%s%s", batch, row, column);
        for (int side = 0; side < 3; side++) shuffled(letters[side], part[side]);
        snprintf(equation, sizeof equation, "%s,%s->%s", letters[0], letters[1], letters[2]);
        for (const char *at = "bmpnqklj"; *at; at++) {
            int64_t most = strchr("klj", *at) ? (strlen(sum) > 2 ? 14 : 40) : *at == 'b' ? 4 : 9;
            snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%c%d ", *at,
                     (int)test_between(2, most));
        }
        ty_dtype dtype = floats[test_between(0, 5)];
        struct product p = {.equation = equation,
                            .a = operand(dtype, sizes, letters[0], letters[0] + strlen(letters[0])),
                            .b = operand(dtype, sizes, letters[1], letters[1] + strlen(letters[1]))};
        ty_tensor *want = run_on(&p, &machines[0]);
        for (int k = 0; want && k < 4; k++) {
            struct machine m = machines[test_between(0, MACHINES - 1)];
            m.first = 256 << test_between(0, 6);
            m.second = m.first * (4 << test_between(0, 2));
            m.epilogue = false;
            ty_tensor *got = run_on(&p, &m);
            if (got)
                compare_bits(got, want, "%s %s %s, L1 of %d", ty_dtype_name(dtype), equation, sizes,
                             (int)m.first);
        }
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(products), TEST(convolutions), TEST(random_contractions))
