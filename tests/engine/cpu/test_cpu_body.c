/*
 * Elementwise programs on the cpu engine. A fused program works tile by tile, on operands of any layout, with outputs
 * that may overwrite an input. It must give the bits of its single steps on dense copies, and an element's bits must
 * not depend on its position.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/machine/cache.h"
#include "base/machine/isa.h"
#include "engine/cpu/cpu.h"
#include "engine/engines.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/harness.h"

enum { RANK = 3, INPUTS = 4, STEPS = 12, OUTPUTS = 3, VALUES = INPUTS + STEPS, SLOTS = INPUTS + OUTPUTS };

/* A random program with its operands and the dense values of all steps. */
struct sample {
    int rank, ninputs, nvalues;
    int64_t shape[RANK], strides[RANK], n;
    struct layout_room layouts[INPUTS];
    struct operand inputs[INPUTS], outputs[OUTPUTS];
    void *slots[SLOTS];
    ty_dtype dtypes[VALUES];
    char *dense[VALUES];
    struct instr instrs[STEPS];
    uint16_t results[OUTPUTS];
    struct program program;
    struct arena arena;
};

static size_t bytes_of(const struct sample *s, int value) {
    return (size_t)s->n * ty_dtype_size(s->dtypes[value]);
}

static void fill(ty_dtype dtype, void *data, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        struct element e = {0};
        __real__ e.z = (long double)test_uniform(-5, 5);
        element_store(dtype, (char *)data + i * (int64_t)ty_dtype_size(dtype), TY_C128, e);
    }
}

/* Add an input: dense, or with axes permuted, reversed, repeated or with gaps. */
static void add_input(struct sample *s) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F32, TY_F64, TY_I32, TY_BOOL, TY_U8, TY_F16, TY_C64};
    int v = s->ninputs++;
    ty_dtype dtype = s->dtypes[v] = dtypes[test_between(0, 7)];
    struct layout *l = layout_room_init(&s->layouts[v], s->rank);
    int64_t step = 1, first = test_between(0, RANK - 1), plain = test_between(0, 1), low, high;
    for (int i = s->rank - 1; i >= 0; i--) l->shape[i] = s->shape[i];
    for (int i = s->rank - 1; i >= 0; i--) {
        int axis = plain ? i : (int)((i + first) % s->rank);
        int64_t kind = plain ? 0 : test_between(0, 4);
        l->strides[axis] = kind == 1 ? 0 : kind == 2 ? -step : step;
        if (kind != 1) step *= (l->shape[axis] > 0 ? l->shape[axis] : 1) + (kind == 3);
    }
    layout_extent(l, &low, &high);
    l->offset = test_between(0, 3) - low;
    s->slots[v] = test_room((size_t)(l->offset + high + 1) * ty_dtype_size(dtype));
    fill(dtype, s->slots[v], l->offset + high);
    s->inputs[v] = (struct operand){.slot = v, .dtype = dtype, .layout = *l};
}

/* Copy the elements of an input to a dense row-major array, one at a time. */
static void densify(struct sample *s, int v) {
    const struct layout *l = &s->inputs[v].layout;
    size_t size = ty_dtype_size(s->dtypes[v]);
    struct odometer o = {.rank = l->rank, .shape = l->shape};
    const int64_t *strides[] = {l->strides};
    int64_t at = l->offset;
    s->dense[v] = test_room(bytes_of(s, v) + 1);
    for (int64_t i = 0; i < s->n; i++) {
        memcpy(s->dense[v] + (size_t)i * size, (char *)s->slots[v] + at * (int64_t)size, size);
        odometer_next(&o, 1, strides, &at);
    }
}

/* Add an entry (or the cast) on existing values; false if it does not support their dtypes. */
static bool add_step(struct sample *s) {
    int row = (int)test_between(-1, ROWS - 1), last = s->nvalues - 1;
    const struct op *op = row < 0 ? &op_cast : &row_ops[row];
    struct instr *instr = &s->instrs[s->nvalues - s->ninputs];
    *instr = (struct instr){.op = op};
    for (int k = 0; k < op->arity; k++) instr->src[k] = (uint16_t)test_between(0, last);
    instr->in = s->dtypes[instr->src[op->arity - 1]];
    instr->out =
        row < 0 ? (ty_dtype)test_between(TY_BOOL, TY_C128) : row_result(row_table[row].out, instr->in);
    for (int k = 0; k < op->arity; k++) {
        bool choice = row >= 0 && k == 0 && row_table[row].in == CHOICE;
        if (s->dtypes[instr->src[k]] != (choice ? TY_BOOL : instr->in)) return false;
    }
    cpu_loop loop = cpu_loop_find(op, instr->in, instr->out);
    if (!loop) return false;
    s->dtypes[s->nvalues] = instr->out;
    s->dense[s->nvalues] = test_room(bytes_of(s, s->nvalues) + 1);
    const uint16_t *src = instr->src;
    loop(s->n, s->dense[s->nvalues++], s->dense[src[0]], s->dense[src[op->arity > 1]],
         s->dense[src[op->arity > 2 ? 2 : 0]]);
    return true;
}

/* Add an output, which sometimes overwrites a dense input of the same size. */
static void add_output(struct sample *s, int k, bool *overwritten) {
    int value = s->results[k] = (uint16_t)test_between(0, s->nvalues - 1);
    struct layout l = {s->rank, 0, s->shape, s->strides};
    int slot = INPUTS + k;
    s->slots[slot] = test_room(bytes_of(s, value) + 1);
    for (int v = 0; v < s->ninputs && test_between(0, 1); v++) {
        bool fits = bytes_of(s, v) == bytes_of(s, value) && layout_is_contiguous(&s->inputs[v].layout);
        if (!fits || overwritten[v]) continue;
        overwritten[v] = true;
        s->slots[slot] = s->slots[v];
        l.offset = s->inputs[v].layout.offset;
        break;
    }
    s->outputs[k] = (struct operand){.slot = slot, .dtype = s->dtypes[value], .layout = l};
}

static void make_sample(struct sample *s) {
    bool overwritten[INPUTS] = {false}, large = test_between(0, 15) == 0;
    s->rank = (int)test_between(0, RANK);
    for (int i = 0; i < s->rank; i++) s->shape[i] = test_between(test_between(0, 9) > 0, large ? 60 : 12);
    if (s->rank && test_between(0, 3) == 0) s->shape[s->rank - 1] = test_between(200, 1500); /* long rows */
    s->n = shape_size(s->rank, s->shape);
    shape_row_major(s->rank, s->shape, s->strides);
    for (int64_t i = test_between(1, INPUTS); i > 0; i--) add_input(s);
    for (int v = 0; v < s->ninputs; v++) densify(s, v);
    s->nvalues = s->ninputs;
    int64_t want = s->ninputs + test_between(0, STEPS);
    for (int tries = 0; tries < 1000 && s->nvalues < want; tries++) add_step(s);
    int noutputs = (int)test_between(1, OUTPUTS);
    for (int k = 0; k < noutputs; k++) add_output(s, k, overwritten);
    s->program = (struct program){s->ninputs, s->nvalues - s->ninputs, noutputs, s->instrs, s->results};
}

static void drop_sample(void *sample) { arena_drop(&((struct sample *)sample)->arena); }

/* Return memory for a prepared kernel; NULL if an allocation failed, as requested. */
static void *workspace_of(size_t bytes) { return test_room(bytes + 64); }

/* Check the program's first result in stretches of random length; false if an allocation failed. */
static bool check_values(struct sample *s) {
    struct fault fault = {0};
    struct cpu_body *body =
        cpu_body_prepare(&s->program, false, TY_F32, s->ninputs, s->inputs, 0, NULL, &s->arena, &fault);
    if (!body && test_starving()) return false;
    CHECK(body, "%s", fault.text);
    void *scratch = workspace_of(cpu_body_scratch(body));
    size_t size = ty_dtype_size(cpu_body_dtype(body));
    for (int64_t i = 0, n; i < s->n; i += n) {
        n = test_between(1, CPU_TILE);
        if (n > s->n - i) n = s->n - i;
        const char *got = cpu_body_values(body, s->slots, scratch, i, n), *want = s->dense[s->results[0]];
        CHECK(!memcmp(got, want + (size_t)i * size, (size_t)n * size), "elements %d.. of %d", (int)i,
              (int)s->n);
    }
    return true;
}

static bool check_map(struct sample *s) {
    struct fault fault = {0};
    struct kernel kernel = {.kind = KERNEL_MAP,
                            .core_dtype = s->outputs[0].dtype,
                            .ninputs = s->ninputs,
                            .ncore = s->ninputs,
                            .noutputs = s->program.noutputs,
                            .inputs = s->inputs,
                            .outputs = s->outputs,
                            .program = &s->program};
    bool ready = cpu_engine.prepare(&kernel, &s->arena, &fault);
    if (!ready && test_starving()) return false;
    CHECK(ready, "%s", fault.text);
    CHECK(cpu_engine.launch(&kernel, s->slots, workspace_of(kernel.workspace), &fault), "%s", fault.text);
    for (int k = 0; k < s->program.noutputs; k++) {
        const char *got = s->slots[s->outputs[k].slot];
        got += s->outputs[k].layout.offset * (int64_t)ty_dtype_size(s->outputs[k].dtype);
        CHECK(!memcmp(got, s->dense[s->results[k]], bytes_of(s, s->results[k])),
              "output %d of %d, %d elements", k, s->program.noutputs, (int)s->n);
    }
    return true;
}

static void fused_is_step_by_step(void) {
    for (int i = 0; i < (test_starving() ? 3 : 1500); i++) {
        struct test_round round = test_round();
        struct sample *s = test_own(test_room(sizeof *s), drop_sample);
        isa_force((enum isa)test_between(0, isa_best()));
        ty_set_threads((int)test_between(1, 3));
        cache_force(test_between(0, 2) ? 0 : 1); /* 1: every output uses non-temporal stores */
        make_sample(s);
        if (check_values(s)) check_map(s);
        cache_force(0);
        test_round_end(round);
    }
}

/* Results for small and large arguments do not depend on their neighbours. */
static void neighbours_do_not_matter(void) {
    enum { N = 500 };
    static float a[N], b[N], all[N], one;
    for (int i = 0; i < N; i++) {
        a[i] = (float)ldexp(test_uniform(-1, 1), (int)test_between(-20, test_between(2, 60)));
        b[i] = i % 50 ? (float)test_uniform(-4, 4) : INFINITY;
    }
    for (int isa = 0; isa <= (int)isa_best(); isa++)
        for (int row = 0; row < ROWS; row++) {
            isa_force((enum isa)isa);
            cpu_loop loop = cpu_loop_find(&row_ops[row], TY_F32, TY_F32);
            if (!loop || row_table[row].out == BOOL || row_ops[row].arity > 2) continue;
            loop(N, all, a, b, b);
            for (int i = 0; i < N; i++) {
                loop(1, &one, &a[i], &b[i], b);
                CHECK(!memcmp(&one, &all[i], sizeof one), "%s %s of %g, %g", isa_name((enum isa)isa),
                      row_ops[row].name, (double)a[i], (double)b[i]);
            }
        }
}

/* Casts of arrays equal element.c's cast of one element, for every pair of dtypes. */
static void casts_are_those_of_one_element(void) {
    static const double numbers[] = {0,
                                     -0.0,
                                     NAN,
                                     INFINITY,
                                     -INFINITY,
                                     1e-40,
                                     1e300,
                                     127.5,
                                     -128.9,
                                     255.9,
                                     256,
                                     -1,
                                     32768,
                                     65519.99,
                                     65520,
                                     2147483647.5,
                                     -2147483649.,
                                     4294967296.,
                                     9.3e18,
                                     1.9e19,
                                     2.98e-8,
                                     2.9802322387695313e-8,
                                     1.00048828125,
                                     1.000488281250001,
                                     1.00390625,
                                     1.0019531250000002,
                                     3.4028236e38,
                                     0.5,
                                     -7.5,
                                     100};
    enum { N = sizeof numbers / sizeof *numbers };
    static char from[N * 16], got[N * 16], want[16];
    for (int a = 0; a < TY_DTYPES; a++)
        for (int b = 0; b < TY_DTYPES; b++) {
            size_t size_a = ty_dtype_size((ty_dtype)a), size_b = ty_dtype_size((ty_dtype)b);
            for (int i = 0; i < N; i++)
                element_store((ty_dtype)a, from + (size_t)i * size_a, TY_F64,
                              (struct element){.z = numbers[i]});
            cpu_loop_find(&op_cast, (ty_dtype)a, (ty_dtype)b)(N, got, from, from, from);
            for (int i = 0; i < N; i++) {
                struct element e = element_load((ty_dtype)a, from + (size_t)i * size_a);
                element_store((ty_dtype)b, want, (ty_dtype)a, e);
                bool nan = dtype_is((ty_dtype)b, CLASS_FLOAT | CLASS_COMPLEX) && e.z != e.z;
                CHECK(nan || !memcmp(want, got + (size_t)i * size_b, size_b), "%s to %s of %g",
                      ty_dtype_name((ty_dtype)a), ty_dtype_name((ty_dtype)b), numbers[i]);
            }
        }
}

TESTS_MAIN(TEST(fused_is_step_by_step), TEST(neighbours_do_not_matter), TEST(casts_are_those_of_one_element))
