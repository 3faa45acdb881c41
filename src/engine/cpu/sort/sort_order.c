/* Shared parts of sorting: tables by instruction set, orders by dtype, and sorting of positions by 64-bit keys. */
#include <string.h>
#include "base/context/stop.h"
#include "engine/cpu/sort/sort.h"

const struct sort_loops *sort_loops_of(size_t size) {
    static const sort_table *const tables[ISA_COUNT] = ISA_TABLE(&sort_);
    return &(*tables[isa_current()])[size];
}

struct sort_order sort_order_of(ty_dtype dtype, bool descending, bool fold) {
    bool floating = dtype_is(dtype, CLASS_FLOAT);
    uint64_t top = (uint64_t)1 << (8 * dtype_table[dtype_table[dtype].real].size - 1),
             hidden = floating ? (uint64_t)1 << (dtype_table[dtype].digits - 1) : 0;
    uint64_t sign = dtype_is(dtype, CLASS_SIGNED) ? top : 0;
    return (struct sort_order){.floating = floating,
                               .fold = fold,
                               .infinity = floating ? top - hidden : 0, /* all bits of the exponent */
                               .flip = sign ^ (descending ? UINT64_MAX : 0)};
}

size_t sort_room(int64_t n, size_t size, int width) {
    if (n <= SORT_FEW) return 0;
    int64_t chunks = n / cpu_parted(SORT_CHUNK) + n / UINT32_MAX + 1;
    if (chunks > width + n / UINT32_MAX) chunks = width + n / UINT32_MAX;
    if (chunks > SORT_CHUNKS) chunks = SORT_CHUNKS;
    size_t wide = n >= SORT_WIDE_DIGITS, digits = wide ? 1 << 11 : 1 << 8,
           passes = wide ? (size + 3) / 4 * 3 : size;
    return cpu_per_thread((size_t)chunks * digits * (passes * sizeof(uint32_t) + sizeof(int64_t)));
}

/* Sort m items by their upper halves in place; `other` is a buffer of m items. */
static void sort_in_place(int64_t m, uint64_t *items, uint64_t *other, const struct sort_job *job) {
    struct sort_job upper = *job;
    upper.low = 32;
    uint64_t *sorted = sort_loops_of(sizeof *items)->sort(m, items, other, &upper);
    for (int64_t i = 0, n; sorted != items && i < m && !stop_cut(); i += n) {
        n = m - i < SORT_PIECE ? m - i : SORT_PIECE;
        memcpy(items + i, sorted + i, (size_t)n * sizeof *items);
    }
}

/* True, in some turns of a loop, if the kernel must leave early. */
static inline bool must_leave(int64_t turn) { return turn % SORT_PIECE == SORT_PIECE - 1 && stop_cut(); }

/* Sort items[m] by keys[position], in place; their low 32 bits are positions in ascending order. `other` is a
   buffer of m. First by the 32 highest bits that differ, which decide almost everything; ties are then sorted by
   the bits below, at most 32. */
void sort_by_keys(const uint64_t *keys, int64_t m, uint64_t *items, uint64_t *other,
                  const struct sort_job *job) {
    uint64_t differing = 0, first = m ? keys[(uint32_t)items[0]] : 0;
    for (int64_t i = 0; i < m; i++) {
        differing |= keys[(uint32_t)items[i]] ^ first;
        if (must_leave(i)) return;
    }
    if (!differing) return;
    int top = 63 - __builtin_clzll(differing), shift = top > 31 ? top - 31 : 0;
    for (int64_t i = 0; i < m; i++) {
        items[i] = keys[(uint32_t)items[i]] >> shift << 32 | (uint32_t)items[i];
        if (must_leave(i)) return;
    }
    sort_in_place(m, items, other, job);
    if (!shift || stop_cut()) return; /* places are not valid if the sort left early */
    uint64_t mask = ((uint64_t)1 << shift) - 1;
    for (int64_t i = 0, end, turn = 0; i < m; i = end) {
        if (must_leave(turn++)) return;
        for (end = i + 1; end < m && items[end] >> 32 == items[i] >> 32;) end++;
        if (end == i + 1) continue;
        for (int64_t k = i; k < end; k++)
            items[k] = (keys[(uint32_t)items[k]] & mask) << 32 | (uint32_t)items[k];
        sort_in_place(end - i, items + i, other, job);
    }
}
