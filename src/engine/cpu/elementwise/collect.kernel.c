/* Template: take copies n elements, `stride` elements apart from from_bytes on, to contiguous to_bytes; lay
   copies back. Memory is unaligned. Parameters: ELEMENT (any type of the size), NAME(verb). */
static void NAME(take)(char *to_bytes, const char *from_bytes, int64_t stride, int64_t n) {
    typedef ELEMENT element __attribute__((aligned(1), may_alias));
    element *to = (element *)to_bytes;
    const element *from = (const element *)from_bytes;
    if (stride == 1) {
        memcpy(to, from, (size_t)n * sizeof *to);
    } else if (stride == 0) {
        cpu_fill(sizeof *to, from, to, n);
    } else if (stride == -1) {
        for (int64_t i = 0; i < n; i++) to[i] = from[-i];
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = from[i * stride];
    }
}

static void NAME(lay)(char *to_bytes, const char *from_bytes, int64_t stride, int64_t n) {
    typedef ELEMENT element __attribute__((aligned(1), may_alias));
    element *to = (element *)to_bytes;
    const element *from = (const element *)from_bytes;
    if (stride == 1)
        memcpy(to, from, (size_t)n * sizeof *to);
    else
        for (int64_t i = 0; i < n; i++) to[i * stride] = from[i];
}
#undef ELEMENT
#undef NAME
