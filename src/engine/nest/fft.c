/* FFT: lines become pairs, go through passes of small radices or a convolution, and are stored (fft.kernel.c). */
#include "engine/cpu/fft/fft.h"
#include "engine/cpu/math/number_bits.h"
#include "engine/nest/draft.h"
#include "ops/core/attributes.h"

/* Lines of n pairs on their way. */
struct lines {
    struct lowering *l;
    ty_dtype dtype; /* of a part */
    int64_t count, n;
    bool backward;
};

static void call(const struct lines *x, enum algorithm_id function, int64_t items, const int *slots,
                 int nvalues, const uint64_t *values) {
    lower_call(x->l, (struct lower_call){.function = function,
                                         .dtype = x->dtype,
                                         .items = items,
                                         .slots = slots,
                                         .nvalues = nvalues,
                                         .values = values});
}

/* Return a temporary of `pairs` pairs for each line. */
static int pairs_of(const struct lines *x, int64_t lines, int64_t pairs) {
    return lower_temporary(x->l, x->dtype, 2 * lines * pairs);
}

/* Return the bits of a number of the lines' dtype. */
static uint64_t bits_of(const struct lines *x, double number) {
    return x->dtype == TY_F32 ? bits_of_f32((float)number) : bits_of_f64(number);
}

/* ---- transforms of pairs ---- */

/* Transform lines whose n has passes, from slot `x`; return the slot of the result.  Radices are 4 while it divides n,
   then primes. */
static int run_passes(const struct lines *lines, int x) {
    uint64_t n = (uint64_t)lines->n, left = n, s = 1, r = 4;
    if (n == 1) return x;
    int roots = pairs_of(lines, 1, lines->n), room[2];
    for (int i = 0; i < 2; i++) room[i] = pairs_of(lines, lines->count, lines->n);
    call(lines, ALGORITHM_fft_roots, lines->n, &roots, 2, (uint64_t[]){n, lines->backward});
    for (int i = 0; left > 1; i = !i) {
        while (left % r) r = r == 4 ? 2 : r == 3 ? 5 : r + 1; /* 4 comes first */
        left /= r;
        call(lines, ALGORITHM_fft_pass, lines->count * lines->n, (int[]){roots, x, room[i]}, 4,
             (uint64_t[]){n, r, s, left});
        s *= r;
        x = room[i];
    }
    return x;
}

/* Transform lines of any n by a convolution with a chirp, of a length that has passes. */
static int run_chirp(const struct lines *lines, int x) {
    uint64_t n = (uint64_t)lines->n, m = (uint64_t)fft_good(2 * lines->n - 1);
    struct lines one = *lines, wide = *lines;
    one.count = 1;
    one.n = wide.n = (int64_t)m;
    one.backward = wide.backward = false;
    int64_t items = lines->count * wide.n;
    int chirp = pairs_of(lines, 1, lines->n), by = pairs_of(lines, 1, wide.n);
    int spread = pairs_of(lines, lines->count, wide.n), product = pairs_of(lines, lines->count, wide.n);
    int out = pairs_of(lines, lines->count, lines->n);
    call(lines, ALGORITHM_fft_chirp, wide.n, (int[]){chirp, by}, 3, (uint64_t[]){n, m, lines->backward});
    by = run_passes(&one, by);
    call(lines, ALGORITHM_fft_multiply, items, (int[]){x, chirp, spread}, 4, (uint64_t[]){n, m, n, 1});
    spread = run_passes(&wide, spread);
    call(lines, ALGORITHM_fft_multiply, items, (int[]){spread, by, product}, 4, (uint64_t[]){m, m, m, 1});
    wide.backward = true;
    product = run_passes(&wide, product);
    call(lines, ALGORITHM_fft_multiply, lines->count * lines->n, (int[]){product, chirp, out}, 4,
         (uint64_t[]){n, n, m, m});
    return out;
}

/* ---- the kind ---- */

/* Deliver results of dtype `dtype` in lines of `slot`, which have the transformed axis last. */
static void deliver_lines(struct lowering *l, int slot, ty_dtype dtype, int axis) {
    const struct layout *y = &l->k->outputs[0].layout;
    int64_t strides[TY_MAX_RANK];
    struct draft *d = nest_over_outputs(l, "store the transforms", 0);
    if (!d) return;
    lower_line_strides(y->rank, y->shape, axis, strides);
    int r = nest_read(d, slot, dtype, 0);
    for (int a = 0; a < y->rank; a++) nest_step(nest_read_of(d, r), a, strides[a]);
    nest_deliver(d, nest_cast(d, false, r, dtype, l->k->core_dtype));
    nest_end(d);
}

void lower_fft(struct lowering *l) {
    const struct fft_attr *attr = l->k->attr;
    const struct operand *x = &l->k->inputs[0], *y = &l->k->outputs[0];
    ty_dtype dtype = l->k->core_dtype, part = dtype_table[dtype].real;
    int64_t all = shape_size(y->layout.rank, y->layout.shape), length = y->layout.shape[attr->axis];
    struct lines lines = {.l = l, .dtype = part, .n = attr->n, .backward = attr->backward};
    lines.count = length ? all / length : 0;
    int64_t most = attr->kind == FFT_HERMITIAN ? attr->n / 2 + 1 : attr->n;
    uint64_t n = (uint64_t)attr->n, one = bits_of(&lines, 1), inner = bits_of(&lines, attr->inner);
    uint64_t wide = dtype_is(x->dtype, CLASS_COMPLEX) ? 2 : 1, parts = dtype_is(dtype, CLASS_COMPLEX) ? 2 : 1;
    int from = lower_lines(l, 0, attr->axis, false, wide == 2 ? x->dtype : part);
    int loaded = pairs_of(&lines, lines.count, lines.n), out = lower_temporary(l, dtype, all);
    call(&lines, ALGORITHM_fft_load, lines.count * lines.n, (int[]){from, loaded}, 5,
         (uint64_t[]){n, (uint64_t)x->layout.shape[attr->axis], (uint64_t)most, wide,
                      attr->kind == FFT_HERMITIAN ? inner : one});
    int made = fft_has_passes(attr->n) ? run_passes(&lines, loaded) : run_chirp(&lines, loaded);
    call(&lines, ALGORITHM_fft_store, all, (int[]){made, out}, 5,
         (uint64_t[]){n, (uint64_t)length, parts, bits_of(&lines, attr->scale),
                      attr->kind == FFT_REAL ? inner : one});
    deliver_lines(l, out, dtype, attr->axis);
}
