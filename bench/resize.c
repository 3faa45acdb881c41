/* Interpolation and grid sampling against PyTorch, channels first and last. */
#include "bench/support/harness.h"

#define RESIZED(name, kind, ...)                                                                             \
    static ty_tensor *name##_first(ty_tensor *const *x) {                                                    \
        return ty_interpolate(x[0], 2, (int[]){2, 3},                                                        \
                              (ty_interpolation){.sampling = kind, .scales = (double[]){__VA_ARGS__}});      \
    }                                                                                                        \
    static ty_tensor *name##_last(ty_tensor *const *x) {                                                     \
        return ty_interpolate(x[0], 2, (int[]){1, 2},                                                        \
                              (ty_interpolation){.sampling = kind, .scales = (double[]){__VA_ARGS__}});      \
    }
RESIZED(linear_up, TY_LINEAR, 2, 2)
RESIZED(linear_down, TY_LINEAR, 0.5, 0.5)
RESIZED(cubic_up, TY_CUBIC, 2, 2)
RESIZED(cubic_down, TY_CUBIC, 0.5, 0.5)

static ty_tensor *nearest_up_first(ty_tensor *const *x) { return ty_upsample(x[0], 2, TY_NEAREST, false); }
static ty_tensor *nearest_up_last(ty_tensor *const *x) { return ty_upsample(x[0], 2, TY_NEAREST, true); }
static ty_interpolation halved(void) {
    static const double half[] = {0.5, 0.5};
    return (ty_interpolation){.coordinates = TY_ASYMMETRIC, .nearest = TY_FLOOR, .scales = half};
}
static ty_tensor *nearest_down_first(ty_tensor *const *x) {
    return ty_interpolate(x[0], 2, (int[]){2, 3}, halved());
}
static ty_tensor *nearest_down_last(ty_tensor *const *x) {
    return ty_interpolate(x[0], 2, (int[]){1, 2}, halved());
}
static ty_tensor *antialiased(ty_tensor *const *x) {
    return ty_interpolate(x[0], 2, (int[]){2, 3},
                          (ty_interpolation){.sampling = TY_LINEAR,
                                             .antialias = true,
                                             .exclude_outside = true,
                                             .sizes = (int64_t[]){224, 224}});
}
static ty_tensor *linear_up_gradient(ty_tensor *const *x) {
    ty_tensor *leaf = ty_track(x[0], "x"), *y = linear_up_first(&leaf), *g;
    ty_vjp(y, x[1], 1, &leaf, &g);
    return g;
}

#define SAMPLED(name, kind, how, last)                                                                       \
    static ty_tensor *name(ty_tensor *const *x) {                                                            \
        return ty_grid_sample(x[0], x[1],                                                                    \
                              (ty_grid_options){.sampling = kind, .outside = how, .channels_last = last});   \
    }
SAMPLED(grid_linear, TY_LINEAR, TY_OUTSIDE_ZEROS, false)
SAMPLED(grid_linear_last, TY_LINEAR, TY_OUTSIDE_ZEROS, true)
SAMPLED(grid_nearest, TY_NEAREST, TY_OUTSIDE_BORDER, false)
SAMPLED(grid_cubic, TY_CUBIC, TY_OUTSIDE_REFLECTION, false)

#define FIRST(mode, scale) "torch.nn.functional.interpolate(a, scale_factor=" scale ", mode='" mode "')"
/* PyTorch views (N,H,W,C) memory as (N,C,H,W) and computes in that layout. */
#define LAST(mode, scale)                                                                                    \
    "torch.nn.functional.interpolate(a.permute(0, 3, 1, 2), scale_factor=" scale ", mode='" mode "')"
#define GRID(x, mode, padding)                                                                               \
    "torch.nn.functional.grid_sample(" x ", b, mode='" mode "', padding_mode='" padding                      \
    "', align_corners=False)"
#define FEATURES_FIRST                                                                                       \
    { .dtype = TY_F32, .rank = 4, .shape = {8, 64, 56, 56}, .low = -1, .high = 1 }
#define FEATURES_LAST                                                                                        \
    { .dtype = TY_F32, .rank = 4, .shape = {8, 56, 56, 64}, .low = -1, .high = 1 }
#define PHOTO                                                                                                \
    { .dtype = TY_F32, .rank = 4, .shape = {1, 3, 1080, 1920}, .low = 0, .high = 1 }
#define PHOTO_LAST                                                                                           \
    { .dtype = TY_F32, .rank = 4, .shape = {1, 1080, 1920, 3}, .low = 0, .high = 1 }
#define POINTS                                                                                               \
    { .dtype = TY_F32, .rank = 4, .shape = {8, 56, 56, 2}, .low = -1.1, .high = 1.1 }
#define PHOTO_POINTS                                                                                         \
    { .dtype = TY_F32, .rank = 4, .shape = {1, 512, 512, 2}, .low = -1.1, .high = 1.1 }

/* Bytes read and written. */
#define UP (8 * 64 * 56 * 56 * 4.0 * 5)
#define DOWN (8 * 64 * 56 * 56 * 4.0 * 1.25)
#define PHOTO_UP (3 * 1080 * 1920 * 4.0 * 5)

static const struct bench_case cases[] = {
    {"nearest x2 NCHW", 1, {FEATURES_FIRST}, nearest_up_first, NULL, FIRST("nearest", "2"), UP, BENCH_STREAM},
    {"nearest x2 NHWC", 1, {FEATURES_LAST}, nearest_up_last, NULL, LAST("nearest", "2"), UP, BENCH_STREAM},
    {"nearest x0.5 NCHW",
     1,
     {FEATURES_FIRST},
     nearest_down_first,
     NULL,
     FIRST("nearest", "0.5"),
     DOWN,
     BENCH_STREAM},
    {"nearest x0.5 NHWC",
     1,
     {FEATURES_LAST},
     nearest_down_last,
     NULL,
     LAST("nearest", "0.5"),
     DOWN,
     BENCH_STREAM},
    {"bilinear x2 NCHW",
     1,
     {FEATURES_FIRST},
     linear_up_first,
     NULL,
     FIRST("bilinear", "2"),
     UP,
     BENCH_STREAM},
    {"bilinear x2 NHWC", 1, {FEATURES_LAST}, linear_up_last, NULL, LAST("bilinear", "2"), UP, BENCH_STREAM},
    {"bilinear x0.5 NCHW",
     1,
     {FEATURES_FIRST},
     linear_down_first,
     NULL,
     FIRST("bilinear", "0.5"),
     DOWN,
     BENCH_STREAM},
    {"bilinear x0.5 NHWC",
     1,
     {FEATURES_LAST},
     linear_down_last,
     NULL,
     LAST("bilinear", "0.5"),
     DOWN,
     BENCH_STREAM},
    {"bicubic x2 NCHW", 1, {FEATURES_FIRST}, cubic_up_first, NULL, FIRST("bicubic", "2"), UP, BENCH_STREAM},
    {"bicubic x2 NHWC", 1, {FEATURES_LAST}, cubic_up_last, NULL, LAST("bicubic", "2"), UP, BENCH_STREAM},
    {"bicubic x0.5 NCHW",
     1,
     {FEATURES_FIRST},
     cubic_down_first,
     NULL,
     FIRST("bicubic", "0.5"),
     DOWN,
     BENCH_STREAM},
    {"bicubic x0.5 NHWC",
     1,
     {FEATURES_LAST},
     cubic_down_last,
     NULL,
     LAST("bicubic", "0.5"),
     DOWN,
     BENCH_STREAM},
    {"photo bilinear x2 NCHW",
     1,
     {PHOTO},
     linear_up_first,
     NULL,
     FIRST("bilinear", "2"),
     PHOTO_UP,
     BENCH_STREAM},
    {"photo bilinear x2 NHWC",
     1,
     {PHOTO_LAST},
     linear_up_last,
     NULL,
     LAST("bilinear", "2"),
     PHOTO_UP,
     BENCH_STREAM},
    {"photo to 224 antialiased",
     1,
     {PHOTO},
     antialiased,
     NULL,
     "torch.nn.functional.interpolate(a, size=(224, 224), mode='bilinear', antialias=True)",
     PHOTO_UP / 5,
     BENCH_READ},
    {"bilinear x2 and its gradient",
     2,
     {FEATURES_FIRST, {.dtype = TY_F32, .rank = 4, .shape = {8, 64, 112, 112}}},
     linear_up_gradient,
     NULL,
     "torch.autograd.functional.vjp(lambda t: torch.nn.functional.interpolate(t, scale_factor=2, "
     "mode='bilinear'), a, b)[1]",
     2 * UP,
     BENCH_STREAM},
    {"grid bilinear 64 channels",
     2,
     {FEATURES_FIRST, POINTS},
     grid_linear,
     NULL,
     GRID("a", "bilinear", "zeros"),
     0,
     BENCH_NO_ROOF},
    {"grid bilinear channels last",
     2,
     {FEATURES_LAST, POINTS},
     grid_linear_last,
     NULL,
     GRID("a.permute(0, 3, 1, 2)", "bilinear", "zeros"),
     0,
     BENCH_NO_ROOF},
    {"grid bilinear photo",
     2,
     {PHOTO, PHOTO_POINTS},
     grid_linear,
     NULL,
     GRID("a", "bilinear", "zeros"),
     0,
     BENCH_NO_ROOF},
    {"grid nearest 64 channels",
     2,
     {FEATURES_FIRST, POINTS},
     grid_nearest,
     NULL,
     GRID("a", "nearest", "border"),
     0,
     BENCH_NO_ROOF},
    {"grid bicubic 64 channels",
     2,
     {FEATURES_FIRST, POINTS},
     grid_cubic,
     NULL,
     GRID("a", "bicubic", "reflection"),
     0,
     BENCH_NO_ROOF},
};

int main(int argc, char **argv) {
    struct bench *b = bench_open(argc, argv, "resize");
    if (!b) return 1;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (bench_quick(b) && i % 2) continue;
        ty_trim();
        bench_case(b, &cases[i]);
    }
    return bench_close(b);
}
