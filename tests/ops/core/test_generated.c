/*
 * Generated cases: every entry of elementwise.def and every structural operator, in every supported dtype. Operands
 * have random shapes and layouts (permuted, strided, negative, broadcast, offset, 0-d, empty). They run on the
 * reference and on every instruction set; lazily and in place with the same bits as eagerly. There are about 200,000
 * comparisons, a twentieth with TY_TEST_QUICK=1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine/isa.h"
#include "tests/support/compare.h"
#include "tests/support/explain.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/sample.h"

enum { MOST_AXES = 4, ROW_ROUNDS = 48, OPERATOR_ROUNDS = 24 };

static int rounds(int n) {
    const char *quick = getenv("TY_TEST_QUICK");
    return test_starving() ? 1 : quick && *quick == '1' ? (n + 19) / 20 : n;
}

/* ---- shapes and layouts ------------------------------------------------------------------------------ */

struct shape {
    int rank;
    int64_t sizes[MOST_AXES];
};

static struct shape random_shape(void) {
    static const int64_t sizes[] = {1, 2, 3, 3, 4, 5, 7, 9, 17, 33};
    struct shape s = {.rank = (int)test_between(0, MOST_AXES)};
    int64_t total = 1;
    for (int i = 0; i < s.rank; i++) {
        s.sizes[i] = sizes[test_between(0, 9)];
        if (test_between(0, 39) == 0) s.sizes[i] = 0;
        if (total * s.sizes[i] > 700) s.sizes[i] = 1;
        total *= s.sizes[i];
    }
    return s;
}

/* Return a tensor of the shape with axes in random order and direction, with gaps, some axes repeated. */
static ty_tensor *scattered(ty_dtype dtype, const struct shape *s, double low, double high) {
    int order[MOST_AXES], back[MOST_AXES];
    int64_t memory[MOST_AXES], steps[MOST_AXES], offsets[MOST_AXES];
    for (int i = 0; i < s->rank; i++) order[i] = i;
    for (int i = s->rank - 1; i > 0; i--) {
        int k = (int)test_between(0, i), kept = order[i];
        order[i] = order[k];
        order[k] = kept;
    }
    for (int i = 0; i < s->rank; i++) {
        int axis = order[i];
        back[axis] = i;
        steps[axis] = test_between(0, 2) ? 1 : test_between(2, 3);
        offsets[axis] = test_between(0, 2) ? 0 : test_between(1, 2);
        if (test_between(0, 5) == 0) steps[axis] = 0; /* repeated */
        memory[i] = steps[axis] ? offsets[axis] + s->sizes[axis] * steps[axis] : 1;
    }
    ty_tensor *x = ty_permute(sample_shape(dtype, s->rank, memory, low, high), back);
    for (int i = 0; i < s->rank; i++) {
        if (!steps[i]) continue;
        int64_t stop = offsets[i] + s->sizes[i] * steps[i];
        x = ty_slice(x, i, offsets[i], stop, steps[i]);
        if (test_between(0, 3) == 0) x = ty_flip(x, i);
    }
    return ty_broadcast(x, s->rank, s->sizes);
}

static ty_tensor *placed(ty_dtype dtype, const struct shape *s, double low, double high) {
    return test_between(0, 3) ? scattered(dtype, s, low, high)
                              : sample_shape(dtype, s->rank, s->sizes, low, high);
}

/* Return s, or a shape that broadcasts with it. */
static struct shape partner(const struct shape *s) {
    struct shape p = *s;
    if (test_between(0, 2)) return p;
    int cut = (int)test_between(0, p.rank);
    if (test_between(0, 1)) {
        for (int i = cut; i < p.rank; i++) p.sizes[i - cut] = p.sizes[i];
        p.rank -= cut;
    }
    for (int i = 0; i < p.rank; i++)
        if (test_between(0, 3) == 0) p.sizes[i] = 1;
    return p;
}

/* ---- elementwise entries
   --------------------------------------------------------------------------------- */

struct operands {
    enum row_id row;
    int n;
    ty_tensor *x[3];
};

static void explain_operands(const void *context, char *out, size_t size) {
    const struct operands *o = context;
    for (int i = 0; i < o->n; i++) explain_tensor(out, size, (const char *[]){"a", "b", "c"}[i], o->x[i]);
}

static ty_tensor *apply(const struct operands *o, ty_tensor *const *x) {
    return elementwise(o->row, o->n, x);
}

/* A promise gives the same bits, alone and fused with another operator. */
static void check_lazy(const struct operands *o, ty_tensor *eager, const char *words) {
    ty_tensor *promises[3];
    for (int i = 0; i < o->n; i++) promises[i] = ty_lazy(o->x[i]);
    compare_bits(ty_eval(apply(o, promises)), eager, "%s lazily", words);
    ty_tensor *fused =
        ty_eval(ty_where(ty_eq(apply(o, promises), apply(o, promises)), apply(o, promises), ty_num(0)));
    compare_bits(fused, ty_where(ty_eq(eager, eager), eager, ty_num(0)), "%s fused", words);
}

/* The bits stay the same if the output overwrites its first operand. */
static void check_in_place(const struct operands *o, ty_tensor *eager, const char *words) {
    ty_tensor *x[3] = {o->x[0], o->x[1], o->x[2]};
    int at = o->n == 3 && ty_dtype_of(x[0]) != ty_dtype_of(eager);
    bool fits =
        ty_dtype_of(x[at]) == ty_dtype_of(eager) && ty_rank(x[at]) == ty_rank(eager) && ty_size(eager) > 0;
    for (int i = 0; fits && i < ty_rank(eager); i++) fits = ty_shape(x[at])[i] == ty_shape(eager)[i];
    if (!fits) return;
    ty_tensor *v = x[at] = ty_var(x[at], "v"), *y = apply(o, x), *sum = ty_sum(ty_ne(v, v), TY_ALL);
    ty_compile_options options = {.updates = &(ty_update){v, y}, .nupdates = 1};
    ty_program *program = test_program(ty_compile(1, &sum, options));
    CHECK(ty_run(program) || test_starving(), "%s in place: %s", words, ty_program_error(program));
    if (!test_starving()) compare_bits(ty_eval(v), eager, "%s in place", words);
}

static void row_once(enum row_id row, ty_dtype dtype) {
    struct test_round round = test_round();
    struct shape shape = random_shape();
    struct operands o = {.row = row, .n = row_ops[row].arity};
    char words[96];
    for (int i = 0; i < o.n; i++) {
        struct shape s = i ? partner(&shape) : shape;
        o.x[i] = placed(row_operand_dtype(row, dtype, i), &s, row_table[row].low, row_table[row].high);
    }
    snprintf(words, sizeof words, "%s %s, rank %d", row_ops[row].name, ty_dtype_name(dtype), shape.rank);
    test_explain(explain_operands, &o);
    row_check(row, dtype, o.x, words);
    ty_tensor *eager = CHECK_OK(apply(&o, o.x));
    check_lazy(&o, eager, words);
    check_in_place(&o, eager, words);
    test_round_end(round);
}

static void rows(void) {
    for (int round = 0; round < rounds(ROW_ROUNDS); round++) {
        if (round % 2) test_draw_tiles(); /* half of the cases cross borders of tiles */
        for (int row = 0; row < ROWS; row++)
            for (int dtype = 0; dtype < TY_DTYPES; dtype++)
                if (row_takes((enum row_id)row, (ty_dtype)dtype)) row_once((enum row_id)row, (ty_dtype)dtype);
    }
}

/* ---- structural operators
 * ----------------------------------------------------------------------------------- */

struct use {
    const struct operator_sample *sample;
    ty_tensor *x;
};

static void explain_use(const void *context, char *out, size_t size) {
    explain_tensor(out, size, "x", ((const struct use *)context)->x);
}

static ty_tensor *compute(const void *context) {
    const struct use *use = context;
    return use->sample->run(use->x);
}

/* Check one use of an operator; the sample's operand has the shape [1,4,4,1]. */
static void operator_once(const struct operator_sample *sample, ty_dtype dtype) {
    struct test_round round = test_round();
    struct shape shape = {4, {1, 4, 4, 1}};
    struct use use = {sample, placed(dtype, &shape, -3, 3)};
    test_explain(explain_use, &use);
    ty_use_engine("ref");
    bool takes = ty_ok(compute(&use));
    ty_use_engine("cpu");
    ty_tensor *eager = compute(&use);
    CHECK(takes == ty_ok(eager) || test_starving(), "%s %s: the engines disagree: %s", sample->name,
          ty_dtype_name(dtype), ty_error(eager));
    if (takes && ty_ok(eager)) {
        double relative = 32 * relative_ulp(ty_dtype_of(eager));
        compare_engines(compute, &use, relative, relative, "%s %s", sample->name, ty_dtype_name(dtype));
        ty_tensor *lazy = ty_eval(sample->run(ty_lazy(use.x)));
        compare_near(lazy, eager, relative, relative, "%s %s lazily", sample->name, ty_dtype_name(dtype));
    }
    test_round_end(round);
}

static void operators(void) {
    for (int round = 0; round < rounds(OPERATOR_ROUNDS); round++)
        for (int i = 0; i < operator_sample_count; i++)
            for (int dtype = 0; dtype < TY_DTYPES; dtype++)
                operator_once(&operator_samples[i], (ty_dtype)dtype);
}

static void count(void) {
    if (!test_starving()) printf("generated cases: %lld\n", (long long)compare_count());
}

TESTS_MAIN(TEST(rows), TEST(operators), TEST(count))
