/* Text, template: recursive filters of lines, in the order of sums of engine/cpu/reduce/scan_filter.kernel.c.
   Parameter: TYPE, f64 or c128. */

/* Filter a line of n elements of x by set item / share of nb coefficients b and na coefficients a.  z: order + 1
   numbers for each line.  The order is that of the longer side; missing coefficients are 0. */
static void T(filter)(i64 item, MEMORY const TYPE *x, MEMORY const TYPE *b, MEMORY const TYPE *a,
                      MEMORY TYPE *out, MEMORY TYPE *z, u64 n, u64 nb, u64 na, u64 order, u64 share) {
    const TYPE zero = TYPE_ZERO;
    TYPE last = zero;
    x += (u64)item * n;
    out += (u64)item * n;
    z += (u64)item * (order + 1);
    b += (u64)item / share * nb;
    a += (u64)item / share * na;
    for (u64 j = 0; j <= order; j++) z[j] = zero;
    for (u64 i = 0; i < n; i++) {
        const TYPE now = x[i], own = T(row_fma)(b[0], now, z[0]);
        last = T(row_fma)(na > 0 ? T(row_neg)(a[0]) : zero, last, own);
        z[0] = T(row_fma)(nb > 1 ? b[1] : zero, now, z[1]);
        for (u64 j = 1; j < order; j++) {
            const TYPE more = T(row_fma)(j + 1 < nb ? b[j + 1] : zero, now, z[j + 1]);
            z[j] = T(row_fma)(j < na ? T(row_neg)(a[j]) : zero, last, more);
        }
        out[i] = last;
    }
}
