/*
 * Products inside factorisations. The right operand is packed into panels; then a block of rows at a time is packed
 * and multiplied by the primitive of contractions. Sums run in ascending order for any blocks, and blocks depend on
 * sizes alone.
 *
 * Complex products use real ones. The left operand's rows (re im) are used in place. Each complex number on the right
 * becomes two rows, (re im) and (-im re). The products are adjacent parts of the result.
 */
#include "engine/cpu/gemm/brgemm.h"
#include "base/context/stop.h"
#include "engine/cpu/linalg/linalg.h"

struct product_job {
    struct matrix_job *job;
    struct matrix_view a;
    bool minus;
    int64_t m, n, depth; /* of this part, in elements */
    int64_t panel;       /* columns of a panel, in elements */
    char *c;
    int64_t ldc;
};

/* Add `rows` rows of the product, from row `first` on, to those of p->c; left: scratch for a copy of a's rows. */
static void rows_of_product(const struct product_job *p, int64_t first, int64_t rows, char *left) {
    const struct matrix_plan *plan = p->job->p;
    int64_t wide = plan->complex_values ? 2 : 1, depth = p->depth * wide;
    size_t real = plan->real_size;
    ty_dtype type = real == 4 ? TY_F32 : TY_F64;
    const char *a = p->a.x + first * p->a.row * (int64_t)plan->size;
    p->job->l->copy(rows, p->depth, a, p->a.row, p->a.column, p->a.conjugate, p->minus, left, p->depth);
    for (int64_t j = 0; j < p->n; j += p->panel) {
        int64_t columns = p->n - j < p->panel ? p->n - j : p->panel;
        struct brgemm_shape shape = {.left = type, .right = type, .out = type, .group = 1, .chains = 1};
        shape.rows = (int32_t)rows;
        shape.columns = (int32_t)(columns * wide);
        shape.left_row = depth * (int64_t)real;
        shape.left_step = (int64_t)real;
        shape.right_step = columns * wide * (int64_t)real;
        shape.out_row = p->ldc * (int64_t)plan->size;
        struct brgemm kernel;
        if (!brgemm_find(&kernel, &shape)) return; /* cannot happen: both dtypes are known */
        struct brgemm_call call = {.left = left,
                                   .right = p->job->packed + (size_t)(j * wide * depth) * real,
                                   .out = p->c + (first * p->ldc + j) * (int64_t)plan->size,
                                   .batches = 1,
                                   .depth = depth,
                                   .add = 1};
        kernel.run(&kernel, &call);
    }
}

/* Compute blocks begin .. end-1 of the product's rows. Task of parallel_for; context is a struct product_job. */
static void blocks_of_product(void *context, int64_t begin, int64_t end) {
    const struct product_job *p = context;
    size_t own = p->job->shares ? (size_t)parallel_index() : 0;
    char *left = p->job->left + own * p->job->p->left;
    for (int64_t block = begin; block < end; block++) {
        int64_t first = block * BLOCK_ROWS, rows = p->m - first < BLOCK_ROWS ? p->m - first : BLOCK_ROWS;
        rows_of_product(p, first, rows, left);
    }
}

void matrix_product(struct matrix_job *job, int64_t m, int64_t n, int64_t k, struct matrix_view a,
                    struct matrix_view b, bool minus, void *c, int64_t ldc) {
    const struct matrix_plan *plan = job->p;
    int64_t wide = plan->complex_values ? 2 : 1, size = (int64_t)plan->size;
    struct product_job p = {.job = job, .minus = minus, .m = m, .ldc = ldc, .panel = 96 / wide};
    for (int64_t j = 0; j < n; j += BAND / wide)
        for (int64_t t = 0; t < k && !stop_cut(); t += DEPTH / wide) {
            p.n = n - j < BAND / wide ? n - j : BAND / wide;
            p.depth = k - t < DEPTH / wide ? k - t : DEPTH / wide;
            p.a = (struct matrix_view){a.x + t * a.column * size, a.row, a.column, a.conjugate};
            p.c = (char *)c + j * size;
            job->l->pack(p.depth, p.n, b.x + (t * b.row + j * b.column) * size, b.row, b.column, b.conjugate,
                         p.panel, job->packed);
            int64_t blocks = (m + BLOCK_ROWS - 1) / BLOCK_ROWS;
            if (job->shares)
                parallel_for(plan->sharing, blocks, 1, blocks_of_product, &p);
            else
                blocks_of_product(&p, 0, blocks);
        }
}
