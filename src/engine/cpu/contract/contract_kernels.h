/* Loops of contractions besides those of brgemm.h, with a table for each instruction set. */
#ifndef ENGINE_CPU_CONTRACT_CONTRACT_KERNELS_H
#define ENGINE_CPU_CONTRACT_CONTRACT_KERNELS_H
#include "array/dtype.h"

/* Operands of out[i][j] (+)= sum over k of left[i, k, j] * right[k, j]. Steps are in bytes; columns j are
   contiguous. */
struct lanes_call {
    const char *left, *right;
    char *out;
    const int64_t *left_rows, *out_rows; /* byte offset of each row */
    const int64_t *left_at, *right_at;   /* byte offset of each k; NULL: all 0 */
    int64_t rows, columns, depth;
    bool add;
};
typedef void contract_vectors(const struct lanes_call *call);

/* Operands of a copy of rows x columns runs, each of `run` bytes, at least one vector. Steps are in bytes. */
struct move_call {
    const char *from;
    char *to;
    int64_t run, rows, columns, from_row, from_column, to_row, to_column;
};

/* The loops for one instruction set. */
struct contract_kernels {
    void (*move)(const struct move_call *call);
    /* complex only, indexed by inner dtype; brgemm.h has the real ones */
    contract_vectors *lanes[TY_DTYPES];
    /* out[i] (+)= sum over k, j of left[i, k, j] * right[k, j]; j runs along the vector. Indexed by the dtype of left:
       that of sums, or f16 and bf16, which are widened to f32 as they are read */
    contract_vectors *dots[TY_DTYPES];
    /* Writes n complex numbers of each row as two rows of reals: to[2k] = (re, im), to[2k+1] = (-im, re). Rows of
       `to` are `pitch` bytes apart; `from` is dense. */
    void (*expand[TY_DTYPES])(int64_t rows, int64_t n, void *to, int64_t pitch, const void *from);
};
extern const struct contract_kernels contract_base, contract_avx2, contract_avx512;
/* Return the contraction loops of the current instruction set. Static. */
const struct contract_kernels *contract_kernels(void);
#endif
