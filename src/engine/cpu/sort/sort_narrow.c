/*
 * Narrowing: finds some ranks of a long line in memory that does not grow with it. The line is read several times.
 * Each pass but the last counts one digit, which decides that digit of the first and the last wanted key. Passes end
 * when few enough elements lie between, or both keys are known. The last pass picks these elements in the line's
 * order; of elements equal to a bound, only those with wanted ranks.
 */
#include "engine/cpu/sort/sort.h"
#include <string.h>
#include "base/context/stop.h"
#include "base/number.h"
#include "base/wide.h"

enum {
    DIGIT = 11,
    TILES = SORT_PIECE / CPU_TILE /* read between two looks for requests to stop */
};

struct narrowing {
    const struct sort_stream *s;
    struct sort_bounds bounds;
    struct sort_tally *tallies; /* one per chunk */
    struct sort_picked *picked; /* one per chunk */
    int64_t before, within;     /* elements below both bounds; elements between them, inclusive */
    bool together;              /* the bounds have equal bits: one histogram serves both */
};

int64_t sort_narrow_most(int64_t count) {
    int64_t few = cpu_parted(SORT_FEW_LEFT);
    return count > few ? count : few;
}

size_t sort_narrow_room(int chunks) {
    return cpu_per_thread((size_t)chunks * (sizeof(struct sort_tally) + sizeof(struct sort_picked)));
}

static int64_t chunk_start(const struct sort_stream *s, int64_t chunk) {
    return (int64_t)wide_low(wide_floor_divide(wide_product(s->n, chunk), wide_of(s->chunks)));
}

/* Read chunks begin .. end-1 of the line, and pick the elements within the bounds (`picks`) or else count
   their next digits. */
static void read_chunks(const struct narrowing *w, int64_t begin, int64_t end, bool picks) {
    uint64_t tile[CPU_TILE];
    for (int64_t c = begin; c < end; c++) {
        int64_t stop = chunk_start(w->s, c + 1);
        for (int64_t i = chunk_start(w->s, c), n, tiles = 0; i < stop; i += n) {
            if (tiles++ % TILES == TILES - 1 && stop_cut()) return;
            n = lesser(stop - i, CPU_TILE);
            w->s->read(w->s->line, i, n, tile);
            if (picks)
                w->s->loops->pick(n, tile, i, &w->picked[c]);
            else
                w->s->loops->tally(n, tile, &w->bounds, &w->tallies[c]);
        }
    }
}

static void tally_chunks(void *context, int64_t begin, int64_t end) {
    read_chunks(context, begin, end, false);
}
static void pick_chunks(void *context, int64_t begin, int64_t end) { read_chunks(context, begin, end, true); }

/* ---- deciding a digit ---- */

static int64_t lows(const struct narrowing *w, int64_t digit) {
    int64_t n = 0;
    for (int c = 0; c < w->s->chunks; c++) n += w->tallies[c].low[digit];
    return n;
}

/* Return the number of elements with this upper digit, over all chunks. */
static int64_t highs(const struct narrowing *w, int64_t digit) {
    int64_t n = 0;
    for (int c = 0; c < w->s->chunks; c++)
        n += w->together ? w->tallies[c].low[digit] : w->tallies[c].high[digit];
    return n;
}

/* Decide the next digit of both bounds, for the keys of ranks `first` and `last` (0-based, both included), from
   the tallies. */
static void decide(struct narrowing *w, int64_t first, int64_t last) {
    int64_t at = w->before, low = 0, high = 0, between = 0, n;
    while (at + (n = lows(w, low)) <= first) {
        at += n;
        low++;
    }
    int64_t begin = at;
    if (!w->together) {
        for (int c = 0; c < w->s->chunks; c++) between += w->tallies[c].between;
        for (int64_t digit = low; digit < (int64_t)1 << w->bounds.digit; digit++) at += lows(w, digit);
        at += between;
    } else {
        high = low;
    }
    while (at + (n = highs(w, high)) <= last) {
        at += n;
        high++;
    }
    int left = w->bounds.undecided - w->bounds.digit;
    w->before = begin;
    w->within = at + n - begin;
    uint64_t all = ((uint64_t)1 << left) - 1, digits = (((uint64_t)1 << w->bounds.digit) - 1) << left;
    w->bounds.low = (w->bounds.low & ~(all | digits)) | (uint64_t)low << left;
    w->bounds.high = (w->bounds.high & ~(all | digits)) | (uint64_t)high << left | all;
}

/* ---- selection of each chunk ---- */

/* Set n[0..2] to the numbers of the chunk's elements with the low bound's key, between the bounds, and with the
   high bound's key, by the digits just decided. */
static void count_chunk(const struct narrowing *w, const struct sort_tally *t, int64_t n[3]) {
    int left = w->bounds.undecided - w->bounds.digit;
    int64_t mask = ((int64_t)1 << w->bounds.digit) - 1;
    int64_t low = (int64_t)(w->bounds.low >> left) & mask, high = (int64_t)(w->bounds.high >> left) & mask;
    n[0] = t->low[low];
    n[1] = w->together ? 0 : t->between;
    n[2] = w->together ? (high == low ? 0 : t->low[high]) : t->high[high];
    for (int64_t d = low + 1; d < (w->together ? high : mask + 1); d++) n[1] += t->low[d];
    for (int64_t d = 0; d < high && !w->together; d++) n[1] += t->high[d];
}

/* Return how many of n elements, numbered from `met` on, have numbers skip .. skip + take - 1, both included. */
static int64_t taken(int64_t met, int64_t n, int64_t skip, int64_t take) {
    int64_t begin = met > skip ? met : skip, end = lesser(met + n, skip + take);
    return end > begin ? end - begin : 0;
}

/* Divide the selection `all` among chunks, which then write to separate ranges; return the number of selected
   elements. */
static int64_t share(const struct narrowing *w, struct sort_picked all) {
    char *keys = all.keys;
    int64_t kept = 0;
    for (int c = 0; c < w->s->chunks; c++) {
        struct sort_picked *p = &w->picked[c];
        int64_t n[3];
        count_chunk(w, &w->tallies[c], n);
        *p = all;
        p->keys = keys + kept * (int64_t)w->s->size;
        p->places = all.places ? all.places + kept : NULL;
        kept +=
            taken(all.lows, n[0], all.skip, all.take_low) + n[1] + taken(all.highs, n[2], 0, all.take_high);
        all.lows += n[0];
        all.highs += n[2];
    }
    return kept;
}

/* Return the selection of all elements within the bounds, to be written to keys[] and places[] (may be NULL). If
   these are too many, both keys are known, and it selects exactly the `count` elements from rank `first` on. */
static struct sort_picked wanted(const struct narrowing *w, int64_t first, int64_t count, void *keys,
                                 uint64_t *places) {
    struct sort_picked p = {.low = w->bounds.low, .high = w->bounds.high, .keys = keys, .places = places};
    p.take_low = p.take_high = INT64_MAX / 2;
    if (w->within <= sort_narrow_most(count)) return p;
    int64_t n[3], all[3] = {0};
    for (int c = 0; c < w->s->chunks; c++) {
        count_chunk(w, &w->tallies[c], n);
        for (int i = 0; i < 3; i++) all[i] += n[i];
    }
    p.skip = first - w->before;
    p.take_low = lesser(count, all[0] - p.skip);
    p.take_high = count - p.take_low - all[1];
    return p;
}

int64_t sort_narrow(const struct sort_stream *s, int64_t *first, int64_t count, void *room, void *keys,
                    uint64_t *places) {
    int bits = 8 * (int)s->size;
    struct narrowing w = {.s = s, .tallies = room};
    w.picked = (struct sort_picked *)(w.tallies + s->chunks);
    w.bounds = (struct sort_bounds){0, UINT64_MAX >> (64 - bits), bits, 0};
    w.within = s->n;
    for (;;) {
        w.together = w.bounds.undecided == bits ||
                     w.bounds.low >> w.bounds.undecided == w.bounds.high >> w.bounds.undecided;
        w.bounds.digit = w.bounds.undecided < DIGIT ? w.bounds.undecided : DIGIT;
        memset(w.tallies, 0, (size_t)s->chunks * sizeof *w.tallies);
        parallel_for(s->width, s->chunks, 1, tally_chunks, &w);
        if (stop_cut()) return 0;
        decide(&w, *first, *first + count - 1);
        if (w.bounds.undecided == w.bounds.digit || w.within <= sort_narrow_most(count)) break;
        w.bounds.undecided -= w.bounds.digit;
    }
    struct sort_picked all = wanted(&w, *first, count, keys, places);
    int64_t kept = share(&w, all);
    parallel_for(s->width, s->chunks, 1, pick_chunks, &w);
    *first -= w.before + all.skip;
    return kept;
}
