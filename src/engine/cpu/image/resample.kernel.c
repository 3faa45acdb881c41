/*
 * Template: resampling of one element type (resample.h). Parameters: T, weights W, NAME(verb), WEIGHED(sum, w, x) =
 * sum + w x, and REAL_PRODUCT(sum, g, x) = sum + Re(g conj(x)). A weight of 0 contributes nothing, even for NaN, so
 * each product is a choice; in vectors that costs a mask. Usual numbers of taps and steps of 1 have loops with
 * constants, which are unrolled and vectorised over positions.
 */
#define TAKEN(sum, weight, x) ((weight) != 0 ? WEIGHED(sum, weight, x) : (sum))

static inline void NAME(along_by)(int64_t n, int64_t taps, const struct resample_taps *s, T *restrict out,
                                  const T *x, int64_t step, bool more) {
    const int32_t *index = s->index;
    const W *weight = s->weight;
    int64_t gap = s->gap;
    for (int64_t i = 0; i < n; i++) {
        T sum = more ? out[i] : 0;
        for (int64_t t = 0; t < taps; t++)
            sum = TAKEN(sum, weight[t * gap + i], x[index[t * gap + i] * step]);
        out[i] = sum;
    }
}

#ifdef LANES
/* Set out[i] to the sum over taps of weight * x[index], for n positions i, a vector at a time; x has `size`
   elements. Neighbours mostly read neighbours: two vectors of x then hold all that a vector needs, and one
   permutation selects it. Otherwise x is gathered. */
static void NAME(along_lanes)(int64_t n, const struct resample_taps *s, T *out, const T *x, int64_t size) {
    for (int64_t i = 0; i < n; i += LANES) {
        MASK here = FIRST(n - i);
        VECTOR sum = V(setzero)();
        for (int64_t t = 0; t < s->taps; t++) {
            const int32_t *from = s->index + t * s->gap + i;
            INDICES index = LOAD_INDICES(here, from);
            VECTOR w = V(maskz_loadu)(here, (const W *)s->weight + t * s->gap + i), value;
            MASK use = here & NONZERO(w);
            int64_t left = size - *from;
            INDICES off = OFFSETS(index, *from);
            if (WITHIN(here, off))
                value = PERMUTE(V(maskz_loadu)(FIRST(left), x + *from), off,
                                V(maskz_loadu)(FIRST(left - LANES), x + *from + LANES));
            else
                value = GATHER(use, index, x);
            sum = V(mask3_fmadd)(value, w, sum, use);
        }
        V(mask_storeu)(out + i, here, sum);
    }
}
#endif

/* Calls along_by with constant `taps`, and with step 1 as a constant. */
#define ALONG_BY(taps, more)                                                                                 \
    (step == 1 ? NAME(along_by)(n, taps, &left, out, x, 1, more)                                             \
               : NAME(along_by)(n, taps, &left, out, x, step, more))
static void NAME(along)(int64_t n, const struct resample_taps *s, void *out, const void *x, int64_t step,
                        int64_t size) {
    struct resample_taps left = *s;
#ifdef LANES
    if (step == 1) {
        NAME(along_lanes)(n, s, out, x, size);
        return;
    }
#endif
    (void)size;
    if (s->taps == 2) {
        ALONG_BY(2, false);
        return;
    }
    for (bool more = false; left.taps > 0 || !more; more = true) {
        int64_t taps = left.taps < 4 ? left.taps : 4;
        if (taps == 4 && more)
            ALONG_BY(4, true);
        else if (taps == 4)
            ALONG_BY(4, false);
        else
            NAME(along_by)(n, taps, &left, out, x, step, more);
        left.taps -= taps;
        left.index += taps * left.gap;
        left.weight = (const W *)left.weight + taps * left.gap;
    }
}
#undef ALONG_BY

static void NAME(expand)(int64_t n, int64_t inner, const int32_t *index, const void *weight, int64_t step,
                         int64_t stride, int32_t *to_index, void *to_weight) {
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < inner; c++) {
            to_index[i * inner + c] = (int32_t)(index[i] * step + c * stride);
            ((W *)to_weight)[i * inner + c] = ((const W *)weight)[i];
        }
}

/* Set out[k] to the sum over `taps` rows of w[t] * x[t][k*stride], k < n; `more`: add to out. */
static inline void NAME(across_by)(int64_t n, int taps, T *restrict out, const T *const *x, const W *w,
                                   int64_t stride, bool more) {
    for (int64_t k = 0; k < n; k++) {
        T sum = more ? out[k] : 0;
        for (int t = 0; t < taps; t++) sum = WEIGHED(sum, w[t], x[t][k * stride]);
        out[k] = sum;
    }
}

/* Set out[k] to the sum over taps < 4 rows, as across_by does. */
static inline void NAME(across_few)(int64_t n, int taps, T *out, const T *const *x, const W *w,
                                    int64_t stride, bool more) {
    if (taps == 3)
        NAME(across_by)(n, 3, out, x, w, stride, more);
    else if (taps == 2)
        NAME(across_by)(n, 2, out, x, w, stride, more);
    else if (taps == 1)
        NAME(across_by)(n, 1, out, x, w, stride, more);
    else if (!more)
        memset(out, 0, (size_t)n * sizeof(T));
}

/* Sum n elements of pixel i into `out`, over `rows` rows and the taps of i. The weight of row r and a tap is
   row_weight[r] times the tap's own. Pixels begin at index*step of from[r], elements are `stride` apart. `more`:
   add to out. */
static inline void NAME(pixel)(int64_t n, const struct resample_taps *s, int64_t i, int rows,
                               const W *row_weight, const T *const *from, T *out, int64_t step,
                               int64_t stride, bool more) {
    const T *x[4];
    W w[4];
    int taps = 0;
    for (int r = 0; r < rows; r++)
        for (int64_t t = 0; t < s->taps; t++) {
            W own = ((const W *)s->weight)[t * s->gap + i];
            if (own == 0) continue;
            w[taps] = row_weight[r] * own;
            x[taps++] = from[r] + s->index[t * s->gap + i] * step;
            if (taps < 4) continue;
            NAME(across_by)(n, 4, out, x, w, stride, more);
            more = true;
            taps = 0;
        }
    NAME(across_few)(n, taps, out, x, w, stride, more);
}

static void NAME(pixels)(int64_t first, int64_t n, int64_t inner, const struct resample_taps *s, int rows,
                         const double *row_weight, const void *const *from, void *out, int64_t step,
                         int64_t stride, bool more) {
    W weight[RESAMPLE_ROWS];
    const T *x[RESAMPLE_ROWS];
    int64_t i = first / inner, c = first % inner;
    for (int r = 0; r < rows; r++) weight[r] = (W)row_weight[r];
    for (int64_t k = 0; k < n; i++, c = 0) {
        int64_t count = inner - c < n - k ? inner - c : n - k;
        for (int r = 0; r < rows; r++) x[r] = (const T *)from[r] + c * stride;
        if (stride == 1)
            NAME(pixel)(count, s, i, rows, weight, x, (T *)out + k, step, 1, more);
        else
            NAME(pixel)(count, s, i, rows, weight, x, (T *)out + k, step, stride, more);
        k += count;
    }
}

static void NAME(add_along)(int64_t n, const struct resample_taps *s, void *out, const void *g,
                            int64_t step) {
    T *to = out;
    const W *weight = s->weight;
    for (int64_t i = 0; i < n; i++) {
        T value = ((const T *)g)[i * step];
        for (int64_t t = 0; t < s->taps; t++) {
            T *sum = &to[s->index[t * s->gap + i]];
            *sum = TAKEN(*sum, weight[t * s->gap + i], value);
        }
    }
}

static void NAME(add_across)(int64_t n, const struct resample_taps *s, void *out, int64_t step, const void *g,
                             int64_t stride) {
    for (int64_t t = 0; t < s->taps; t++) {
        W w = ((const W *)s->weight)[t * s->gap];
        T *restrict to = (T *)out + s->index[t * s->gap] * step;
        const T *restrict from = g;
        if (w == 0) continue;
        if (stride == 1)
            for (int64_t k = 0; k < n; k++) to[k] = WEIGHED(to[k], w, from[k]);
        else
            for (int64_t k = 0; k < n; k++) to[k] = WEIGHED(to[k], w, from[k * stride]);
    }
}

static inline void NAME(dot_along_by)(int64_t n, const int32_t *index, W *restrict out, const T *g,
                                      int64_t step, const T *x, int64_t x_step) {
    for (int64_t i = 0; i < n; i++) out[i] = REAL_PRODUCT(out[i], g[i * step], x[index[i] * x_step]);
}

static void NAME(dot_along)(int64_t n, const int32_t *index, void *out, const void *g, int64_t step,
                            const void *x, int64_t x_step) {
    if (step == 1 && x_step == 1)
        NAME(dot_along_by)(n, index, out, g, 1, x, 1);
    else
        NAME(dot_along_by)(n, index, out, g, step, x, x_step);
}

/* Return the sum over k < n of Re(g[k*step] * conj(x[k*x_step])), in a fixed number of partial sums. So the order
   of additions does not depend on the vector length. */
static inline W NAME(dot_by)(int64_t n, const T *g, int64_t step, const T *x, int64_t x_step) {
    enum { PARTS = RESAMPLE_LANES };
    W parts[PARTS] = {0};
    int64_t k = 0;
    for (; k + PARTS <= n; k += PARTS)
        for (int j = 0; j < PARTS; j++)
            parts[j] = REAL_PRODUCT(parts[j], g[(k + j) * step], x[(k + j) * x_step]);
#pragma GCC unroll 1 /* else written out for each count */
    for (int j = 0; k < n; k++, j++) parts[j] = REAL_PRODUCT(parts[j], g[k * step], x[k * x_step]);
    for (int width = PARTS / 2; width; width /= 2)
        for (int j = 0; j < width; j++) parts[j] += parts[j + width];
    return parts[0];
}

static void NAME(dot_across)(int64_t n, void *out, const void *g, int64_t step, const void *x,
                             int64_t x_step) {
    *(W *)out += step == 1 && x_step == 1 ? NAME(dot_by)(n, g, 1, x, 1) : NAME(dot_by)(n, g, step, x, x_step);
}

static const struct resample_type NAME(type) = {inside,          NAME(along),     NAME(expand),
                                                NAME(pixels),    NAME(add_along), NAME(add_across),
                                                NAME(dot_along), NAME(dot_across)};
#undef TAKEN
#undef T
#undef W
#undef NAME
#undef WEIGHED
#undef REAL_PRODUCT
