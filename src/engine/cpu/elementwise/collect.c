/*
 * Gathers a range of a strided array, or scatters one. One division per axis locates the first element. From there an
 * odometer steps all axes but the last, whose runs are copied by loops for the element's size. If the leading axis is
 * broadcast, one period is gathered and then repeated.
 */
#include "engine/cpu/elementwise/collect.h"
#include <string.h>
#include "base/machine/cache.h"
#include "base/fill.h"
#include "base/number.h"

#define ELEMENT uint8_t
#define NAME(verb) verb##_1
#include "engine/cpu/elementwise/collect.kernel.c"
#define ELEMENT uint16_t
#define NAME(verb) verb##_2
#include "engine/cpu/elementwise/collect.kernel.c"
#define ELEMENT uint32_t
#define NAME(verb) verb##_4
#include "engine/cpu/elementwise/collect.kernel.c"
#define ELEMENT uint64_t
#define NAME(verb) verb##_8
#include "engine/cpu/elementwise/collect.kernel.c"
typedef uint64_t pair __attribute__((vector_size(16)));
#define ELEMENT pair
#define NAME(verb) verb##_16
#include "engine/cpu/elementwise/collect.kernel.c"

static const struct {
    void (*take)(char *to, const char *from, int64_t stride, int64_t n);
    void (*lay)(char *to, const char *from, int64_t stride, int64_t n);
} runs[17] = {[1] = {take_1, lay_1},
              [2] = {take_2, lay_2},
              [4] = {take_4, lay_4},
              [8] = {take_8, lay_8},
              [16] = {take_16, lay_16}};

void cpu_fill(size_t size, const void *from, void *to, int64_t n) {
    if (n <= 0) return;
    memcpy(to, from, size);
    fill_repeat(to, size, (size_t)n * size);
}

/* Return the offset, in elements from element 0, of element `start` (row-major) of a layout of rank 1 or more.
   Set index[] to its index on each axis. */
static int64_t locate(const struct layout *l, int64_t start, int64_t *index) {
    int64_t at = 0;
    for (int i = l->rank - 1; i > 0; i--) {
        int64_t rest = start / l->shape[i];
        index[i] = start - rest * l->shape[i];
        at += index[i] * l->strides[i];
        start = rest;
    }
    index[0] = start;
    return at + start * l->strides[0];
}

int64_t cpu_locate(const struct layout *l, int64_t i) {
    int64_t index[TY_MAX_RANK];
    return locate(l, i, index);
}

/* Copy elements start .. start+n-1, row-major, of a layout at `from` to contiguous memory at `to`, run by run of
   its last axis. Elements have `size` bytes. */
static void collect_runs(const struct layout *l, size_t size, const char *from, char *to, int64_t start,
                         int64_t n) {
    int64_t index[TY_MAX_RANK];
    const int last = l->rank - 1;
    int64_t at = locate(l, start, index), inner = l->shape[last], stride = l->strides[last];
    struct odometer outer = {.rank = last, .shape = l->shape};
    memcpy(outer.index, index, sizeof *index * (size_t)last);
    int64_t count = inner - index[last];
    const int64_t *strides[1] = {l->strides};
    for (int64_t done = 0;; done += count, count = inner) {
        if (count > n - done) count = n - done;
        runs[size].take(to + (size_t)done * size, from + at * (int64_t)size, stride, count);
        if (done + count >= n) return;
        if (done == 0) at -= index[last] * stride;
        odometer_next(&outer, 1, strides, &at);
    }
}

void cpu_collect(const struct layout *l, size_t size, const void *from, void *to, int64_t start, int64_t n) {
    int64_t fresh = n;
    if (l->strides[0] == 0) fresh = shape_size(l->rank - 1, l->shape + 1);
    if (fresh > n) fresh = n;
    collect_runs(l, size, from, to, start, fresh);
    for (int64_t done = fresh; done < n; done *= 2) {
        int64_t count = done < n - done ? done : n - done;
        memcpy((char *)to + (size_t)done * size, to, (size_t)count * size);
    }
}

/* Copy `rows` contiguous runs of n values of `size` bytes, at `from`, to successive rows of the layout, the
   first at `to`. `bypass`: non-temporal stores, if the last axis is contiguous. */
static void lay_rows(const struct layout *l, size_t size, char *to, const char *from, int64_t rows, int64_t n,
                     bool bypass) {
    const int last = l->rank - 1;
    int64_t stride = l->strides[last], step = last ? l->strides[last - 1] * (int64_t)size : 0;
    ptrdiff_t bytes = (ptrdiff_t)((size_t)n * size);
    if (bypass && stride == 1)
        cache_bypass_rows(to, step, from, bytes, (size_t)bytes, (size_t)rows);
    else
        for (; rows; rows--, to += step, from += bytes) runs[size].lay(to, from, stride, n);
}

void cpu_lay(const struct layout *l, size_t size, void *to, const void *from, int64_t start, int64_t n,
             bool bypass) {
    const int last = l->rank - 1;
    int64_t index[TY_MAX_RANK], at = locate(l, start, index), inner = l->shape[last], first = index[last];
    const int64_t *strides[1] = {l->strides};
    struct odometer outer = {.rank = last, .shape = l->shape};
    memcpy(outer.index, index, sizeof *index * (size_t)last);
    for (int64_t done = 0; done < n;) {
        int64_t count = lesser(inner - first, n - done), rows = 1;
        if (count == inner && last)
            rows = lesser((n - done) / inner, l->shape[last - 1] - outer.index[last - 1]);
        lay_rows(l, size, (char *)to + at * (int64_t)size, (const char *)from + (size_t)done * size, rows,
                 count, bypass);
        done += rows * count;
        at -= first * l->strides[last];
        first = 0;
        if (rows > 1) at += (rows - 1) * l->strides[last - 1];
        if (rows > 1) outer.index[last - 1] += rows - 1;
        odometer_next(&outer, 1, strides, &at);
    }
}
