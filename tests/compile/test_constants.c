/* Constants of a program: which parts may be computed before it runs. */
#include <string.h>
#include <tyto/dlpack.h>
#include "compile/program.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static bool well(ty_program *p) {
    const char *error = ty_program_error(p);
    CHECK(!*error || (test_starving() && strstr(error, "memory")), "the program says: %s", error);
    return !*error;
}

static double item(ty_tensor *x) { return ty_item(ty_at(x, "0")); }

/* ---- borrowed memory ---- */

/* Expressions of a variable v of ones and of b, whose elements are all equal, with their value. */
static ty_tensor *twice(ty_tensor *v, ty_tensor *b) { return ty_add(v, ty_mul(ty_num(2), b)); }
static ty_tensor *viewed(ty_tensor *v, ty_tensor *b) { return ty_add(v, ty_mul(ty_num(2), ty_flip(b, 0))); }
static ty_tensor *reduced(ty_tensor *v, ty_tensor *b) {
    return ty_add(v, ty_mul(ty_num(2), ty_broadcast(ty_amax(b, TY_ALL), TY_SHAPE(4))));
}
/* 1 * b equals b only while b is 1: no identity may apply */
static ty_tensor *neutral(ty_tensor *v, ty_tensor *b) { return ty_add(ty_mul(v, b), b); }
static ty_tensor *merged(ty_tensor *v, ty_tensor *b) { /* has two equal constants at first */
    return ty_add(ty_add(v, b), ty_mul(ty_lazy(ty_ones(TY_F32, TY_SHAPE(4))), b));
}
static const struct {
    const char *name;
    ty_tensor *(*of)(ty_tensor *v, ty_tensor *b);
    double base, slope;
    bool meets; /* b has promises as operands only, so that values are also read at run time */
} uses[] = {{"twice", twice, 1, 2, false},
            {"viewed", viewed, 1, 2, false},
            {"reduced", reduced, 1, 2, false},
            {"neutral", neutral, 0, 2, true},
            {"merged", merged, 1, 2, true}};
enum { USES = sizeof uses / sizeof *uses };

/* Origins of b: borrowed memory, a view of it, memory that we export. */
static ty_tensor *borrowed(float *memory) { return ty_borrow(TY_F32, TY_SHAPE(4), memory, NULL, NULL); }
static ty_tensor *part(float *memory) {
    return ty_slice(ty_borrow(TY_F32, TY_SHAPE(8), memory, NULL, NULL), 0, 0, 4, 1);
}

static void set(float *memory, float value) {
    for (int i = 0; i < 8; i++) memory[i] = value;
}

static void check_use(int i, ty_tensor *b, float *memory, bool lazy) {
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(4)), "v");
    ty_tensor *y = uses[i].of(v, lazy ? ty_lazy(b) : b);
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    for (int value = 1; value < 4; value++) {
        set(memory, (float)value);
        double want = uses[i].base + uses[i].slope * value, got;
        if (!well(p) || !ty_run(p)) return;
        got = item(ty_output(p, 0));
        CHECK(got == want || test_starving(), "%s: a program has %g for %g", uses[i].name, got, want);
        got = item(ty_eval(y));
        CHECK(got == want || test_starving(), "%s: an evaluation has %g for %g", uses[i].name, got, want);
    }
}

static void what_others_write_is_read(void) {
    static float memory[8];
    for (int i = 0; i < USES; i++)
        for (int kind = 0; kind < 4; kind++) {
            struct test_round round = test_round();
            set(memory, 1);
            if (kind / 2 || uses[i].meets)
                check_use(i, kind % 2 ? part(memory) : borrowed(memory), memory, kind / 2);
            test_round_end(round);
        }
}

/* A second borrowed buffer with equal bytes must not be replaced by the first. */
static void equal_bytes_elsewhere(void) {
    static float one[8], other[8];
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(4)), "v");
    set(one, 5), set(other, 5);
    double a = item(ty_eval(twice(v, borrowed(one))));
    set(one, 7);
    double b = item(ty_eval(twice(v, borrowed(other))));
    CHECK((a == 11 && b == 11) || test_starving(), "%g and %g are not 11", a, b);
}

/* Exported constants are not folded, since others have their address. */
static void what_is_exported_is_read(void) {
    ty_tensor *b = ty_full(TY_F32, TY_SHAPE(4), 3), *error = NULL;
    DLManagedTensorVersioned *out = ty_to_dlpack(b, &error);
    if (!out) return;
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(4)), "v"), *y = twice(v, ty_lazy(b));
    bool writable = !(out->flags & DLPACK_FLAG_BITMASK_READ_ONLY);
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (writable)
        for (int i = 0; i < 4; i++) ((float *)out->dl_tensor.data)[i] = 4;
    if (well(p) && ty_run(p)) {
        double got = item(ty_output(p, 0));
        CHECK(writable && (got == 9 || test_starving()), "%g, %d", got, writable);
    }
    out->deleter(out);
}

/* Constants owned by the library only are folded. */
static void what_is_ours_folds(void) {
    ty_tensor *v = ty_var(ty_ones(TY_F32, TY_SHAPE(4)), "v"),
              *y = twice(v, ty_lazy(ty_full(TY_F32, TY_SHAPE(4), 3)));
    ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
    if (well(p)) CHECK(test_report(p).folded == 1, "%d folded", (int)test_report(p).folded);
}

/* ---- broadcast constants ---- */

/* 8 bytes broadcast to 128 MiB stay 8 bytes in each of these functions. */
static ty_tensor *wide(void) {
    return ty_broadcast(ty_full(TY_F64, TY_SHAPE(1, 1), 3), TY_SHAPE(4096, 4096));
}
static ty_tensor *negated(ty_tensor *x) { return ty_neg(x); }
static ty_tensor *reshaped(ty_tensor *x) { return ty_reshape(x, TY_SHAPE(2, 2048, 4096)); }
static ty_tensor *flattened(ty_tensor *x) { return ty_reshape(ty_mul(x, ty_num(2)), TY_SHAPE(4096 * 4096)); }
static ty_tensor *joined(ty_tensor *x) { return ty_concat(2, (ty_tensor *[]){x, x}, 1); }
static ty_tensor *padded(ty_tensor *x) { return ty_pad(x, (ty_padding[]){{1, 1, 0}, {0, 0, 0}}, ty_num(0)); }
static ty_tensor *stretched(ty_tensor *x) { /* no strides describe this */
    ty_tensor *row = ty_iota(TY_F64, TY_SHAPE(4096), 0);
    (void)x;
    return ty_reshape(ty_broadcast(row, TY_SHAPE(4096, 4096)), TY_SHAPE(4096 * 4096));
}

static void broadcast_constants_stay_small(void) {
    ty_tensor *(*const of[])(ty_tensor * x) = {negated, reshaped, flattened, joined, padded, stretched};
    enum { MOST = 1 << 20 };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        struct test_round round = test_round();
        ty_tensor *y = ty_sum(of[i](ty_lazy(wide())), TY_ALL);
        ty_program *p = test_program(ty_compile(1, &y, (ty_compile_options){0}));
        size_t held = 0;
        for (int b = 0; b < p->flow.nblocks; b++)
            if (p->flow.blocks[b].kind == BLOCK_CONSTANT) held += p->flow.blocks[b].leaf->buffer->bytes;
        if (well(p)) CHECK(held < MOST, "%d: the program's constants take %zu bytes", (int)i, held);
        test_round_end(round);
    }
}

TESTS_MAIN(TEST(what_others_write_is_read), TEST(equal_bytes_elsewhere), TEST(what_is_exported_is_read),
           TEST(what_is_ours_folds), TEST(broadcast_constants_stay_small))
