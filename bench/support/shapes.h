/*
 * Tables of the contractions that benchmarks time and that golden plans cover (tests/plans).
 */
#ifndef BENCH_SHAPES_H
#define BENCH_SHAPES_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* ---- matrix products: rows, columns, terms of a sum ---- */

static const int64_t bench_squares[] = {64, 128, 192, 256, 384, 500, 512, 768, 900, 1000, 1024, 1600, 2048};
/* Squares whose operands are also transposed, as in gradients. */
static const int64_t bench_turned[] = {128, 256, 1024};
static const int64_t bench_products[][3] = {{1601, 1601, 1601}, {100, 512, 25088}, {4096, 64, 64},
                                            {64, 4096, 64},     {64, 64, 4096},    {1000, 1, 1000},
                                            {1, 1000, 1000},    {4000, 1, 4000},   {1, 4000, 4000},
                                            {4, 4000, 4000},    {12, 4000, 4000},  {4000, 4, 4000}};

/* ---- tensor contractions ---- */

struct bench_equation {
    const char *equation, *sizes; /* letter and size, ... */
};
/* The three set-ups of the "tensor compiler passes" page, and the 24 contractions of the TCCG list.
   Source: Springer and Bientinesi, "Design of a high-performance GEMM-like tensor-tensor multiplication",
   ACM TOMS 44, 2018. */
static const struct bench_equation bench_tccg[] = {
    {"km,nk->nm", "k1600 m1600 n1600"},
    {"cdab,efcd->efab", "a64 b25 c64 d25 e64 f25"},
    {"eba,dce->dcba", "a6 b8 c10 d12 e16"},
    {"efbad,cf->abcde", "a48 b36 c24 d36 e48 f36"},
    {"efcad,bf->abcde", "a48 b24 c36 d36 e48 f36"},
    {"dbea,ec->abcd", "a96 b84 c24 d96 e96"},
    {"ecbfa,fd->abcde", "a48 b36 c36 d24 e48 f48"},
    {"deca,be->abcd", "a96 b24 c84 d96 e84"},
    {"bda,dc->abc", "a384 b384 c24 d384"},
    {"ebad,ce->abcd", "a96 b84 c24 d84 e96"},
    {"dega,gfbc->abcdef", "a24 b20 c20 d24 e20 f20 g24"},
    {"dfgb,geac->abcdef", "a24 b20 c20 d24 e20 f20 g24"},
    {"degb,gfac->abcdef", "a24 b20 c20 d24 e20 f20 g24"},
    {"degc,gfab->abcdef", "a24 b20 c20 d24 e20 f20 g24"},
    {"dca,bd->abc", "a384 b24 c376 d384"},
    {"ea,ebcd->abcd", "a96 b84 c84 d84 e96"},
    {"eb,aecd->abcd", "a96 b84 c84 d84 e96"},
    {"ec,abed->abcd", "a96 b84 c84 d84 e96"},
    {"adec,ebd->abc", "a96 b84 c84 d84 e96"},
    {"cad,dcb->ab", "a384 b376 c384 d384"},
    {"acd,dbc->ab", "a384 b376 c376 d384"},
    {"acd,db->abc", "a384 b376 c376 d384"},
    {"adc,bd->abc", "a384 b384 c376 d376"},
    {"ac,cb->ab", "a7248 b7240 c7248"},
    {"aebf,fdec->abcd", "a96 b84 c84 d84 e84 f96"},
    {"eafd,fbec->abcd", "a96 b84 c84 d84 e96 f96"},
    {"aebf,dfce->abcd", "a96 b84 c84 d96 e84 f84"},
};

/* ---- convolutions ---- */

/* A convolution of n spatial axes; a single value holds for all of them. low: padding on both ends. */
struct bench_layer {
    const char *name; /* NULL: bench_layer_name writes the sizes */
    int n;
    int64_t batch, size[3], channels, filters, groups, kernel, stride, dilation, low;
    bool transposed; /* size is x's in any case; padding is cut from the result */
};
#define BENCH_PLANE(size, channels, filters, groups, kernel, stride)                                         \
    { NULL, 2, 1, {size, size}, channels, filters, groups, kernel, stride, 1, (kernel) / 2, false }
#define BENCH_LAYER(size, channels, filters, kernel, stride)                                                 \
    BENCH_PLANE(size, channels, filters, 1, kernel, stride)
/* The 23 distinct convolutions of ResNet-50 (He et al. 2016; stride in the 3 x 3). */
static const struct bench_layer bench_resnet50[] = {
    BENCH_LAYER(224, 3, 64, 7, 2),    BENCH_LAYER(56, 64, 64, 1, 1),    BENCH_LAYER(56, 64, 64, 3, 1),
    BENCH_LAYER(56, 64, 256, 1, 1),   BENCH_LAYER(56, 256, 64, 1, 1),   BENCH_LAYER(56, 256, 128, 1, 1),
    BENCH_LAYER(56, 128, 128, 3, 2),  BENCH_LAYER(28, 128, 512, 1, 1),  BENCH_LAYER(56, 256, 512, 1, 2),
    BENCH_LAYER(28, 512, 128, 1, 1),  BENCH_LAYER(28, 128, 128, 3, 1),  BENCH_LAYER(28, 512, 256, 1, 1),
    BENCH_LAYER(28, 256, 256, 3, 2),  BENCH_LAYER(14, 256, 1024, 1, 1), BENCH_LAYER(28, 512, 1024, 1, 2),
    BENCH_LAYER(14, 1024, 256, 1, 1), BENCH_LAYER(14, 256, 256, 3, 1),  BENCH_LAYER(14, 1024, 512, 1, 1),
    BENCH_LAYER(14, 512, 512, 3, 2),  BENCH_LAYER(7, 512, 2048, 1, 1),  BENCH_LAYER(14, 1024, 2048, 1, 2),
    BENCH_LAYER(7, 2048, 512, 1, 1),  BENCH_LAYER(7, 512, 512, 3, 1)};

/* Depthwise convolutions of MobileNet (Howard et al. 2017), EfficientNet (5 x 5; Tan and Le 2019) and
   ConvNeXt (7 x 7; Liu et al. 2022), and one with two results per channel. */
#define BENCH_DEPTHWISE(size, channels, filters, kernel, stride)                                             \
    BENCH_PLANE(size, channels, filters, channels, kernel, stride)
static const struct bench_layer bench_depthwise[] = {
    BENCH_DEPTHWISE(112, 32, 32, 3, 1),  BENCH_DEPTHWISE(112, 64, 64, 3, 2),
    BENCH_DEPTHWISE(56, 128, 128, 3, 1), BENCH_DEPTHWISE(56, 128, 128, 3, 2),
    BENCH_DEPTHWISE(28, 256, 256, 3, 1), BENCH_DEPTHWISE(14, 512, 512, 3, 1),
    BENCH_DEPTHWISE(14, 512, 512, 3, 2), BENCH_DEPTHWISE(7, 1024, 1024, 3, 1),
    BENCH_DEPTHWISE(28, 240, 240, 5, 2), BENCH_DEPTHWISE(14, 672, 672, 5, 1),
    BENCH_DEPTHWISE(56, 96, 96, 7, 1),   BENCH_DEPTHWISE(14, 384, 384, 7, 1),
    BENCH_DEPTHWISE(7, 768, 768, 7, 1),  BENCH_DEPTHWISE(28, 128, 256, 3, 1)};

static const struct bench_layer bench_other_layers[] = {
    {"56^2 128 32 groups", 2, 1, {56, 56}, 128, 128, 32, 3, 1, 1, 1, false},
    {"33^2 2048>256 dilation 12", 2, 1, {33, 33}, 2048, 256, 1, 3, 1, 12, 12, false},
    {"16^2 256>128 transposed/2", 2, 1, {16, 16}, 256, 128, 1, 4, 2, 1, 1, true},
    {"28^2 256>128 transposed 2x2/2", 2, 1, {28, 28}, 256, 128, 1, 2, 2, 1, 0, true},
    {"16000 1>64 line 80/4", 1, 1, {16000}, 1, 64, 1, 80, 4, 1, 0, false},
    {"4096 64>64 line 9", 1, 8, {4096}, 64, 64, 1, 9, 1, 1, 4, false},
    {"16x56^2 64>64 volume 3", 3, 1, {16, 56, 56}, 64, 64, 1, 3, 1, 1, 1, false}};

/* Write a layer's name from its table, or its sizes: "28^2 128>128 3x3/1". */
static inline void bench_layer_name(const struct bench_layer *l, char *name, size_t capacity) {
    if (l->name)
        snprintf(name, capacity, "%s", l->name);
    else
        snprintf(name, capacity, "%s%lld^2 %lld>%lld %lldx%lld/%lld", l->groups > 1 ? "depthwise " : "",
                 (long long)l->size[0], (long long)l->channels, (long long)l->filters, (long long)l->kernel,
                 (long long)l->kernel, (long long)l->stride);
}
#endif
