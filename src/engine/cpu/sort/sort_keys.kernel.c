/* Template: elements to keys and back, lines to tiles and back, for one unsigned type: T, NAME(verb). Included by
   sort_type.kernel.c. */

static void NAME(keys)(int64_t n, void *out, const void *x, const struct sort_order *order) {
    const T *from = x, flip = (T)order->flip, infinity = (T)order->infinity;
    const T sign = (T)((T)1 << (8 * sizeof(T) - 1)), zero = order->fold ? sign : 0;
    T *to = out;
    if (!order->floating) {
        for (int64_t i = 0; i < n; i++) to[i] = from[i] ^ flip;
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        T bits = from[i], size = bits & (T)~sign;
        bits = zero && bits == zero ? 0 : bits;
        T key = bits & sign ? (T)~bits : (T)(bits | sign);
        to[i] = (size > infinity ? (T) ~(T)0 : key) ^ flip;
    }
}

static void NAME(elements)(int64_t n, void *out, const void *keys, const struct sort_order *order) {
    const T *from = keys, flip = (T)order->flip, infinity = (T)order->infinity;
    const T sign = (T)((T)1 << (8 * sizeof(T) - 1)), nan = (T)(infinity | infinity >> 1);
    T *to = out;
    if (!order->floating) {
        for (int64_t i = 0; i < n; i++) to[i] = from[i] ^ flip;
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        T key = from[i] ^ flip;
        to[i] = key == (T) ~(T)0 ? nan : key & sign ? (T)(key & (T)~sign) : (T)~key;
    }
}

static void NAME(pack)(int64_t n, uint64_t *out, const void *keys, int64_t first, int64_t step) {
    const T *from = keys;
    for (int64_t i = 0; i < n; i++) out[i] = (uint64_t)from[i] << 32 | (uint64_t)(first + i * step);
}

/* Return true if `lines` lines are adjacent (offsets[] ascend by 1), so that rows are copied whole. */
static bool NAME(neighbours)(int64_t lines, const int64_t *offsets) {
    for (int64_t l = 1; l < lines; l++)
        if (offsets[l] != offsets[0] + l) return false;
    return true;
}

static void NAME(collect)(int64_t n, int64_t lines, void *out, int64_t row, int64_t column, const void *x,
                          int64_t stride, const int64_t *offsets) {
    T *to = out;
    const T *from = x;
    if (column == 1 && NAME(neighbours)(lines, offsets)) {
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * row, from + i * stride + offsets[0], (size_t)lines * sizeof(T));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < lines; l++) to[i * row + l * column] = from[i * stride + offsets[l]];
}

static void NAME(spread)(int64_t n, int64_t lines, void *out, int64_t stride, const int64_t *offsets,
                         const void *x, int64_t row, int64_t column) {
    T *to = out;
    const T *from = x;
    if (column == 1 && NAME(neighbours)(lines, offsets)) {
        for (int64_t i = 0; i < n; i++)
            memcpy(to + i * stride + offsets[0], from + i * row, (size_t)lines * sizeof(T));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t l = 0; l < lines; l++) to[i * stride + offsets[l]] = from[i * row + l * column];
}
