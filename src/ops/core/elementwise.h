/* What is known of each elementwise row beyond struct op. */
#ifndef OPS_CORE_ELEMENTWISE_H
#define OPS_CORE_ELEMENTWISE_H
#include "ops/core/op.h"

/* The dtype sets of the `in` column. */
enum row_set {
    FLOAT = CLASS_FLOAT,
    FLOATC = FLOAT | CLASS_COMPLEX,
    INTEGER = CLASS_INTEGER,
    REAL = INTEGER | FLOAT,
    NUMBER = REAL | CLASS_COMPLEX,
    REALB = REAL | CLASS_BOOL,
    NUMBERB = NUMBER | CLASS_BOOL,
    BITS = INTEGER | CLASS_BOOL,
    CHOICE = NUMBERB | 1 << 8, /* the first operand is bool */
    LOGIC = NUMBERB | 1 << 9,  /* only whether operands are 0 counts */
    BOUNDED =
        REAL | 1 << 10, /* the second and third operand are bounds: numbers beyond the dtype bound nothing */
};
enum row_out { SAME, BOOL, PART };

/* The `error` column: units in the last place of reals and of the parts of complex numbers. */
struct row_error {
    double ulps, complex_ulps;
    double tiny; /* absolute, in smallest normal numbers */
    const char *why;
    double around; /* absolute, in units of 2^-53, whatever the dtype: next to zeros of a function */
};
enum { USUAL_COMPLEX_ULPS = 8 }; /* products of complex numbers are four products and two sums */
#define EXACT                                                                                                \
    { 0.5, USUAL_COMPLEX_ULPS, 0, "", 0 }
#define ULP(n)                                                                                               \
    { n, USUAL_COMPLEX_ULPS, 0, "", 0 }
#define WITHIN(ulps, complex_ulps, tiny, why)                                                                \
    { ulps, complex_ulps, tiny, why, 0 }
#define AROUND(ulps, around, tiny, why)                                                                      \
    { ulps, USUAL_COMPLEX_ULPS, tiny, why, around }

struct row {
    enum row_set in;
    enum row_out out;
    double low, high;
    struct row_error error;
    const char *value;
    bool self; /* its gradient by a complex operand is its own transpose */
};
/* By enum row_id (row_id.h), which is op->row. */
extern const struct row row_table[];
extern const struct op row_ops[];

/* Casts operands to the dtype that the row computes in, and records. */
ty_tensor *elementwise(int row, int n, ty_tensor *const *operands);
/* A plain number as an element of `dtype`, or poison where an integer dtype does not hold it; any other tensor, cast.
   For values that are stored in a tensor of that dtype; `name` is the function's, or NULL as above cast_to_common. */
ty_tensor *stored_as(const char *name, ty_tensor *value, ty_dtype dtype);
/* The dtype that operands in any order meet in: a weak number adds only its class.  *all_weak: all are. */
ty_dtype common_dtype(int n, ty_tensor *const *operands, bool *all_weak);
/* What becomes of operands that meet in one dtype. */
enum meeting {
    COMPUTED, /* a plain number that the integer dtype of the others does not hold is refused */
    COUNTED,  /* the same, and bool becomes i64 */
    MATCHED, /* only compared: such a number widens the dtype to one that holds all; refused where there is none */
    FLOATING, /* integers and bool become f64, and so does any plain number beside them */
};
/* n tensors, none of them poisoned, in the dtype they meet in; a refusal that begins with `name` (NULL: with the number, for
   composites, which are named as they close) stands in place of the number that is refused. */
void cast_to_common(const char *name, int n, ty_tensor *const *x, enum meeting how, ty_tensor **cast);
/* The result dtype of a row that computes in `in`. */
ty_dtype row_result(enum row_out out, ty_dtype in);
#endif
