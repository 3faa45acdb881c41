/* Loops of products with a matrix of numbers of few bits (few_bits_isa.kernel.c), a table for each instruction set. */
#ifndef ENGINE_CPU_GEMM_FEW_BITS_H
#define ENGINE_CPU_GEMM_FEW_BITS_H
#include <stdbool.h>
#include <stdint.h>

enum {
    FEW_BITS_GROUP_BYTES = 64, /* codes of a group: FEW_BITS_LANES words */
    FEW_BITS_COLUMNS = 4       /* rows of the matrix that a call takes at most */
};
/* How codes become numbers. */
enum few_bits_read {
    FEW_BITS_TWO,      /* look up in 16 entries, of which each four are the table */
    FEW_BITS_FOUR,     /* look up in 16 entries */
    FEW_BITS_UNSIGNED, /* the table's first entry + the code */
    FEW_BITS_SIGNED,   /* the same, of codes as signed integers */
    FEW_BITS_BYTES,    /* look up in 256 entries */
    FEW_BITS_READS
};
/* A row of the matrix from the first group of a call on. */
struct few_bits_row {
    const uint8_t *codes;
    const float *scales, *zeros; /* those of word 0 of the row, or of the first group if `shift` is 0 */
};
/* Add products of `groups` groups to sums [column][row][lane]. */
struct few_bits_call {
    struct few_bits_row rows[FEW_BITS_COLUMNS];
    const float *table;    /* aligned to 64 bytes */
    const float *a;        /* of the first group: [group][number of a word][row][lane] */
    float *sums;           /* of the first column and row, aligned to 64 bytes */
    int64_t sums_column;   /* elements from column to column */
    int64_t first, groups; /* group number of the first one */
    int shift;             /* log2 of the words of a block */
};
typedef void (*few_bits_loop)(const struct few_bits_call *call);

/* Loops for 1, 2, 4 and 8 rows of a. */
enum { FEW_BITS_HEIGHTS = 4 };
struct few_bits_loops {
    few_bits_loop run[FEW_BITS_READS][2][FEW_BITS_HEIGHTS]; /* [1]: with zeros */
    int columns[FEW_BITS_HEIGHTS];
};
extern const struct few_bits_loops few_bits_base, few_bits_avx2, few_bits_avx512;
#endif
