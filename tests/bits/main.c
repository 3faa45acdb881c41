/*
 * Prints the bits that this build computes: a line for each elementwise entry, dtype and instruction set, and for each
 * operator, with a hash of results. Inputs are NaN, infinities, subnormal and usual numbers.
 *
 * `./dev bits` compares the lines of builds by different compilers at different levels of optimisation, which must be
 * equal: fused operations are explicit (madd.h), and nothing else may change a sum. All NaNs count as one, since no
 * compiler defines which operand's NaN it returns.
 */
#include <math.h>
#include <stdio.h>

#include "base/machine/isa.h"
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/sample.h"

enum { USUAL = 1001, ROWS_OF_MATRIX = 37 };

static uint64_t add(uint64_t hash, uint64_t word) { return (hash ^ word) * UINT64_C(0x100000001b3); }

/* Add an array to the hash: reals as f64, which holds all of them, integers as 64 bits. */
static uint64_t add_reals(uint64_t hash, ty_tensor *x) {
    ty_dtype dtype = ty_dtype_of(x);
    bool floating = dtype_is(dtype, CLASS_FLOAT);
    x = ty_contiguous(ty_cast(x, floating ? TY_F64 : TY_I64));
    const uint64_t *words = ty_data(x);
    const double *numbers = (const double *)(const void *)words;
    for (int64_t i = 0; words && i < ty_size(x); i++)
        hash = add(hash, floating && isnan(numbers[i]) ? UINT64_MAX : words[i]);
    return hash;
}

static uint64_t hash_of(ty_tensor *x) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    x = ty_eval(x);
    if (!ty_ok(x)) return 0;
    if (!dtype_is(ty_dtype_of(x), CLASS_COMPLEX)) return add_reals(hash, x);
    return add_reals(add_reals(hash, ty_real(x)), ty_imag(x));
}

/* Return operand i. Special values lie along axis i, so that broadcasting combines each with every other;
   otherwise a thousand usual values. */
static ty_tensor *operand_of(enum row_id row, ty_dtype dtype, int i, bool special) {
    _Alignas(16) char room[SAMPLE_SPECIALS * 16];
    int64_t shape[3] = {1, 1, 1};
    ty_dtype own = row_operand_dtype(row, dtype, i);
    if (!special) return sample_shape(own, 1, (int64_t[]){USUAL}, row_table[row].low, row_table[row].high);
    shape[i] = sample_specials(own, room);
    return ty_from(own, row_ops[row].arity, shape, room);
}

static void print_row(const char *isa, enum row_id row, ty_dtype dtype) {
    uint64_t hash = 0;
    struct test_round round = test_round();
    for (int special = 0; special < 2; special++) {
        ty_tensor *x[3];
        for (int i = 0; i < row_ops[row].arity; i++) x[i] = operand_of(row, dtype, i, special);
        hash = add(hash, hash_of(elementwise(row, row_ops[row].arity, x)));
    }
    printf("%s %s %s %016llx\n", isa, row_ops[row].name, ty_dtype_name(dtype), (unsigned long long)hash);
    test_round_end(round);
}

static void print_rows(const char *isa) {
    for (int row = 0; row < ROWS; row++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++)
            if (row_takes((enum row_id)row, (ty_dtype)dtype))
                print_row(isa, (enum row_id)row, (ty_dtype)dtype);
}

static void print_line(const char *isa, const char *name, ty_tensor *y) {
    printf("%s %s %s %016llx\n", isa, name, ty_dtype_name(ty_dtype_of(y)), (unsigned long long)hash_of(y));
}

/* Print one use of each operator, and sums by kernels of their own, with odd sizes. */
static void print_operators(const char *isa) {
    static const ty_dtype dtypes[] = {TY_F16, TY_BF16, TY_F32, TY_F64, TY_C64, TY_C128};
    struct test_round round = test_round();
    ty_tensor *x = sample_shape(TY_F32, 4, (int64_t[]){1, 4, 4, 1}, -2, 2);
    for (int i = 0; i < operator_sample_count; i++)
        print_line(isa, operator_samples[i].name, operator_samples[i].run(x));
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        struct test_round each = test_round();
        ty_tensor *a = sample_shape(dtypes[i], 2, (int64_t[]){ROWS_OF_MATRIX, 53}, -1, 1);
        ty_tensor *b = sample_shape(dtypes[i], 2, (int64_t[]){53, 29}, -1, 1);
        ty_tensor *v = ty_reshape(ty_slice(b, 1, 0, 1, 1), 1, (int64_t[]){53});
        print_line(isa, "matrix products", ty_matmul(a, b));
        print_line(isa, "vector products", ty_matmul(a, v));
        print_line(isa, "sums", ty_sum(a, TY_ALL));
        print_line(isa, "sums of columns", ty_sum(a, ty_axis(0)));
        print_line(isa, "products", ty_prod(a, TY_ALL));
        print_line(isa, "products of columns", ty_prod(a, ty_axis(0)));
        print_line(isa, "running products", ty_cumprod(a, 1, (ty_running){0}));
        print_line(isa, "running products of columns", ty_cumprod(a, 0, (ty_running){0}));
        print_line(isa, "recurrences", ty_linear_recurrence(a, ty_num(0.5), 0, false));
        print_line(isa, "recurrences along rows", ty_linear_recurrence(a, ty_num(0.5), 1, false));
        if (!dtype_is(dtypes[i], CLASS_COMPLEX))
            print_line(isa, "normal numbers", ty_normal(dtypes[i], TY_SHAPE(ROWS_OF_MATRIX), ty_key(3)));
        ty_tensor *image = ty_reshape(ty_slice(a, 1, 0, 52, 1), 4, (int64_t[]){1, ROWS_OF_MATRIX, 26, 2});
        print_line(isa, "enlarged images", ty_upsample(image, 3, TY_CUBIC, true));
        ty_tensor *square = ty_matmul(ty_conj(ty_transpose(a)), a);
        print_line(isa, "elimination", ty_lu(square).u);
        print_line(isa, "inverses", ty_inv(square));
        print_line(isa, "square roots of matrices", ty_cholesky(ty_add(square, ty_eye(TY_F32, 53))));
        print_line(isa, "reflections", ty_qr(a, false).q);
        print_line(isa, "reflections by pivots", ty_qr_pivoted(b, true).q);
        print_line(isa, "exponentials", ty_expm(ty_mul(square, ty_num(0.01))));
        test_round_end(each);
    }
    test_round_end(round);
}

int main(void) {
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        print_rows(isa_name((enum isa)isa));
        print_operators(isa_name((enum isa)isa));
    }
    return 0;
}
