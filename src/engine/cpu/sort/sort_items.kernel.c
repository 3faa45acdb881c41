/*
 * Template: sorting items of one unsigned type: T, NAME(verb).  Included by sort_type.kernel.c.
 *
 *   many items   radix sort by counting, lowest digit first (H. Seward, 1954), between the lowest and the highest
 *                bit that differ; parts of a line count separately, so threads share every pass;
 *   some ranks   histograms of the highest differing digit select the items that can have these ranks.
 */

/* ---- counting ---- */

struct NAME(radix) {
    const T *from;
    T *to;
    int64_t n;
    int chunks, passes, bits, shift, pass;
    uint32_t *counts;   /* [chunk][pass][1 << bits] */
    int64_t *positions; /* [chunk][1 << bits] */
    T differing[SORT_CHUNKS];
    bool disordered[SORT_CHUNKS];
};

static inline int64_t NAME(chunk_start)(const struct NAME(radix) * r, int64_t chunk) {
    return r->n / r->chunks * chunk + r->n % r->chunks * chunk / r->chunks;
}

static void NAME(look)(void *context, int64_t begin, int64_t end) {
    struct NAME(radix) *r = context;
    for (int64_t c = begin; c < end; c++) {
        const T *a = r->from, first = a[0];
        T differing = 0, falls = 0;
        int64_t i = NAME(chunk_start)(r, c), stop = NAME(chunk_start)(r, c + 1);
        for (int64_t edge; i < stop && !stop_cut(); i = edge) {
            edge = stop - i < SORT_PIECE ? stop : i + SORT_PIECE;
            for (i = i ? i : 1; i < edge; i++) {
                differing |= a[i] ^ first;
                falls |= a[i] < a[i - 1];
            }
        }
        r->differing[c] = differing;
        r->disordered[c] = falls;
    }
}

/* Count the items of parts begin .. end-1 by digit, tile by tile. With several parts count only this pass's
   digit, since items move between parts. Task of parallel_for; context is a struct NAME(radix). */
static void NAME(count)(void *context, int64_t begin, int64_t end) {
    struct NAME(radix) *r = context;
    size_t size = (size_t)1 << r->bits;
    const T mask = (T)(size - 1);
    int last = r->chunks > 1 ? r->pass + 1 : r->passes;
    for (int64_t c = begin; c < end; c++) {
        int64_t stop = NAME(chunk_start)(r, c + 1);
        uint32_t *counts = r->counts + (size_t)c * (size_t)r->passes * size;
        for (int p = r->pass; p < last; p++) memset(counts + (size_t)p * size, 0, size * sizeof *counts);
        for (int64_t i = NAME(chunk_start)(r, c); i < stop && !stop_cut(); i += CPU_TILE) {
            int64_t n = stop - i < CPU_TILE ? stop - i : CPU_TILE;
            for (int p = r->pass; p < last; p++) {
                uint32_t *count = counts + (size_t)p * size;
                int shift = r->shift + p * r->bits;
                for (int64_t k = 0; k < n; k++) count[(r->from[i + k] >> shift) & mask]++;
            }
        }
    }
}

static void NAME(move)(void *context, int64_t begin, int64_t end) {
    struct NAME(radix) *r = context;
    size_t size = (size_t)1 << r->bits;
    const T mask = (T)(size - 1), *from = r->from;
    T *to = r->to;
    int shift = r->shift + r->pass * r->bits;
    for (int64_t c = begin; c < end; c++) {
        int64_t stop = NAME(chunk_start)(r, c + 1), *at = r->positions + (size_t)c * size;
        /* Items of all digits come soon, and touch all pages of fresh memory, which the system fills with zeros:
           240 MB of huge pages take 130 ms.  So the first pieces are short. */
        int64_t piece = SORT_FIRST_PIECE;
        for (int64_t i = NAME(chunk_start)(r, c), edge; i < stop && !stop_cut(); i = edge) {
            edge = stop - i < piece ? stop : i + piece;
            if (piece < SORT_PIECE) piece *= 2;
            for (int64_t k = i; k < edge; k++) {
                T x = from[k];
                to[at[(x >> shift) & mask]++] = x;
            }
        }
    }
}

/* Set r->positions, the output position at which each part writes its first item of each digit, and return true.
   Return false if all items have the same digit, so that the pass can be skipped. */
static bool NAME(place)(struct NAME(radix) * r) {
    size_t size = (size_t)1 << r->bits;
    int64_t at = 0;
    for (size_t digit = 0; digit < size; digit++) {
        int64_t before = at;
        for (int c = 0; c < r->chunks; c++) {
            r->positions[(size_t)c * size + digit] = at;
            at += r->counts[((size_t)c * (size_t)r->passes + (size_t)r->pass) * size + digit];
        }
        if (at - before == r->n) return false;
    }
    return true;
}

static T *NAME(sort_counting)(int64_t n, T *a, T *b, const struct sort_job *job) {
    struct NAME(radix) r = {.from = a, .to = b, .n = n};
    int64_t wanted = n / cpu_parted(SORT_CHUNK) < job->width ? n / cpu_parted(SORT_CHUNK) : job->width,
            least = n / UINT32_MAX + 1;
    r.chunks = (int)(wanted > least ? wanted : least);
    if (r.chunks > SORT_CHUNKS) r.chunks = SORT_CHUNKS;
    parallel_for(job->width, r.chunks, 1, NAME(look), &r);
    T differing = 0;
    bool disordered = false;
    for (int c = 0; c < r.chunks; c++) {
        differing |= r.differing[c];
        disordered |= r.disordered[c];
    }
    differing = (T)(differing >> job->low);
    if (!disordered || !differing) return a;
    int lowest = __builtin_ctzll(differing), span = 64 - __builtin_clzll(differing) - lowest;
    int most = n < SORT_WIDE_DIGITS || sizeof(T) < 4 ? 8 : 11;
    r.passes = (span + most - 1) / most;
    r.bits = (span + r.passes - 1) / r.passes;
    r.shift = job->low + lowest;
    r.counts = (uint32_t *)job->room;
    r.positions = (int64_t *)(r.counts + ((size_t)r.chunks * (size_t)r.passes << r.bits));
    parallel_for(job->width, r.chunks, 1, NAME(count), &r);
    for (r.pass = 0; r.pass < r.passes; r.pass++) {
        if (r.pass && r.chunks > 1) parallel_for(job->width, r.chunks, 1, NAME(count), &r);
        if (!NAME(place)(&r)) continue;
        parallel_for(job->width, r.chunks, 1, NAME(move), &r);
        T *other = (T *)r.from;
        r.from = r.to;
        r.to = other;
    }
    return (T *)r.from;
}

/* ---- some ranks ---- */

/* Set *least and *most to the digits of ranks `first` and first + count - 1, and *before to the number of items
   with digits below *least. counts[d] is the number of items with digit d. Return the number of items from
   *least to *most, both included. */
static int64_t NAME(bounds)(const uint32_t *counts, int64_t first, int64_t count, T *least, T *most,
                            int64_t *before) {
    int64_t at = 0;
    T digit = 0;
    while (at + counts[digit] <= first) at += counts[digit++];
    *least = digit;
    *before = at;
    while (at + counts[digit] < first + count) at += counts[digit++];
    *most = digit;
    return at + counts[digit] - *before;
}

static int64_t NAME(keep)(int64_t n, T *a, int shift, T least, T range) {
    int64_t kept = 0;
    for (int64_t begin = 0, end; begin < n && !stop_cut(); begin = end) {
        end = n - begin < SORT_PIECE ? n : begin + SORT_PIECE;
        for (int64_t i = begin; i < end; i++) {
            T x = a[i];
            a[kept] = x;
            kept += (T)((T)(x >> shift) - least) <= range;
        }
    }
    return kept;
}

/* Return the bits in which the n items differ. */
static T NAME(differing)(int64_t n, const T *a) {
    T differing = 0;
    for (int64_t begin = 0, end; begin < n && !stop_cut(); begin = end) {
        end = n - begin < SORT_PIECE ? n : begin + SORT_PIECE;
        for (int64_t i = begin; i < end; i++) differing |= a[i] ^ a[0];
    }
    return differing;
}

static void NAME(tally_digit)(int64_t n, const T *a, int shift, T mask, uint32_t *counts) {
    for (int64_t begin = 0, end; begin < n && !stop_cut(); begin = end) {
        end = n - begin < SORT_PIECE ? n : begin + SORT_PIECE;
        for (int64_t i = begin; i < end; i++) counts[(a[i] >> shift) & mask]++;
    }
}

static int64_t NAME(select)(int64_t n, void *items, int low, int64_t *first, int64_t count) {
    enum { BITS = sizeof(T) == 1 ? 8 : 11, ENOUGH = 128 };
    T *a = items;
    uint32_t counts[1 << BITS];
    while (n > ENOUGH && count <= n / 2 && count > 0 && n <= UINT32_MAX) {
        T differing = (T)(NAME(differing)(n, a) >> low), least, most;
        if (!differing) break;
        int top = 63 - __builtin_clzll(differing) + low, shift = top - BITS + 1 > low ? top - BITS + 1 : low;
        T mask = (T)((((uint64_t)1 << (top - shift)) << 1) - 1);
        T above = (T)((a[0] >> shift) & (T)~mask);
        int64_t before;
        memset(counts, 0, sizeof counts);
        NAME(tally_digit)(n, a, shift, mask, counts);
        if (stop_cut()) break; /* ranks are not in the counts */
        int64_t left = NAME(bounds)(counts, *first, count, &least, &most, &before);
        if (left == n) break;
        int64_t kept = NAME(keep)(n, a, shift, (T)(above | least), (T)(most - least));
        if (stop_cut()) break;
        n = kept;
        *first -= before;
    }
    return n;
}

/* ---- many short lines ---- */

/* Replace the rows a and b of SORT_LANES bytes by the lesser and the greater of each pair. Two loops, as compilers
   turn each into one vector operation. */
static inline void NAME(exchange_rows)(T *restrict a, T *restrict b) {
    enum { LANES = SORT_LANES / sizeof(T) };
    T low[LANES], high[LANES];
    for (int l = 0; l < LANES; l++) low[l] = a[l] < b[l] ? a[l] : b[l];
    for (int l = 0; l < LANES; l++) high[l] = a[l] < b[l] ? b[l] : a[l];
    memcpy(a, low, sizeof low);
    memcpy(b, high, sizeof high);
}

/* Sort, in place, each column of a tile of n rows of SORT_LANES bytes by merge exchange (K. Batcher; Knuth, The
   Art of Computer Programming 3, 5.2.2 M). */
static void NAME(network)(int64_t n, void *tile) {
    enum { LANES = SORT_LANES / sizeof(T) };
    T(*rows)[LANES] = tile;
    int64_t top = 1;
    while (2 * top < n) top *= 2;
    for (int64_t p = top; p > 0; p /= 2) {
        int64_t d = p, r = 0;
        for (int64_t q = top;; q /= 2) {
            for (int64_t i = 0; i + d < n; i++) {
                if ((i & p) != r) continue;
                NAME(exchange_rows)(rows[i], rows[i + d]);
            }
            if (q == p) break;
            d = q - p;
            r = p;
        }
    }
}
