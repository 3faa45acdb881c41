/* The loops of contractions that are not brgemm.h's, one table per instruction set. */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_KERNELS_H
#define ENGINE_CPU_CONTRACT_CONTRACT_KERNELS_H
#include "array/dtype.h"

/* out[i][j] (+)= sum over k of left[i, k, j] * right[k, j].  All steps in bytes, columns j side by side. */
struct lanes_call {
    const char *left, *right;
    char *out;
    const int64_t *left_rows, *out_rows; /* of each row */
    const int64_t *left_at, *right_at;   /* of each k; NULL: all at 0 */
    int64_t rows, columns, depth;
    bool add;
};
typedef void contract_vectors(const struct lanes_call *call);

/* rows x columns runs of so many bytes, a vector at least. */
struct move_call {
    const char *from;
    char *to;
    int64_t run, rows, columns, from_row, from_column, to_row, to_column;
};

struct contract_kernels {
    void (*move)(const struct move_call *call);
    contract_vectors *lanes[TY_DTYPES]; /* of complex numbers, by inner dtype; brgemm.h has the real ones */
    /* out[i] (+)= sum over k, j of left[i, k, j] * right[k, j]: j runs along the vector. */
    contract_vectors *dots[TY_DTYPES];
    /* to[2k][..] = (re, im), to[2k+1][..] = (-im, re) of n complex numbers; rows `pitch` bytes apart, from is dense. */
    void (*expand[TY_DTYPES])(int64_t rows, int64_t n, void *to, int64_t pitch, const void *from);
};
extern const struct contract_kernels contract_base, contract_avx2, contract_avx512;
const struct contract_kernels *contract_kernels(void);
#endif
