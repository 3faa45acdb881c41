/* Template: one tile of narrowing (sort_narrow.c) for one unsigned type: T, NAME(verb). Included by
   sort_type.kernel.c. */

/* Return the decided bits of a key, those above the lowest `undecided` >= 1. Two shifts, each less than the bits of
   a key. */
static inline T NAME(decided)(T key, int undecided) { return (T)((T)(key >> (undecided - 1)) >> 1); }

static void NAME(tally)(int64_t n, const void *keys, const struct sort_bounds *b, struct sort_tally *t) {
    const T *x = keys, low = NAME(decided)((T)b->low, b->undecided),
            high = NAME(decided)((T)b->high, b->undecided);
    const int shift = b->undecided - b->digit;
    const T mask = (T)(((uint64_t)1 << b->digit) - 1);
    int64_t between = 0;
    for (int64_t i = 0; i < n; i++) {
        T key = NAME(decided)(x[i], b->undecided), digit = (T)(x[i] >> shift) & mask;
        if (key == low)
            t->low[digit]++;
        else if (key == high)
            t->high[digit]++;
        else
            between += key > low && key < high;
    }
    t->between += between;
}

static void NAME(pick)(int64_t n, const void *keys, int64_t place, struct sort_picked *p) {
    const T *x = keys, low = (T)p->low, high = (T)p->high, span = high - low;
    T *out = p->keys;
    for (int64_t i = 0; i < n; i++) {
        if ((T)(x[i] - low) > span) continue;
        if (x[i] == low) {
            int64_t met = p->lows++;
            if (met < p->skip || met >= p->skip + p->take_low) continue;
        } else if (x[i] == high) {
            if (p->highs++ >= p->take_high) continue;
        }
        out[p->kept] = x[i];
        if (p->places) p->places[p->kept] = (uint64_t)(place + i);
        p->kept++;
    }
}
