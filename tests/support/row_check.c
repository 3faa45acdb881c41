/* Compares an entry of elementwise.def on the reference with every instruction set of the cpu engine. */
#include "tests/support/row_check.h"

#include <math.h>

#include "base/machine/isa.h"
#include "tests/support/compare.h"
#include "tests/support/harness.h"

static double bound(enum row_id row, ty_dtype dtype, double *tiny) {
    const struct row_error *error = &row_table[row].error;
    /* `around`, in smallest normal numbers like `tiny` */
    *tiny = error->tiny + ldexp(error->around, -53 - dtype_least_normal(dtype));
    /* the reference rounds twice, so half a unit may look like one */
    return fmax(1, dtype_is(dtype, CLASS_COMPLEX) ? error->complex_ulps : error->ulps);
}

void row_check(enum row_id row, ty_dtype dtype, ty_tensor *const *operands, const char *where) {
    double tiny, ulps = bound(row, dtype, &tiny);
    int n = row_ops[row].arity;
    ty_use_engine("ref");
    ty_tensor *want = elementwise(row, n, operands);
    ty_use_engine("cpu");
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
        ty_tensor *got = elementwise(row, n, operands);
        compare_rounded(got, want, ulps, tiny, "%s %s, %s, %s", row_ops[row].name, ty_dtype_name(dtype),
                        where, isa_name((enum isa)isa));
    }
}

bool row_takes(enum row_id row, ty_dtype dtype) { return dtype_is(dtype, (int)row_table[row].in & 0xFF); }

ty_dtype row_operand_dtype(enum row_id row, ty_dtype dtype, int i) {
    return row_table[row].in == CHOICE && i == 0 ? TY_BOOL : dtype;
}
