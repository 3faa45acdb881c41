/* Text, template: positions of the elements of x that are true, block by block.  Parameter: TYPE, boolean. */

/* Count the elements of a block of `block` elements; x has n. */
static void T(nonzero_count)(i64 item, MEMORY const TYPE *x, MEMORY i64 *counts, u64 n, u64 block) {
    const u64 begin = (u64)item * block, end = n - begin < block ? n : begin + block;
    i64 count = 0;
    for (u64 i = begin; i < end; i++) count += x[i];
    counts[item] = count;
}

/* Replace the counts of `blocks` blocks by their sums so far, and append the whole sum. */
static void T(nonzero_sum)(i64 item, MEMORY i64 *counts, u64 blocks) {
    i64 sum = item;
    for (u64 i = 0; i <= blocks; i++) {
        const i64 count = i < blocks ? counts[i] : 0;
        counts[i] = sum;
        sum += count;
    }
}

/* Write the positions of the elements of a block behind those of earlier blocks; there is room for `most`. */
static void T(nonzero_place)(i64 item, MEMORY const TYPE *x, MEMORY const i64 *counts, MEMORY i64 *places,
                             u64 n, u64 block, u64 most) {
    const u64 begin = (u64)item * block, end = n - begin < block ? n : begin + block;
    u64 at = (u64)counts[item];
    for (u64 i = begin; i < end; i++)
        if (x[i] && at < most) places[at++] = (i64)i;
}
