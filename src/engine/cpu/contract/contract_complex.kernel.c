/* Complex numbers: expansion of rows for the real kernels (contract_plan.h), and LANES, out = left * right by
   element. Template; the includer defines T, the real type, NAME(x), and MADD(a, b, c) = a * b + c of T. */
/* Expand each row of n complex numbers into two rows of 2n reals, (re, im) and (-im, re). The `rows` rows of `from`
   are dense; those of `to` are `pitch` bytes apart. */
static void NAME(expand)(int64_t rows, int64_t n, void *to, int64_t pitch, const void *from) {
    for (int64_t k = 0; k < rows; k++) {
        const T *restrict x = (const T *)from + 2 * n * k;
        T *restrict real = (T *)((char *)to + 2 * k * pitch), *restrict turned = (T *)((char *)real + pitch);
        for (int64_t j = 0; j < n; j++) {
            real[2 * j] = x[2 * j];
            real[2 * j + 1] = x[2 * j + 1];
            turned[2 * j] = -x[2 * j + 1];
            turned[2 * j + 1] = x[2 * j];
        }
    }
}

/* Compute out[i][j] (+)= sum over k of left[i, k, j] * right[k, j], complex; adds to out if t->add. Scalar code, in
   strips of 64 columns. */
static void NAME(complex_lanes)(const struct lanes_call *t) {
    enum { STRIP = 64 };
    T re[STRIP], im[STRIP];
    for (int64_t i = 0; i < t->rows; i++)
        for (int64_t first = 0, n; first < t->columns; first += n) {
            n = t->columns - first < STRIP ? t->columns - first : STRIP;
            T *out = (T *)(t->out + t->out_rows[i]) + 2 * first;
            for (int64_t j = 0; j < n; j++) {
                re[j] = t->add ? out[2 * j] : 0;
                im[j] = t->add ? out[2 * j + 1] : 0;
            }
            for (int64_t k = 0; k < t->depth; k++) {
                const T *x = (const T *)(t->left + t->left_rows[i] + t->left_at[k]) + 2 * first;
                const T *y = (const T *)(t->right + t->right_at[k]) + 2 * first;
                for (int64_t j = 0; j < n; j++) {
                    re[j] = MADD(-x[2 * j + 1], y[2 * j + 1], MADD(x[2 * j], y[2 * j], re[j]));
                    im[j] = MADD(x[2 * j + 1], y[2 * j], MADD(x[2 * j], y[2 * j + 1], im[j]));
                }
            }
            for (int64_t j = 0; j < n; j++) {
                out[2 * j] = re[j];
                out[2 * j + 1] = im[j];
            }
        }
}
#undef T
#undef NAME
#undef MADD
