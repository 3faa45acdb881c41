/* Template: all loops (struct fft_loops) of one type: T, V (lanes of a vector), LANES, MADD, NAME. Loads and
   stores are aligned to elements only. */
#define vec NAME(vec)
#define mask NAME(mask)
#define cx NAME(cx)
typedef T vec __attribute__((vector_size(VECTOR_BYTES)));
typedef BITS mask __attribute__((vector_size(VECTOR_BYTES)));
typedef T NAME(loose) __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));
struct cx {
    vec re, im;
};
#define INLINE static inline __attribute__((always_inline))
#define GET(at) (*(const NAME(loose) *)(at))
#define PUT(at, v) (*(NAME(loose) *)(at) = (v))
#define SPLAT(x) ((x) - (vec){0})

#include "engine/cpu/fft/fft_butterflies.kernel.c"
#include "engine/cpu/fft/fft_sweeps.kernel.c"
#include "engine/cpu/fft/fft_lines.kernel.c"

#define WIDE(r)                                                                                              \
    {                                                                                                        \
        {NAME(wide_##r##_00), NAME(wide_##r##_01)}, { NAME(wide_##r##_10), NAME(wide_##r##_11) }             \
    }
#define NARROW(r)                                                                                            \
    { NAME(narrow_##r##_0), NAME(narrow_##r##_1) }
static const struct fft_loops NAME(loops) = {
    .lanes = V,
    .wide = {[FFT_2] = WIDE(2),
             [FFT_3] = WIDE(3),
             [FFT_4] = WIDE(4),
             [FFT_5] = WIDE(5),
             [FFT_7] = WIDE(7),
             [FFT_8] = WIDE(8),
             [FFT_9] = WIDE(9),
             [FFT_16] = WIDE(16),
             [FFT_ODD] = WIDE(odd)},
    .narrow = {[FFT_2] = NARROW(2),
               [FFT_3] = NARROW(3),
               [FFT_4] = NARROW(4),
               [FFT_5] = NARROW(5),
               [FFT_7] = NARROW(7),
               [FFT_8] = NARROW(8),
               [FFT_9] = NARROW(9),
               [FFT_16] = NARROW(16),
               [FFT_ODD] = NARROW(odd)},
    .load = NAME(load),
    .store = NAME(store),
    .gather = NAME(gather),
    .scatter = NAME(scatter),
    .apart = NAME(apart),
    .together = NAME(together),
    .times = NAME(times),
    .split = NAME(split),
    .join = NAME(join),
    .split_line = NAME(split_line),
    .join_line = NAME(join_line),
};
#undef WIDE
#undef NARROW
#undef vec
#undef mask
#undef cx
#undef INLINE
#undef GET
#undef PUT
#undef SPLAT
