/* Linear algebra on the last two axes.  One kernel kind has an entry for each factorisation, solution or function
   of a matrix.  Several results are packed into one line per matrix, so the tensor has shape [.., length], and its
   parts are views.  So gradients, batches and programs treat it as an operator with one result. */
#ifndef OPS_LINALG_MATRIX_H
#define OPS_LINALG_MATRIX_H
#include "ops/core/attributes.h"
#include "ops/core/reach.h"
#include "ops/core/structure.h"

enum { MATRIX_PARTS = 4, MATRIX_OPERANDS = 3 };

/* One part of a packed line: a vector of `columns`, or a matrix. */
struct matrix_part {
    const char *name;
    bool vector;
    int64_t rows, columns;
};
/* Layout of a result. */
struct matrix_form {
    int n; /* number of parts; 0: not packed, the result is the matrix part[0] */
    struct matrix_part part[MATRIX_PARTS];
};

struct matrix_row {
    const struct op *op;
    int operands;
    bool square;         /* operand 0, and of three operands also 1, must be square */
    bool complex_result; /* complex for all operands */
    void (*form)(const struct matrix_attr *attr, int64_t m, int64_t n, int64_t columns,
                 struct matrix_form *out);
};
/* Indexed by enum matrix_kind. */
extern const struct matrix_row matrix_rows[MATRIX_KINDS];

/* Compute the layout of the result of an operator for an m by n first operand into *out; `columns` are those
   of the last operand. */
void matrix_form_of(const struct matrix_attr *attr, int64_t m, int64_t n, int64_t columns,
                    struct matrix_form *out);
/* Return the number of elements that one part occupies in a packed line. */
static inline int64_t matrix_part_size(const struct matrix_part *p) {
    return p->vector ? p->columns : p->rows * p->columns;
}
/* Return the number of elements of the result for one matrix: of the packed line, or of the matrix. */
int64_t matrix_length(const struct matrix_form *form);

/* ---- faults of engines ---- */

/* Reason why a matrix has no result.  The argument `at` of matrix_refused is the index or count described here. */
enum matrix_fault {
    MATRIX_FINE,
    MATRIX_SINGULAR,       /* the pivot of column `at` is 0 */
    MATRIX_ZERO,           /* triangular: diagonal element `at` is 0 */
    MATRIX_INDEFINITE,     /* the leading minor of order `at` is not positive */
    MATRIX_NO_CONVERGENCE, /* `at` values have not converged */
    MATRIX_COMMON,         /* an eigenvalue of a is the negative of one of b, to rounding */
    MATRIX_NO_LOGARITHM,
    MATRIX_NO_ROOT,
    MATRIX_NO_ORDER, /* eigenvalues could not be reordered */
    MATRIX_NO_MEMORY,
    MATRIX_FAULTS
};
/* Set the fault that matrix `number` of a batch of `matrices` has no result of operator op, for reason `why`;
   `at` is the index or count that belongs to it. Always return false. */
bool matrix_refused(struct fault *fault, const struct op *op, enum matrix_fault why, int64_t at,
                    int64_t number, int64_t matrices);

/* Record the operator attr.kind on n operands: cast to one floating or complex dtype (half floats: f32), with
   their batch axes broadcast. Poison, in the name of function `name`, on failure. */
ty_tensor *matrix_record(const char *name, struct matrix_attr attr, int n, ty_tensor *const *x);
/* Return part i (from 0) of a packed result as a view: [.., rows, columns] or, for a vector, [.., columns].
   Poison stays poison. */
ty_tensor *matrix_part(ty_tensor *packed, const struct matrix_form *form, int i);
/* Return the layout of y, the recorded result of a matrix operator. */
struct matrix_form matrix_form_in(const ty_tensor *y);

/* Cast n operands x[] to the common dtype that they are computed in, into cast[]: f64 for integers and bool,
   f32 for half floats. A number that does not fit becomes poison, in the name of function `name`. */
void matrix_operands(const char *name, int n, ty_tensor *const *x, ty_tensor **cast);
/* Return x in the dtype that it is computed in: f64 for integers and bool, f32 for half floats. Poison stays
   poison. */
ty_tensor *matrix_operand(ty_tensor *x);

/* State of a public function on n operands: its scope, and the half float that f32 results are rounded to. */
struct matrix_call {
    ty_scope *scope;
    ty_dtype half; /* TY_DTYPES: none */
};
/* Begin a public function on n operands, which may be poisoned: open a scope, and remember the half dtype to
   which results are rounded. */
struct matrix_call matrix_open(int n, ty_tensor *const *x);
/* End a public function that matrix_open began: round the result to the half dtype of the operands, if any,
   and return it in the enclosing scope. */
ty_tensor *matrix_close(struct matrix_call call, ty_tensor *result);
/* End a public function that matrix_open began: round the n results to the half dtype of the operands, if
   any, and move them to the enclosing scope. */
void matrix_close_all(struct matrix_call call, int n, ty_tensor **results);
/* A packed result and its layout. */
struct packed {
    ty_tensor *x;
    struct matrix_form form;
};
/* Record the operator attr.kind on n operands as matrix_record does. Return its result x and the layout of
   its parts; x is poison on failure. */
struct packed matrix_pack(const char *name, struct matrix_attr attr, int n, ty_tensor *const *x);
/* Return part i (from 0) of a packed result as a view. Poison stays poison. */
static inline ty_tensor *packed_part(const struct packed *p, int i) { return matrix_part(p->x, &p->form, i); }

/* ---- helpers of public functions and gradients ---- */

/* Return NULL if x is a matrix or a batch of them, and square if `square`; else poison in the name of
   function `name`. */
ty_tensor *refuse_matrix(const char *name, ty_tensor *x, bool square);
/* Return the conjugate transpose over the last two axes. */
ty_tensor *adjoint(ty_tensor *x);
/* Return a diag(d): column j of a times d[j]. */
ty_tensor *scale_columns(ty_tensor *a, ty_tensor *d);
/* Return diag(d) a: row i of a times d[i]. */
ty_tensor *scale_rows(ty_tensor *d, ty_tensor *a);
/* Return the identity matrix of the size of x's last axis, in its dtype. */
ty_tensor *identity_like(ty_tensor *x);
/* Return (x + x^H) / 2. */
ty_tensor *hermitian_part(ty_tensor *x);
/* Return the lower triangle of x up to diagonal k (0: the main one), the rest 0. Unlike in ty_tril the mask
   is constant, for use in derivatives. */
ty_tensor *lower_part(ty_tensor *x, int64_t k);
/* Return the upper triangle of x from diagonal k (0: the main one) on, the rest 0. Unlike in ty_triu the mask
   is constant, for use in derivatives. */
ty_tensor *upper_part(ty_tensor *x, int64_t k);
/* Return the lower triangle of x with half of the diagonal, the rest 0. */
ty_tensor *lower_half(ty_tensor *x);
/* Return a submatrix of the last two axes: this number of rows and columns, from index `row` and `column` on. */
ty_tensor *box_at(ty_tensor *x, int64_t row, int64_t rows, int64_t column, int64_t columns);
/* Return the real dtype that corresponds to x's. */
ty_dtype real_dtype(const ty_tensor *x);
/* Return the real part of x if it is complex, else x. */
ty_tensor *as_real(ty_tensor *x);
/* Return x as complex numbers: c128 for f64 and integers, c64 for f32 and half floats. */
ty_tensor *as_complex(ty_tensor *x);
/* Return the number of rows of matrices x: the size of the last axis but one. */
static inline int64_t rows_of(ty_tensor *x) { return ty_shape(x)[ty_rank(x) - 2]; }
/* Return the number of columns of matrices x: the size of the last axis. */
static inline int64_t columns_of(ty_tensor *x) { return ty_shape(x)[ty_rank(x) - 1]; }
#endif
