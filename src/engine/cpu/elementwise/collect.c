/*
 * Collects a stretch of a strided array.  The place of the first element comes from one division per axis;
 * from there an odometer counts over all axes but the last, whose runs are copied by loops for the
 * element's size.  Where the leading axis is broadcast, the stretch repeats itself: one period is
 * gathered, the rest is copied from what is there already.
 */
#include "engine/cpu/elementwise/collect.h"
#include <string.h>
#include "base/fill.h"

#define ELEMENT uint8_t
#define NAME run_1
#include "engine/cpu/elementwise/collect.kernel.c"
#define ELEMENT uint16_t
#define NAME run_2
#include "engine/cpu/elementwise/collect.kernel.c"
#define ELEMENT uint32_t
#define NAME run_4
#include "engine/cpu/elementwise/collect.kernel.c"
#define ELEMENT uint64_t
#define NAME run_8
#include "engine/cpu/elementwise/collect.kernel.c"
typedef uint64_t pair __attribute__((vector_size(16)));
#define ELEMENT pair
#define NAME run_16
#include "engine/cpu/elementwise/collect.kernel.c"

typedef void (*run_function)(char *to, const char *from, int64_t stride, int64_t n);
static const run_function runs[17] = {[1] = run_1, [2] = run_2, [4] = run_4, [8] = run_8, [16] = run_16};

void cpu_fill(size_t size, const void *from, void *to, int64_t n) {
    if (n <= 0) return;
    memcpy(to, from, size);
    fill_repeat(to, size, (size_t)n * size);
}

/* Where element `start` lies, and its index on every axis. */
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

static void collect_runs(const struct layout *l, size_t size, const char *from, char *to, int64_t start,
                         int64_t n) {
    int64_t index[TY_MAX_RANK];
    const int last = l->rank - 1;
    int64_t at = locate(l, start, index), inner = l->shape[last], stride = l->strides[last];
    struct odometer outer = {.rank = last, .shape = l->shape};
    memcpy(outer.index, index, sizeof *index * (size_t)last);
    run_function run = runs[size];
    int64_t count = inner - index[last];
    const int64_t *strides[1] = {l->strides};
    for (int64_t done = 0;; done += count, count = inner) {
        if (count > n - done) count = n - done;
        run(to + (size_t)done * size, from + at * (int64_t)size, stride, count);
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
