/*
 * Cost of a box's memory layout in addition to its bytes.
 *
 * A box of a strided operand consists of contiguous runs, which cost in two ways. A run begins and ends
 * inside a cache line; when it is stored, both lines are read, merged and written. And runs more than a page
 * apart each need a DRAM row and a TLB entry, and prefetchers do not cross between them; runs within a page
 * count as one visit. Whole lines are stored without waiting: runs of 64 bytes take twice as long as a
 * stream, of 128 hardly longer. A side that stays in a cache costs only its incomplete lines.
 */
#include "contract/cost.h"
#include "contract/loops.h"

/* An axis of a box: stride in bytes and number of positions. */
struct step {
    double bytes, n;
};

/* List in steps[] the strides, in bytes, of a side of a box of extent[] indices, ascending, with the number of
   positions along each. Return the length of the list. Dimensions of equal stride, as in windows, are merged. */
static int list_steps(const ty_contraction *c, ty_side side, const int64_t *extent, struct step *steps) {
    double size = (double)ty_dtype_size(c->dtype[side]);
    int n = 0;
    for (int d = 0; d < c->ndims; d++) {
        struct step x = {(double)contraction_magnitude(c->dims[d].stride[side]) * size, (double)extent[d]};
        if (x.bytes == 0 || extent[d] < 2) continue;
        int at = 0;
        while (at < n && steps[at].bytes < x.bytes) at++;
        if (at < n && steps[at].bytes == x.bytes) {
            steps[at].n += x.n - 1;
            continue;
        }
        for (int i = n++; i > at; i--) steps[i] = steps[i - 1];
        steps[at] = x;
    }
    return n;
}

/* True if `bytes` is a multiple of the cache line. */
static bool is_whole(double bytes) {
    double lines = bytes / CACHE_LINE;
    return lines < 1e15 && lines == (double)(int64_t)lines;
}

/* The runs of a box. */
struct places {
    double run, near, far, pages; /* bytes of a run; runs per visit; number of visits; pages per visit */
    bool whole;                   /* runs are whole lines, if the first one starts at a line */
};

/* Return runs, gaps and pages of a side of a box of extent[] indices, for contract_gaps. */
static struct places find_places(const ty_contraction *c, ty_side side, const int64_t *extent) {
    struct step steps[TY_CONTRACTION_DIMS];
    int n = list_steps(c, side, extent, steps), i = 0;
    double run = (double)ty_dtype_size(c->dtype[side]);
    for (; i < n && steps[i].bytes == run; i++) run *= steps[i].n;
    struct places p = {run, 1, 1, 0, is_whole(run)};
    double reach = run;
    for (; i < n; i++) {
        p.whole = p.whole && is_whole(steps[i].bytes);
        bool close = steps[i].bytes < CACHE_PAGE;
        *(close ? &p.near : &p.far) *= steps[i].n;
        if (close) reach += steps[i].bytes * (steps[i].n - 1);
    }
    p.pages = reach / CACHE_PAGE < 1 ? 1 : reach / CACHE_PAGE;
    if (p.pages > p.near) p.pages = p.near;
    return p;
}

double contract_pages(const ty_contraction *c, ty_side side, const int64_t *extent) {
    struct places p = find_places(c, side, extent);
    return p.far * p.pages;
}

bool contract_whole_lines(const ty_contraction *c, ty_side side, const int64_t *extent) {
    return find_places(c, side, extent).whole;
}

double contract_gaps(const ty_contraction *c, ty_side side, const int64_t *extent, bool cached) {
    const struct contract_constants *k = &contract_constants;
    struct places p = find_places(c, side, extent);
    if (cached) return (side == TY_OUT && !p.whole ? k->parted_bytes : CACHE_LINE) / p.run;
    if (side == TY_OUT && p.whole) return CACHE_LINE / p.run;
    double edge = side != TY_OUT ? k->read_gap : k->merged_bytes;
    return (p.near * edge + p.pages * k->visit_bytes) / (p.near * p.run);
}
