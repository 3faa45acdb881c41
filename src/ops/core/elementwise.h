/* Properties of elementwise operators besides struct op. */
#ifndef OPS_CORE_ELEMENTWISE_H
#define OPS_CORE_ELEMENTWISE_H
#include "base/for_command.h"
#include "ops/core/op.h"

/* Sets of dtypes for the `in` column of the rows. */
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
    LOGIC = NUMBERB | 1 << 9,  /* operands count only as zero or not zero */
    BOUNDED = REAL | 1 << 10, /* operands 2 and 3 are bounds; numbers out of the dtype's range do not bound */
};
enum row_out { SAME, BOOL, PART };

/* The `error` column: units in the last place, for real numbers and for the parts of complex numbers. */
struct row_error {
    double ulps, complex_ulps;
    double tiny; /* absolute error, in smallest normal numbers */
    const char *why;
    double around; /* absolute error near zeros of the function, in units of 2^-53 whatever the dtype */
};
enum { USUAL_COMPLEX_ULPS = 8 }; /* a complex product has four products and two sums */
#define EXACT                                                                                                \
    { 0.5, USUAL_COMPLEX_ULPS, 0, "", 0 }
#define ULP(n)                                                                                               \
    { n, USUAL_COMPLEX_ULPS, 0, "", 0 }
#define WITHIN(ulps, complex_ulps, tiny, why)                                                                \
    { ulps, complex_ulps, tiny, why, 0 }
#define AROUND(ulps, around, tiny, why)                                                                      \
    { ulps, USUAL_COMPLEX_ULPS, tiny, why, around }

/* Properties of an elementwise operator, one entry ("row") of elementwise.def. */
struct row {
    enum row_set in;
    enum row_out out;
    double low, high;
    struct row_error error;
    const char *value;
    bool self; /* its derivative by a complex operand is its own transpose */
};
/* Properties of all elementwise operators, indexed by enum row_id (row_id.h), which is op->row. */
extern const struct row row_table[];
extern const struct op row_ops[];

/* Record the elementwise operator `row` (index in row_table) on n operands, cast to the dtype that it
   computes in. Return the result; poison if the row does not take that dtype or an operand is poisoned. */
ty_tensor *elementwise(int row, int n, ty_tensor *const *operands);
/* Return `value` cast to `dtype`, for storing in a tensor of that dtype. Poison if it is a plain number that
   the integer dtype does not hold; `name`, of the public function, begins the sentence unless it is NULL. */
ty_tensor *stored_as(const char *name, ty_tensor *value, ty_dtype dtype);
/* Return the common dtype of n operands, in any order; a weak (plain) number contributes only its class.
   *all_weak: all operands are weak. */
ty_dtype common_dtype(int n, ty_tensor *const *operands, bool *all_weak);
/* Rules for weak (plain) numbers when operands are cast to a common dtype. */
enum meeting {
    COMPUTED, /* a number that the integer dtype of the others does not hold is refused */
    COUNTED,  /* like COMPUTED, and bool becomes i64 */
    MATCHED,  /* comparison only: such a number widens the dtype, and is refused only if no dtype holds
                 all */
    FLOATING, /* integers and bool become f64, and so do plain numbers among them */
};
/* Cast n tensors x[], none poisoned, to their common dtype by the rule `how`, into cast[]. A number that is
   refused becomes poison in cast[]. Its sentence begins with `name`, or if NULL with the number (composites
   add their name on closing). */
void cast_to_common(const char *name, int n, ty_tensor *const *x, enum meeting how, ty_tensor **cast)
    FOR_COMMAND(cast_to_common);
/* Return the result dtype of an elementwise operator with the result rule `out`, which computes in dtype
   `in`. */
ty_dtype row_result(enum row_out out, ty_dtype in);
#endif
