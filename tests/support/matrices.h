/* Matrices that break algorithms, and how far a product is from what it should be. */
#ifndef TESTS_SUPPORT_MATRICES_H
#define TESTS_SUPPORT_MATRICES_H
#include "tests/support/compare.h"
#include "tests/support/harness.h"

enum family {
    USUAL,
    GRADED,    /* elements fall by 16 powers of ten along rows and columns */
    SINGULAR,  /* half of the rank, and columns of zeros */
    REPEATED,  /* few distinct singular and eigenvalues */
    DEFECTIVE, /* one Jordan block, turned */
    HUGE_ONES,
    TINY_ONES,
    NOTHING,
    FAMILIES
};
const char *family_name(enum family family);
/* m by n. */
ty_tensor *matrix_of(enum family family, ty_dtype dtype, int64_t m, int64_t n);
ty_tensor *hermitian_of(enum family family, ty_dtype dtype, int64_t n);
/* Hermitian, and positive definite. */
ty_tensor *definite_of(ty_dtype dtype, int64_t n);
/* The same elements by other strides: way 0 .. 4. */
ty_tensor *laid_out(ty_tensor *x, int way);

ty_tensor *adjoint_of(ty_tensor *x);
/* In doubles. */
ty_tensor *wide(ty_tensor *x);
ty_tensor *product(ty_tensor *a, ty_tensor *b);
/* got and want are nearer to each other than 30 n eps of dtype, beside the greatest element of `beside`. */
void compare_residual(ty_tensor *got, ty_tensor *want, ty_tensor *beside, int64_t n, ty_dtype dtype,
                      const char *what);
/* x^H x is the identity. */
void check_orthonormal(ty_tensor *x, ty_dtype dtype, const char *what);

/* ---- for gradients: functions of small random x ---- */

/* x + 4, well conditioned; x x^H + 1, definite; one with eigenvalues apart from each other. */
ty_tensor *shifted(ty_tensor *x);
ty_tensor *squared(ty_tensor *x);
ty_tensor *spread(ty_tensor *x);
/* What is made of the parts of a factorisation and does not depend on the choice of vectors. */
ty_tensor *of_lu(ty_tensor *x);
ty_tensor *of_qr(ty_tensor *x, bool pivoted);
ty_tensor *of_svd(ty_tensor *x);
ty_tensor *of_eigh(ty_tensor *x);
ty_tensor *of_eig(ty_tensor *x);
#endif
