/* Max pooling of one element type: T, NAME(verb), MASK (an integer of its size).  A later element wins when it is greater or NaN. */
#define WINS(b, a) (((b) > (a)) | ((b) != (b)))
#define GREATER(a, b) (WINS(b, a) ? (b) : (a))

typedef T NAME(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef MASK NAME(mask) __attribute__((vector_size(VECTOR_BYTES)));
enum { NAME(width) = VECTOR_BYTES / sizeof(T), NAME(wide) = 4 }; /* as many vectors stay in registers */

static inline NAME(vector) NAME(greater)(NAME(vector) a, NAME(vector) b) {
    NAME(mask) later = (NAME(mask))WINS(b, a);
    return (NAME(vector))((later & (NAME(mask))b) | (~later & (NAME(mask))a));
}

/* `vectors` of them from element i on. */
static inline void NAME(strip)(int64_t i, int vectors, int count, const void *const *x, void *out) {
    NAME(vector) most[NAME(wide)], next;
    memcpy(most, (const T *)x[0] + i, (size_t)vectors * sizeof next);
    for (int t = 1; t < count; t++)
        for (int k = 0; k < vectors; k++) {
            memcpy(&next, (const T *)x[t] + i + k * NAME(width), sizeof next);
            most[k] = NAME(greater)(most[k], next);
        }
    memcpy((T *)out + i, most, (size_t)vectors * sizeof next);
}

/* The last vector may overlap the one before it: taking the greatest twice changes nothing. */
static void NAME(taps)(int64_t n, int count, const void *const *x, void *out) {
    int64_t i = 0, whole = NAME(width);
    for (; i + NAME(wide) * whole <= n; i += NAME(wide) * whole) NAME(strip)(i, NAME(wide), count, x, out);
    for (; i + whole <= n; i += whole) NAME(strip)(i, 1, count, x, out);
    if (i < n && n >= whole) {
        NAME(strip)(n - whole, 1, count, x, out);
        return;
    }
    for (; i < n; i++) {
        T most = ((const T *)x[0])[i];
        for (int t = 1; t < count; t++) most = GREATER(most, ((const T *)x[t])[i]);
        ((T *)out)[i] = most;
    }
}

/* With a stride known to the compiler the loop over windows is vectorised. */
static inline void NAME(slide_by)(int64_t n, int64_t size, int64_t stride, T *restrict out, const T *restrict x) {
    for (int64_t i = 0; i < n; i++) out[i] = x[i * stride];
    for (int64_t t = 1; t < size; t++)
        for (int64_t i = 0; i < n; i++) out[i] = GREATER(out[i], x[i * stride + t]);
}

static void NAME(slide)(int64_t n, int64_t size, int64_t stride, void *out, const void *x) {
    if (stride == 1) NAME(slide_by)(n, size, 1, out, x);
    else if (stride == 2 && size == 3)
        for (int64_t i = 0; i < n; i++) {
            const T *from = (const T *)x + 2 * i;
            T most = GREATER(from[0], from[1]);
            ((T *)out)[i] = GREATER(most, from[2]);
        }
    else if (stride == 2) NAME(slide_by)(n, size, 2, out, x);
    else NAME(slide_by)(n, size, stride, out, x);
}

static const struct pool_type NAME(type) = {NAME(taps), NAME(slide)};
#undef WINS
#undef GREATER
#undef NAME
#undef T
#undef MASK
