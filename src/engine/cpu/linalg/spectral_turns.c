/* Recorded rotations, applied to vectors in batches by blocks of columns, which threads share. */
#include <math.h>
#include "base/context/stop.h"
#include "engine/cpu/linalg/spectral.h"

const struct spectral_table *spectral_table(void) {
    static const struct spectral_table *const tables[ISA_COUNT] = ISA_TABLE(&spectral_);
    return tables[isa_current()];
}

struct turns turns_of(struct cut *c, int64_t n, char *rows, int64_t columns) {
    const struct matrix_plan *p = c->job->p;
    struct turns t = {.job = c->job, .rows = rows, .room = 2 * TURN_ROUNDS * n};
    t.columns = t.ld = columns * (p->complex_values ? 2 : 1);
    t.sweeps = cut_take(c, TURN_SWEEPS, sizeof *t.sweeps);
    t.pairs = cut_take(c, t.room, sizeof *t.pairs);
    return t;
}

double *turns_sweep(struct turns *t, int64_t first, int64_t count, int64_t step) {
    if (!t || !t->rows) return NULL;
    if (t->count == TURN_SWEEPS || t->used + 2 * count > t->room) turns_flush(t);
    t->sweeps[t->count++] = (struct turn_sweep){first, count, step, t->used};
    t->used += 2 * count;
    return t->pairs + t->used - 2 * count;
}

/* A multiple of the columns that pass through registers together. */
enum { TURN_BLOCK = 128 };

/* Apply the recorded rotations to blocks begin .. end-1 of columns. Task of parallel_for; context is a struct
   turns. */
static void flush_blocks(void *context, int64_t begin, int64_t end) {
    const struct turns *t = context;
    const struct matrix_plan *p = t->job->p;
    for (int64_t block = begin; block < end && !stop_cut(); block++) {
        int64_t first = block * TURN_BLOCK,
                columns = t->columns - first < TURN_BLOCK ? t->columns - first : TURN_BLOCK;
        spectral_table()->turns[p->real_size == 8].turn(t->count, t->sweeps, t->pairs, columns,
                                                        t->rows + (size_t)first * p->real_size, t->ld);
    }
}

void turns_flush(struct turns *t) {
    int64_t blocks = (t->columns + TURN_BLOCK - 1) / TURN_BLOCK;
    if (t->count && t->job->shares)
        parallel_for(t->job->p->sharing, blocks, 1, flush_blocks, t);
    else if (t->count)
        flush_blocks(t, 0, blocks);
    t->count = t->used = 0;
}

struct turn turn_of(double x, double y) {
    static const double small = 0x1p-480; /* below, squares lose digits */
    double most = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    if (y == 0) return (struct turn){1, 0, x};
    if (most < small || most > 0x1p480) {
        int power;
        frexp(most, &power);
        struct turn t = turn_of(ldexp(x, -power), ldexp(y, -power));
        t.r = ldexp(t.r, power);
        return t;
    }
    double r = sqrt(x * x + y * y);
    if (x < 0) r = -r;
    return (struct turn){x / r, y / r, r};
}
