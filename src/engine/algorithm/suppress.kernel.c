/* Text, template: non-maximum suppression.  Parameter: TYPE, f64.  All values are those of engine/cpu/image/suppress.c. */

/* True if the share of a box with a kept one (area of intersection by union) exceeds `overlap`; each has its low
   corner, its high corner and its area, and an edge of kept boxes is `most` apart from the next. */
static int T(suppress_hides)(MEMORY const TYPE *kept, u64 most, const TYPE *box, TYPE overlap) {
    const TYPE low0 = kept[0] > box[0] ? kept[0] : box[0],
               high0 = kept[2 * most] < box[2] ? kept[2 * most] : box[2];
    const TYPE low1 = kept[most] > box[1] ? kept[most] : box[1],
               high1 = kept[3 * most] < box[3] ? kept[3 * most] : box[3];
    const TYPE width = high0 - low0, height = high1 - low1, both = width * height;
    return width > 0 && height > 0 && both / (kept[4 * most] + box[4] - both) > overlap;
}

/* Choose the boxes of an image and class, in the given order; -1 behind them.  An image has boxes [boxes, 4],
   scores and order have [boxes].  status is 1 if the order has a box out of bounds.  overlap, score: bits of numbers. */
static void T(suppress)(i64 item, MEMORY const TYPE *images, MEMORY const TYPE *scores,
                        MEMORY const i64 *order, MEMORY i64 *out, MEMORY TYPE *kept, MEMORY i64 *status,
                        u64 classes, u64 boxes, u64 most, u64 overlap, u64 score) {
    u64 count = 0;
    images += (u64)item / classes * boxes * 4;
    scores += (u64)item * boxes;
    order += (u64)item * boxes;
    out += (u64)item * most;
    kept += (u64)item * most * 5;
    status[item] = 0;
    for (u64 i = 0; i < boxes && count < most; i++) {
        TYPE box[5];
        int hidden = 0;
        const i64 at = order[i];
        if (at < 0 || at >= (i64)boxes) {
            status[item] = 1;
            break;
        }
        if (!(scores[at] >= f64_of_bits(score))) continue;
        for (int k = 0; k < 2; k++) {
            const TYPE a = images[at * 4 + k], b = images[at * 4 + k + 2];
            box[k] = a > b ? b : a;
            box[k + 2] = a > b ? a : b;
        }
        box[4] = (box[2] - box[0]) * (box[3] - box[1]);
        for (u64 j = 0; j < count && !hidden; j++)
            hidden = T(suppress_hides)(kept + j, most, box, f64_of_bits(overlap));
        if (hidden) continue;
        for (int k = 0; k < 5; k++) kept[(u64)k * most + count] = box[k];
        out[count++] = at;
    }
    while (count < most) out[count++] = -1;
}
