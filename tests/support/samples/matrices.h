/* Matrices that break algorithms, and comparison of products with their expected values. */
#ifndef TESTS_SUPPORT_MATRICES_H
#define TESTS_SUPPORT_MATRICES_H
#include "tests/support/compare.h"
#include "tests/support/harness.h"

/* Families of test matrices. */
enum family {
    USUAL,
    GRADED,    /* elements fall by 16 powers of ten along rows and columns */
    SINGULAR,  /* half of the full rank, with columns of zeros */
    REPEATED,  /* few distinct singular and eigenvalues */
    DEFECTIVE, /* one Jordan block, rotated */
    HUGE_ONES,
    TINY_ONES,
    NOTHING,
    FAMILIES
};
/* Return the name of a family. */
const char *family_name(enum family family);
/* Return an m by n matrix of a family. */
ty_tensor *matrix_of(enum family family, ty_dtype dtype, int64_t m, int64_t n);
/* Return an n by n Hermitian matrix of a family. */
ty_tensor *hermitian_of(enum family family, ty_dtype dtype, int64_t n);
/* Return an n by n Hermitian positive definite matrix. */
ty_tensor *definite_of(ty_dtype dtype, int64_t n);
/* Return x with other strides; `way` 0 .. 4 selects the layout. */
ty_tensor *laid_out(ty_tensor *x, int way);

/* Return the conjugate transpose. */
ty_tensor *adjoint_of(ty_tensor *x);
/* Return x cast to f64 or c128. */
ty_tensor *wide(ty_tensor *x);
/* Return the matrix product. */
ty_tensor *product(ty_tensor *a, ty_tensor *b);
/* Check that got and want differ by less than 30 n eps of dtype times the greatest element of `beside`. */
void compare_residual(ty_tensor *got, ty_tensor *want, ty_tensor *beside, int64_t n, ty_dtype dtype,
                      const char *what);
/* Check that x^H x is the identity matrix. */
void check_orthonormal(ty_tensor *x, ty_dtype dtype, const char *what);

/* ---- for gradients: functions of small random x ---- */

/* Return x + 4 I, which is well conditioned. */
ty_tensor *shifted(ty_tensor *x);
/* Return x x^H + I, which is positive definite. */
ty_tensor *squared(ty_tensor *x);
/* Return a matrix of well separated eigenvalues, made of x. */
ty_tensor *spread(ty_tensor *x);
/* Return a function of the factors of the LU factorisation of x. */
ty_tensor *of_lu(ty_tensor *x);
/* Return a function of the factors of the QR factorisation of x, with column pivoting if `pivoted`. */
ty_tensor *of_qr(ty_tensor *x, bool pivoted);
/* Return a function of the singular value decomposition that does not depend on the choice of vectors. */
ty_tensor *of_svd(ty_tensor *x);
/* Return a function of the Hermitian eigendecomposition that does not depend on the choice of vectors. */
ty_tensor *of_eigh(ty_tensor *x);
/* Return a function of the eigendecomposition that does not depend on the choice of vectors. */
ty_tensor *of_eig(ty_tensor *x);
#endif
