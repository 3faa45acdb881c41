/*
 * Template: a run of n elements that lie `stride` elements apart, to contiguous memory.  Parameters:
 * ELEMENT (any type of the size), NAME.
 */
static void NAME(char *to_bytes, const char *from_bytes, int64_t stride, int64_t n) {
    typedef ELEMENT element __attribute__((aligned(1), may_alias));
    element *to = (element *)to_bytes;
    const element *from = (const element *)from_bytes;
    if (stride == 1) {
        memcpy(to, from, (size_t)n * sizeof *to);
    } else if (stride == 0) {
        ELEMENT x = *from;
        for (int64_t i = 0; i < n; i++) to[i] = x;
    } else if (stride == -1) {
        for (int64_t i = 0; i < n; i++) to[i] = from[-i];
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = from[i * stride];
    }
}
#undef ELEMENT
#undef NAME
