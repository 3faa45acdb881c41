/* Reading of inputs that are contiguous along the outermost axis of the iteration: in strips, which are transposed. */
#include <string.h>
#include "engine/cpu/reduce/reduce.h"

/* Defines a function that copies `rows` elements from `from` on to the same column of `rows` rows at `to`. */
#define SPREAD(name, type)                                                                                   \
    static void name(int64_t rows, const char *from, char *to, int64_t pitch) {                              \
        const type *x = (const type *)from;                                                                  \
        type *y = (type *)to;                                                                                \
        for (int64_t i = 0; i < rows; i++) y[i * pitch] = x[i];                                              \
    }
SPREAD(spread_1, uint8_t)
SPREAD(spread_2, uint16_t)
SPREAD(spread_4, uint32_t)
SPREAD(spread_8, uint64_t)
struct pair {
    uint64_t part[2];
};
SPREAD(spread_16, struct pair)

typedef void (*spread)(int64_t rows, const char *from, char *to, int64_t pitch);
static spread spread_of(size_t size) {
    return size == 1   ? spread_1
           : size == 2 ? spread_2
           : size == 4 ? spread_4
           : size == 8 ? spread_8
                       : spread_16;
}

/* Copy the rows of strip `index` to scratch. */
static void load(const struct reduce_thread *t, int64_t index) {
    const struct reduce_strip *s = &t->plan->strip;
    const struct layout *walk = &s->walk;
    struct odometer o = {.rank = walk->rank - 1, .shape = walk->shape + 1};
    const int64_t *strides[1] = {walk->strides + 1}, size = (int64_t)s->size;
    int64_t first = index * s->rows, rows = walk->shape[0] - first, at = walk->offset + first;
    spread copy = spread_of(s->size);
    const char *from = t->slots[s->slot];
    char *to = t->scratch + s->at;
    if (rows > s->rows) rows = s->rows;
    for (int64_t i = 0; i < s->inner; i++, to += size) {
        copy(rows, from + at * size, to, s->pitch);
        odometer_next(&o, 1, strides, &at);
    }
    *t->strip = index;
}

const char *reduce_strip_values(const struct reduce_thread *t, int64_t start, int64_t n) {
    const struct reduce_strip *s = &t->plan->strip;
    char *values = t->scratch + s->at_values;
    for (int64_t done = 0, count; done < n; done += count) {
        int64_t row = (start + done) / s->inner, column = (start + done) % s->inner;
        if (*t->strip != row / s->rows) load(t, row / s->rows);
        const char *x = t->scratch + s->at + (size_t)(row % s->rows * s->pitch + column) * s->size;
        count = s->inner - column < n - done ? s->inner - column : n - done;
        if (count == n) return x;
        memcpy(values + (size_t)done * s->size, x, (size_t)count * s->size);
    }
    return values;
}
