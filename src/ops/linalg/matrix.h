/*
 * Linear algebra on the last two axes: one kernel kind, of which each factorisation, solution or function of a matrix is
 * a row.  A row with several results packs them into one line a matrix, so that its tensor is [.., length]; its parts are
 * views of that.  So gradients, batches and programs treat it as any operator of one result.
 */
#ifndef OPS_LINALG_MATRIX_H
#define OPS_LINALG_MATRIX_H
#include "ops/core/attributes.h"
#include "ops/core/reach.h"
#include "ops/core/structure.h"

enum { MATRIX_PARTS = 4, MATRIX_OPERANDS = 3 };

/* One result of a packed line: its rows and columns; rows 0 of a vector. */
struct matrix_part {
    const char *name;
    bool vector;
    int64_t rows, columns;
};
struct matrix_form {
    int n; /* parts; 0: the result is not packed but a matrix, part[0] */
    struct matrix_part part[MATRIX_PARTS];
};

struct matrix_row {
    const struct op *op;
    int operands;
    bool square;         /* operand 0 (and, of three, 1) must be */
    bool complex_result; /* whatever the operands are */
    void (*form)(const struct matrix_attr *attr, int64_t m, int64_t n, int64_t columns,
                 struct matrix_form *out);
};
/* By enum matrix_kind. */
extern const struct matrix_row matrix_rows[MATRIX_KINDS];

/* What comes of an m by n first operand; columns: of the last operand. */
void matrix_form_of(const struct matrix_attr *attr, int64_t m, int64_t n, int64_t columns,
                    struct matrix_form *out);
static inline int64_t matrix_part_size(const struct matrix_part *p) {
    return p->vector ? p->columns : p->rows * p->columns;
}
/* Elements of a packed line, or of the matrix. */
int64_t matrix_length(const struct matrix_form *form);

/* ---- what engines say ---- */

/* Why a matrix has no result; `at` of matrix_refused is the number of a row, a minor, or of what was left. */
enum matrix_fault {
    MATRIX_FINE,
    MATRIX_SINGULAR,       /* the pivot of that column is 0 */
    MATRIX_ZERO,           /* of a triangular matrix: that element of the diagonal is */
    MATRIX_INDEFINITE,     /* the leading minor of that many rows is not positive */
    MATRIX_NO_CONVERGENCE, /* that many values had not settled */
    MATRIX_COMMON,         /* an eigenvalue of a is minus one of b, to rounding */
    MATRIX_NO_LOGARITHM,
    MATRIX_NO_ROOT,
    MATRIX_NO_ORDER, /* eigenvalues could not be put in order */
    MATRIX_NO_MEMORY,
    MATRIX_FAULTS
};
/* Fills the fault with the sentence about matrix `number` of so many; false. */
bool matrix_refused(struct fault *fault, const struct op *op, enum matrix_fault why, int64_t at,
                    int64_t number, int64_t matrices);

/* Records the row on operands that are matrices: casts them to one floating or complex dtype (half floats: f32) and
   broadcasts their batches.  `name` is the public function's, for sentences. */
ty_tensor *matrix_record(const char *name, struct matrix_attr attr, int n, ty_tensor *const *x);
/* Part i of a packed result of this form: a view. */
ty_tensor *matrix_part(ty_tensor *packed, const struct matrix_form *form, int i);
/* The form of a recorded result. */
struct matrix_form matrix_form_in(const ty_tensor *y);

/* n operands in the one floating dtype that they are computed in: integers and bool in f64, half floats in f32. */
void matrix_operands(const char *name, int n, ty_tensor *const *x, ty_tensor **cast);
ty_tensor *matrix_operand(ty_tensor *x);

/* A public function of n operands: what is recorded in between belongs to it, and results in f32 are rounded to the half
   float that the operands are. */
struct matrix_call {
    ty_scope *scope;
    ty_dtype half; /* TY_DTYPES: none */
};
struct matrix_call matrix_open(int n, ty_tensor *const *x);
ty_tensor *matrix_close(struct matrix_call call, ty_tensor *result);
/* The same for several results, in their places. */
void matrix_close_all(struct matrix_call call, int n, ty_tensor **results);
/* A packed result and its form. */
struct packed {
    ty_tensor *x;
    struct matrix_form form;
};
struct packed matrix_pack(const char *name, struct matrix_attr attr, int n, ty_tensor *const *x);
static inline ty_tensor *packed_part(const struct packed *p, int i) { return matrix_part(p->x, &p->form, i); }

/* ---- what the public functions and the gradients are made of ---- */

/* Poison unless x is a matrix, or a square one; NULL: it is. */
ty_tensor *refuse_matrix(const char *name, ty_tensor *x, bool square);
/* The conjugate transpose. */
ty_tensor *adjoint(ty_tensor *x);
/* a times a diagonal matrix whose diagonal is d: columns are scaled; and the diagonal first: rows are. */
ty_tensor *scale_columns(ty_tensor *a, ty_tensor *d);
ty_tensor *scale_rows(ty_tensor *d, ty_tensor *a);
/* The identity of x's last axis, in its dtype. */
ty_tensor *identity_like(ty_tensor *x);
/* Half of x + x^H. */
ty_tensor *hermitian_part(ty_tensor *x);
/* As ty_tril and ty_triu, by a mask that is a value: so they stand in derivatives of values too. */
ty_tensor *lower_part(ty_tensor *x, int64_t k);
ty_tensor *upper_part(ty_tensor *x, int64_t k);
/* The lower triangle, its diagonal halved. */
ty_tensor *lower_half(ty_tensor *x);
/* A box of the last two axes, from a row and a column on. */
ty_tensor *box_at(ty_tensor *x, int64_t row, int64_t rows, int64_t column, int64_t columns);
/* The real dtype of x's. */
ty_dtype real_dtype(const ty_tensor *x);
ty_tensor *as_real(ty_tensor *x);
/* x as complex numbers. */
ty_tensor *as_complex(ty_tensor *x);
static inline int64_t rows_of(ty_tensor *x) { return ty_shape(x)[ty_rank(x) - 2]; }
static inline int64_t columns_of(ty_tensor *x) { return ty_shape(x)[ty_rank(x) - 1]; }
#endif
