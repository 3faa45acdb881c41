/* Text, template: products with a matrix of numbers of few bits, in the order of sums of ops/core/attributes.h.
   Parameter: TYPE, f32. */

/* Return the sum over a word of the matrix, from number `begin` of its row on, times its block's scale, added to y. */
static TYPE T(few_bits_word)(MEMORY const u8 *codes, MEMORY const TYPE *table, MEMORY const TYPE *a,
                             MEMORY const TYPE *scale, MEMORY const TYPE *zero, u64 begin, u64 depth,
                             u64 bits, u64 zeros, TYPE y) {
    const TYPE none = TYPE_ZERO, less = zeros && begin < depth ? *zero : none;
    TYPE sum = none;
    for (u64 k = begin; k < begin + 32 / bits; k++) {
        const int inside = k < depth;
        const u64 code = inside ? (u64)codes[k * bits / 8] >> (k * bits % 8) & ((1u << bits) - 1) : 0;
        const TYPE value = zeros ? T(row_sub)(table[code], less) : table[code];
        sum = T(row_fma)(inside ? a[k] : none, value, sum);
    }
    return T(row_fma)(begin < depth ? *scale : none, sum, y);
}

/* Compute the product of a row of a, [.., depth], and a row of the matrix, of `rows`, with `bytes` of codes and
   `blocks` scales each. */
static void T(few_bits)(i64 item, MEMORY const u8 *codes, MEMORY const TYPE *table, MEMORY const TYPE *a,
                        MEMORY const TYPE *scales, MEMORY const TYPE *zero, MEMORY TYPE *out, u64 rows,
                        u64 bytes, u64 depth, u64 block, u64 blocks, u64 bits, u64 zeros) {
    const u64 row = (u64)item % rows, word = 32 / bits;
    TYPE y[16];
    a += (u64)item / rows * depth;
    codes += row * bytes;
    scales += row * blocks;
    zero += row * blocks;
    for (int lane = 0; lane < 16; lane++) y[lane] = TYPE_ZERO;
    for (u64 first = 0; first < depth; first += 16 * word)
        for (u64 lane = 0; lane < 16; lane++) {
            const u64 begin = first + lane * word, at = begin / block;
            y[lane] =
                T(few_bits_word)(codes, table, a, scales + at, zero + at, begin, depth, bits, zeros, y[lane]);
        }
    for (int half = 8; half > 0; half /= 2)
        for (int lane = 0; lane < half; lane++) y[lane] = T(row_add)(y[lane], y[lane + half]);
    out[item] = y[0];
}
