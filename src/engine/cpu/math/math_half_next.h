/*
 * Template: the next f16 or bf16 from a towards b, as f32. Parameters: those of math_half.h, in an f32 lane of
 * math_float.h. Bits of magnitudes are ordered; from 0 it is the least number.
 */
#define NEXT_HALF(type)                                                                                      \
    static inline L(vector) nextafter_##type(L(vector) a, L(vector) b) {                                     \
        L(bits) bits = HALF(type##_narrow)(a), away = KEEP_BITS((a > 0) == (a < b), 1);                      \
        L(bits) least = KEEP_BITS(b < 0, 0x8000) | 1;                                                        \
        bits = bits - 1 + 2 * away;                                                                          \
        bits = KEEP_BITS(a != 0, bits) | KEEP_BITS(a == 0, least);                                           \
        L(vector) next = SELECT(a == b, b, HALF(type##_widen)(bits));                                        \
        return SELECT((a == a) & (b == b), next, a + b);                                                     \
    }
NEXT_HALF(f16)
NEXT_HALF(bf16)
#undef NEXT_HALF
