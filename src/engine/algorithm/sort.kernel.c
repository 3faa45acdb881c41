/*
 * Text, template: stable sorting of lines as places, and binary search.  Parameter: TYPE, the unsigned type as wide as
 * an element.  Elements are compared as keys (array/order.h): infinity has the bits of that number, 0 for integers;
 * keys are joined with `flip` by exclusive or, which turns the order round or puts negative numbers first.
 */
static u64 T(sort_key)(TYPE element, u64 infinity, u64 flip) {
    const u64 sign = (u64)1 << (8 * sizeof(TYPE) - 1), all = sign | (sign - 1);
    u64 bits = element, size = bits & (sign - 1);
    if (infinity && size > infinity)
        bits = all;
    else if (infinity)
        bits = size == 0 ? sign : bits & sign ? ~bits & all : bits | sign;
    return bits ^ flip;
}

/* Sort a run of `run` elements of a line by insertion; the line has n elements and `runs` runs. */
static void T(sort_run)(i64 item, MEMORY const TYPE *x, MEMORY i64 *places, u64 n, u64 runs, u64 run,
                        u64 infinity, u64 flip) {
    const u64 line = (u64)item / runs, from = (u64)item % runs * run, end = n - from < run ? n : from + run;
    x += line * n;
    places += line * n;
    for (u64 i = from; i < end; i++) {
        const u64 key = T(sort_key)(x[i], infinity, flip);
        u64 at = i;
        for (; at > from && key < T(sort_key)(x[places[at - 1]], infinity, flip); at--)
            places[at] = places[at - 1];
        places[at] = (i64)i;
    }
}

/* Write `run` elements of the line that results when neighbouring sorted runs of `width` elements are merged.  The
   elements before them are found by bisection (O. Green, R. McColl, D. Bader, "GPU merge path", 2012). */
static void T(sort_merge)(i64 item, MEMORY const TYPE *x, MEMORY const i64 *from, MEMORY i64 *to, u64 n,
                          u64 runs, u64 run, u64 infinity, u64 flip, u64 width) {
    const u64 line = (u64)item / runs, begin = (u64)item % runs * run,
              end = n - begin < run ? n : begin + run;
    const u64 first = begin - begin % (2 * width), middle = n - first < width ? n : first + width;
    const u64 last = n - middle < width ? n : middle + width, before = begin - first;
    x += line * n;
    from += line * n;
    to += line * n;
    u64 low = before > last - middle ? before - (last - middle) : 0,
        high = before < middle - first ? before : middle - first;
    while (low < high) { /* elements of the left run among those before */
        const u64 half = (low + high) / 2;
        const u64 left = T(sort_key)(x[from[first + half]], infinity, flip);
        if (T(sort_key)(x[from[middle + before - 1 - half]], infinity, flip) < left)
            high = half;
        else
            low = half + 1;
    }
    u64 i = first + low, j = middle + before - low;
    for (u64 k = begin; k < end; k++) {
        const int left = i < middle && (j >= last || T(sort_key)(x[from[j]], infinity, flip) >=
                                                         T(sort_key)(x[from[i]], infinity, flip));
        to[k] = left ? from[i] : from[j];
        i += (u64)left;
        j += (u64)!left;
    }
}

/* Find the number of elements of a sorted line of n that come before x[item], or with `right` not behind it; `each`
   elements of x belong to a line. */
static void T(search)(i64 item, MEMORY const TYPE *sorted, MEMORY const TYPE *x, MEMORY i64 *out, u64 n,
                      u64 each, u64 right, u64 infinity, u64 flip) {
    const u64 want = T(sort_key)(x[item], infinity, flip);
    u64 low = 0, high = n;
    sorted += (u64)item / each * n;
    while (low < high) {
        const u64 middle = low + (high - low) / 2, key = T(sort_key)(sorted[middle], infinity, flip);
        if (key < want || (right && key == want))
            low = middle + 1;
        else
            high = middle;
    }
    out[item] = (i64)low;
}
