/*
 * Template: casts from one element type to all. Parameters: FROM (name), FROM_STORED (type in memory), FROM_KIND
 * (whole, f16, bf16, f32, f64, c64 or c128). Loops y[i] = a[i] over unaligned contiguous memory; y may equal a. Plain
 * C: conversions round equally in vectors and scalars, so the compiler may vectorise.
 */

typedef FROM_STORED JOIN(element_, FROM) __attribute__((aligned(1), may_alias));

#define CAST(to, stored, kind)                                                                               \
    static void JOIN(JOIN(cast_, FROM), _##to)(int64_t n, void *y, const void *a, const void *b,             \
                                               const void *c) {                                              \
        typedef stored target __attribute__((aligned(1), may_alias));                                        \
        const JOIN(element_, FROM) *from = a;                                                                \
        (void)b, (void)c;                                                                                    \
        INDEPENDENT for (int64_t i = 0; i < n; i++)((target *)y)[i] = TO_##kind(to, stored, from[i]);        \
    }
CAST(boolean, uint8_t, boolean)
EACH_SIGNED(CAST)
#if !JOIN(IS_WHOLE_, FROM_KIND)
EACH_UNSIGNED(CAST)
#endif
EACH_FLOATING(CAST)

#define NAME_OF(to) JOIN(JOIN(cast_, FROM), JOIN(_, to))
#define ENTRY(to, stored, kind) NAME_OF(to),
#if JOIN(IS_WHOLE_, FROM_KIND)
#define ENTRY_UNSIGNED(to, stored, kind) NAME_OF(SIGNED_##to),
#else
#define ENTRY_UNSIGNED ENTRY
#endif
static const cpu_loop JOIN(casts_from_, FROM)[TY_DTYPES] = {
    ENTRY(boolean, uint8_t, boolean) EACH_SIGNED(ENTRY) EACH_UNSIGNED(ENTRY_UNSIGNED) EACH_FLOATING(ENTRY)};

#undef CAST
#undef NAME_OF
#undef ENTRY
#undef ENTRY_UNSIGNED
#undef FROM
#undef FROM_STORED
#undef FROM_KIND
