/* Entries of the tables of operators: each elementwise row in each of its dtypes, and a use of each other operator. */
#include "ops/core/elementwise.h"
#include "ops/core/row_id.h"
#include "tests/bits/bits.h"
#include "tests/support/harness.h"
#include "tests/support/row_check.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"

enum { USUAL_VALUES = 1001 };

/* Return operand i. Special values lie along axis i, so that broadcasting combines each with every other;
   otherwise usual values. */
static ty_tensor *operand_of(enum row_id row, ty_dtype dtype, int i, bool special) {
    _Alignas(16) char room[SAMPLE_SPECIALS * 16];
    int64_t shape[3] = {1, 1, 1};
    ty_dtype own = row_operand_dtype(row, dtype, i);
    if (!special) return sample_shape(own, TY_SHAPE(USUAL_VALUES), row_table[row].low, row_table[row].high);
    shape[i] = sample_specials(own, room);
    return ty_from(own, row_ops[row].arity, shape, room);
}

static void row_entry(enum row_id row, ty_dtype dtype) {
    uint64_t hash = bits_start();
    struct test_round round = test_round();
    bits_begin();
    for (int special = 0; special < 2; special++) {
        ty_tensor *x[3];
        for (int i = 0; i < row_ops[row].arity; i++) x[i] = operand_of(row, dtype, i, special);
        hash = bits_add(hash, elementwise(row, row_ops[row].arity, x));
    }
    bits_entry(row_ops[row].name, ty_dtype_name(dtype), hash);
    test_round_end(round);
}

void bits_rows(void) {
    for (int row = 0; row < ROWS; row++)
        for (int dtype = 0; dtype < TY_DTYPES; dtype++)
            if (row_takes((enum row_id)row, (ty_dtype)dtype)) row_entry((enum row_id)row, (ty_dtype)dtype);
}

void bits_operators(void) {
    for (int i = 0; i < operator_sample_count; i++) {
        char name[BITS_NAME];
        struct test_round round = test_round();
        bits_begin();
        ty_tensor *x = sample_shape(TY_F32, TY_SHAPE(1, 4, 4, 1), -2, 2), *y = operator_samples[i].run(x);
        uint64_t hash = bits_add(bits_start(), y);
        snprintf(name, sizeof name, "operator %s", operator_samples[i].name);
        bits_entry(name, ty_dtype_name(ty_dtype_of(y)), hash);
        test_round_end(round);
    }
}
