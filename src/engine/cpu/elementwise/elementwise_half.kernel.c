/*
 * Template: loops of a half type. Tiles that stay in L1 are widened to f32, pass f32's loop, and are narrowed.
 * Parameter: TYPE (f16 or bf16; math_half_vector.h). Separate loops with both conversions would be a quarter of each
 * unit's code.
 */
#define STORED uint16_t
#define KIND 3

/* Widen n halves at `from` to f32 at `to`, which has room for whole vectors; lanes past n become 0. */
static void T(widen)(int64_t n, float *to, const char *from) {
    int64_t whole = n - n % L(lanes);
    for (int64_t i = 0; i < whole; i += L(lanes)) L(store)(to, i, T(load)(from, i));
    if (whole == n) return;
    STORED rest[L(lanes)] = {0};
    memcpy(rest, from + whole * (int64_t)sizeof(STORED), (size_t)(n - whole) * sizeof(STORED));
    L(store)(to, whole, T(load)(rest, 0));
}

static void T(narrow)(int64_t n, char *to, const float *from) {
    int64_t whole = n - n % L(lanes);
    for (int64_t i = 0; i < whole; i += L(lanes)) T(store)(to, i, L(load)(from, i));
    if (whole == n) return;
    STORED rest[L(lanes)];
    T(store)(rest, 0, L(load)(from, whole));
    memcpy(to + whole * (int64_t)sizeof(STORED), rest, (size_t)(n - whole) * sizeof(STORED));
}

/* Compute n elements of y by f32's `loop` with `count` operands, widened and narrowed tile by tile. Elements of a
   and y have bytes_a and bytes_y bytes. Bools (1 byte) are not converted. */
static __attribute__((noinline)) void T(run)(int64_t n, void *y, const void *a, const void *b, const void *c,
                                             cpu_loop loop, int count, size_t bytes_a, size_t bytes_y) {
    enum { TILE = 512 };
    _Alignas(64) float room[4][TILE];
    const char *operands[] = {a, b, c};
    const size_t bytes[] = {bytes_a, sizeof(STORED), sizeof(STORED)};
    for (int64_t i = 0, m; i < n; i += m) {
        const void *in[3] = {NULL};
        char *to = (char *)y + i * (int64_t)bytes_y;
        m = n - i < TILE ? n - i : TILE;
        for (int k = 0; k < count; k++) {
            const char *from = operands[k] + i * (int64_t)bytes[k];
            if (bytes[k] == sizeof(STORED)) T(widen)(m, room[k], from);
            in[k] = bytes[k] == sizeof(STORED) ? (const void *)room[k] : from;
        }
        loop(m, bytes_y == sizeof(STORED) ? (void *)room[3] : to, in[0], in[1], in[2]);
        if (bytes_y == sizeof(STORED)) T(narrow)(m, to, room[3]);
    }
}

/* Compute y = nextafter(a, b) on n elements, the one operator whose result differs from f32's result rounded. */
static void T(next)(int64_t n, void *y, const void *a, const void *b, const void *c) {
    (void)c;
    for (int64_t i = 0; i < n; i += L(lanes)) L(store)(y, i, T(nextafter)(L(load)(a, i), L(load)(b, i)));
}

#define WIDENED(name, bytes_y, count, bytes_a)                                                               \
    static void T(loop_##name)(int64_t n, void *y, const void *a, const void *b, const void *c) {            \
        cpu_loop loop = ROW_##name == ROW_nextafter ? T(next) : L(loop_##name);                              \
        T(run)(n, y, a, b, c, loop, count, bytes_a, bytes_y);                                                \
    }
#include "engine/cpu/elementwise/elementwise.kernel.c"
#undef WIDENED
