/* Template: chooses the algorithm for n items of one unsigned type: T, NAME(verb). Included by sort_type.kernel.c. */

/* Return true if the n items at a are sorted already. */
static bool NAME(in_order)(int64_t n, T *a) {
    struct NAME(radix) r = {.from = a, .n = n, .chunks = 1};
    NAME(look)(&r, 0, 1);
    return !r.disordered[0];
}

static void *NAME(sort)(int64_t n, void *a, void *b, const struct sort_job *job) {
#ifdef V
    if (n <= NAME(BLOCK)) {
        NAME(sort_block)(n, a, a);
        return a;
    }
    if (job->width < 3 || n < SORT_SHARED) {
        if (!NAME(in_order)(n, a)) NAME(sort_quickly)(n, a, b, job);
        return a;
    }
#else
    if (n <= 8) NAME(insert_all)(n, a);
    if (n <= 8) return a;
    if (n <= SORT_MERGE_MOST) return NAME(in_order)(n, a) ? a : NAME(sort_merging)(n, a, b);
#endif
    return NAME(sort_counting)(n, a, b, job);
}
