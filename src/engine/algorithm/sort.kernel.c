/*
 * Text, template: stable sorting of lines as places, and binary search.  Parameter: TYPE, the unsigned type as wide as
 * an element.  Elements are compared as keys (array/order.h): infinity has the bits of that number, 0 for integers;
 * keys are joined with `flip` by exclusive or, which turns the order round or puts negative numbers first.  Elements
 * of two parts, complex numbers, are compared by the first, then by the second.
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

/* Return the key of the second of two parts. */
static u64 T(sort_second)(MEMORY const TYPE *x, u64 infinity, u64 flip, u64 parts) {
    return parts > 1 ? T(sort_key)(x[1], infinity, flip) : 0;
}
/* True if an element of the given keys comes before y. */
static int T(sort_before)(u64 first, u64 second, MEMORY const TYPE *y, u64 infinity, u64 flip, u64 parts) {
    const u64 other = T(sort_key)(y[0], infinity, flip);
    return first != other || parts < 2 ? first < other : second < T(sort_key)(y[1], infinity, flip);
}
/* True if x comes before y. */
static int T(sort_less)(MEMORY const TYPE *x, MEMORY const TYPE *y, u64 infinity, u64 flip, u64 parts) {
    const u64 first = T(sort_key)(x[0], infinity, flip);
    return T(sort_before)(first, T(sort_second)(x, infinity, flip, parts), y, infinity, flip, parts);
}

/* Sort a run of `run` elements of a line by insertion; the line has n elements and `runs` runs. */
static void T(sort_run)(i64 item, MEMORY const TYPE *x, MEMORY i64 *places, u64 n, u64 runs, u64 run,
                        u64 infinity, u64 flip, u64 parts) {
    const u64 line = (u64)item / runs, from = (u64)item % runs * run, end = n - from < run ? n : from + run;
    x += line * n * parts;
    places += line * n;
    for (u64 i = from; i < end; i++) {
        const u64 key = T(sort_key)(x[i * parts], infinity, flip);
        const u64 second = T(sort_second)(x + i * parts, infinity, flip, parts);
        u64 at = i;
        for (; at > from; at--) {
            const u64 before = (u64)places[at - 1] * parts;
            if (!T(sort_before)(key, second, x + before, infinity, flip, parts)) break;
            places[at] = places[at - 1];
        }
        places[at] = (i64)i;
    }
}

/* Write `run` elements of the line that results when neighbouring sorted runs of `width` elements are merged.  The
   elements before them are found by bisection (O. Green, R. McColl, D. Bader, "GPU merge path", 2012). */
static void T(sort_merge)(i64 item, MEMORY const TYPE *x, MEMORY const i64 *from, MEMORY i64 *to, u64 n,
                          u64 runs, u64 run, u64 infinity, u64 flip, u64 parts, u64 width) {
    const u64 line = (u64)item / runs, begin = (u64)item % runs * run,
              end = n - begin < run ? n : begin + run;
    const u64 first = begin - begin % (2 * width), middle = n - first < width ? n : first + width;
    const u64 last = n - middle < width ? n : middle + width, before = begin - first;
    x += line * n * parts;
    from += line * n;
    to += line * n;
    u64 low = before > last - middle ? before - (last - middle) : 0,
        high = before < middle - first ? before : middle - first;
    while (low < high) { /* elements of the left run among those before */
        const u64 half = (low + high) / 2;
        const u64 left = (u64)from[first + half] * parts,
                  right = (u64)from[middle + before - 1 - half] * parts;
        if (T(sort_less)(x + right, x + left, infinity, flip, parts))
            high = half;
        else
            low = half + 1;
    }
    u64 i = first + low, j = middle + before - low;
    for (u64 k = begin; k < end; k++) {
        const int left =
            i < middle && (j >= last || !T(sort_less)(x + (u64)from[j] * parts, x + (u64)from[i] * parts,
                                                      infinity, flip, parts));
        to[k] = left ? from[i] : from[j];
        i += (u64)left;
        j += (u64)!left;
    }
}

/* Find the number of elements of a sorted line of n that come before element `item` of x, or with `right` not after it.
   `each` elements of x belong to a line. */
static void T(search)(i64 item, MEMORY const TYPE *sorted, MEMORY const TYPE *x, MEMORY i64 *out, u64 n,
                      u64 each, u64 right, u64 infinity, u64 flip, u64 parts) {
    u64 low = 0, high = n;
    x += (u64)item * parts;
    sorted += (u64)item / each * n * parts;
    while (low < high) {
        const u64 middle = low + (high - low) / 2;
        MEMORY const TYPE *const y = sorted + middle * parts;
        if (right ? !T(sort_less)(x, y, infinity, flip, parts) : T(sort_less)(y, x, infinity, flip, parts))
            low = middle + 1;
        else
            high = middle;
    }
    out[item] = (i64)low;
}
