/*
 * Right packed by multiplying kernels (contract_carry.c): hand-made loops of all kinds around boxes of several slivers
 * of columns. The last ones are narrower, shorter or lower, so that the panel carried for the next box is sometimes not
 * the next one. Sums of small integers are exact. Thus every instruction set, machine code or tables, and any number of
 * threads must equal a plain loop to the bit. Operands begin or end at inaccessible pages.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include "contract/configuration.h"
#include <tyto/tyto.h>
#include "array/dtype.h"
#include "base/machine/isa.h"
#include "engine/cpu/gemm/brgemm.h"
#include "tests/support/harness.h"

enum { PAGE = 1 << 16, ROOM = 1 << 21, M = 0, A = 1, N = 2, K = 3, LETTERS = 4 };

struct product {
    char equation[32];
    int64_t size[LETTERS], stride[3][LETTERS], shape[3][LETTERS];
    int rank[3];
    ty_dtype dtype;
    char *data[3];
    double *want;
};

static const char letters[] = "mank";

/* Lay out a row-major operand with these letters, next to an inaccessible page before or after it. */
static void lay(struct product *p, int side, const char *text, char *room) {
    int64_t step = 1;
    memset(p->stride[side], 0, sizeof p->stride[side]);
    p->rank[side] = (int)strlen(text);
    for (int i = p->rank[side] - 1; i >= 0; i--) {
        int letter = (int)(strchr(letters, text[i]) - letters);
        p->shape[side][i] = p->size[letter];
        p->stride[side][letter] = step;
        step *= p->size[letter];
    }
    int64_t bytes = step * (int64_t)ty_dtype_size(p->dtype);
    CHECK(bytes <= ROOM, "%lld bytes", (long long)bytes);
    p->data[side] = test_between(0, 1) ? room : room + ROOM - bytes;
}

static double number(const struct product *p, int side, int64_t at) {
    return p->dtype == TY_F32   ? (double)((const float *)p->data[side])[at]
           : p->dtype == TY_F64 ? ((const double *)p->data[side])[at]
                                : (double)((const int32_t *)p->data[side])[at];
}

static void fill(struct product *p, int side) {
    int64_t n = 1;
    for (int i = 0; i < p->rank[side]; i++) n *= p->shape[side][i];
    for (int64_t i = 0; i < n; i++) {
        int x = (int)test_between(-3, 3);
        if (p->dtype == TY_F32) ((float *)p->data[side])[i] = (float)x;
        if (p->dtype == TY_F64) ((double *)p->data[side])[i] = x;
        if (p->dtype == TY_I32) ((int32_t *)p->data[side])[i] = x;
    }
}

static void multiply(struct product *p) {
    const int64_t *l = p->stride[0], *r = p->stride[1], *o = p->stride[2];
    for (int64_t m = 0; m < p->size[M]; m++)
        for (int64_t a = 0; a < p->size[A]; a++)
            for (int64_t n = 0; n < p->size[N]; n++) {
                double sum = 0;
                for (int64_t k = 0; k < p->size[K]; k++)
                    sum += number(p, 0, m * l[M] + k * l[K]) * number(p, 1, k * r[K] + a * r[A] + n * r[N]);
                p->want[m * o[M] + a * o[A] + n * o[N]] = sum;
            }
}

static void set_product(struct product *p, char *const room[3], double *want) {
    static const char *const lefts[] = {"mk", "km"}, *const outs[] = {"man", "mna", "nma"};
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32};
    const char *left = lefts[test_between(0, 1)], *out = outs[test_between(0, 3) % 3];
    p->dtype = dtypes[test_between(0, 2)];
    p->size[M] = test_between(1, 90), p->size[K] = test_between(1, 150);
    p->size[A] = test_between(0, 1) ? 1 : test_between(2, 5);
    p->size[N] = test_between(0, 1) ? 64 * test_between(1, 4) : test_between(20, 260);
    p->want = want;
    snprintf(p->equation, sizeof p->equation, "%s,kan->%s", left, out);
    lay(p, 0, left, room[0]), lay(p, 1, "kan", room[1]), lay(p, 2, out, room[2]);
    fill(p, 0), fill(p, 1);
    multiply(p);
}

/* Return a step that divides the size into a few parts, with or without a remainder. */
static int64_t some_of(int64_t size, ty_dim_type type) {
    int64_t least = type == TY_DIM_N ? 64 : 1, parts = test_between(1, 4);
    int64_t step = (size - 1) / parts + 1 + test_between(0, 3);
    return step < least ? size < least ? size : least : step > size ? size : step;
}

/* Set loops in random order, the outermost shared; some dimensions have two. */
static void set_loops(ty_contraction *c) {
    int64_t inner[TY_CONTRACTION_DIMS];
    bool shared = true;
    c->nloops = 0;
    c->spans = 0;
    for (int d = 0; d < c->ndims; d++) inner[d] = c->dims[d].size;
    for (int i = (int)test_between(0, 2 * c->ndims); i > 0; i--) {
        int d = (int)test_between(0, c->ndims - 1);
        int64_t step = some_of(inner[d], c->dims[d].type);
        if (step >= inner[d]) continue;
        shared = shared && c->dims[d].type != TY_DIM_K && test_between(0, 2);
        c->loops[c->nloops++] = (ty_loop){d, shared ? TY_EXEC_SHARED : TY_EXEC_SEQUENTIAL, step};
        inner[d] = step;
    }
    int around = c->nloops;
    for (int d = 0; d < c->ndims; d++) c->loops[c->nloops++] = (ty_loop){d, TY_EXEC_PRIMITIVE, inner[d]};
    for (int side = 0; side < 2; side++) {
        c->packing[side].kind = side == 1 || test_between(0, 1) ? TY_PACK_PANELS : TY_PACK_NONE;
        c->packing[side].loop = (int)test_between(-1, around - 1);
    }
}

static void release_plan(void *plan) { ty_contraction_plan_release(plan); }

static void check_run(const struct product *p, const ty_contraction *c, const char *how) {
    int64_t n = p->size[M] * p->size[A] * p->size[N];
    memset(p->data[2], 0xff, (size_t)n * ty_dtype_size(p->dtype));
    ty_contraction_plan *plan = test_own(ty_contraction_compile(c), release_plan);
    if (test_starving() && (!plan || *ty_contraction_plan_error(plan))) return;
    bool done = ty_contraction_run(plan, p->data[0], p->data[1], p->data[2]);
    CHECK(done || test_starving(), "%s", ty_contraction_plan_error(plan));
    for (int64_t i = 0; done && i < n; i++)
        if (number(p, 2, i) != p->want[i]) {
            char *text = test_own(ty_contraction_text(c), ty_free);
            CHECK(false, "%s of %s on %s, %s: element %lld is %g, not %g\n%s", p->equation,
                  ty_dtype_name(p->dtype), ty_isa(), how, (long long)i, number(p, 2, i), p->want[i],
                  text ? text : "");
        }
}

static void any_loops(void) {
    static double want[ROOM / 4];
    char *room[3];
    char *all = mmap(NULL, 3 * (ROOM + PAGE) + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(all != MAP_FAILED, "no memory for operands");
    for (int i = 0; i < 3; i++) {
        room[i] = all + PAGE + i * (ROOM + PAGE);
        CHECK(!mprotect(room[i], ROOM, PROT_READ | PROT_WRITE), "mprotect fails");
    }
    for (int i = 0; i < (test_starving() ? 2 : 400); i++) {
        struct test_round round = test_round();
        struct product p;
        ty_contraction c;
        set_product(&p, room, want);
        ty_contraction_operand o[2];
        for (int side = 0; side < 2; side++)
            o[side] = (ty_contraction_operand){p.dtype, p.rank[side], p.shape[side], NULL, 0};
        isa_force(test_between(0, 3) ? isa_best() : (enum isa)test_between(0, (int)isa_best()));
        if (contraction_from(&c, p.equation, &o[0], &o[1], NULL) && ty_contraction_optimise(&c, 1)) {
            set_loops(&c);
            CHECK(ty_contraction_check(&c, NULL), "%s", c.error);
            ty_set_threads((int)test_between(1, 3));
            brgemm_force_jit(true);
            check_run(&p, &c, "machine code");
            brgemm_force_jit(false);
            check_run(&p, &c, "tables");
            brgemm_force_jit(true);
        }
        test_round_end(round);
    }
    isa_force(isa_best());
    munmap(all, 3 * (ROOM + PAGE) + PAGE);
}

TESTS_MAIN(TEST(any_loops))
