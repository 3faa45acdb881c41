/* Attention (Vaswani et al. 2017) and embeddings of positions, as functions of tensors.  Part of <tyto/nn.h>; layers.h
   has the layers. */
#ifndef TYTO_ATTENTION_H
#define TYTO_ATTENTION_H
#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of ty_attention: treatment of scores before their softmax, and the method. */
typedef struct ty_attention_options {
    /* broadcasts to (N,H,Tq,Tk): bool, true where a query sees a key; or floats that are added */
    ty_tensor *mask;
    ty_tensor *lengths; /* (N), integers: number of keys of each example */
    ty_tensor *offset;  /* integer[]: query i is at position i + offset among the keys; NULL: 0 */
    ty_tensor *slopes; /* (H): ALiBi, scores lose slope times distance (Press et al. 2022); ty_alibi_slopes */
    bool causal;       /* a query sees keys up to its own position */
    int64_t window;    /* of these only the last `window`; 0 means all */
    double scale;      /* of scores; 0 means 1 / sqrt(D) */
    double dropout;    /* of attention weights, if there is a key */
    ty_tensor *key;    /* random numbers; NULL: no dropout */
    /* keys of a block; 0 means all below 2^20 scores a head, else 256; negative: all */
    int64_t block;
} ty_attention_options;

TY_API ty_tensor *ty_attention_sized(ty_tensor *q, ty_tensor *k, ty_tensor *v,
                                     const ty_attention_options *options, size_t size);
/*
 * Scaled dot-product attention: softmax(q k' scale + mask) v, for q (N,H,Tq,D), k (N,G,Tk,D), v (N,G,Tk,E):
 * (N,H,Tq,E).  All are floating, of one dtype, also the result's.  Poison if shapes or options do not fit.
 *
 * H is a multiple of G, and each head of k and v serves H/G heads of q.  A query that sees no key gets zeros.  Scores
 * of f16 and bf16 are computed in f32.  Above `block` keys, blocks of keys are summed with a running maximum, so that
 * scores are never all in memory (Milakov and Gimelshein 2018; Dao et al. 2022); gradients compute them again.
 */
TY_INLINE ty_tensor *ty_attention(ty_tensor *q, ty_tensor *k, ty_tensor *v, ty_attention_options options) {
    return ty_attention_sized(q, k, v, &options, sizeof options);
}
/* Return the slopes of ALiBi for H = `heads` heads, f64 (H): 2^(-8/H), 2^(-16/H) and so on; interpolated as by
   Press et al. if H is no power of two.  Poison unless H is 1 to 1024. */
TY_API ty_tensor *ty_alibi_slopes(int64_t heads);
/* Rotate x (...,T,D), D even, by rotary position embedding.  The two halves of the last axis (`pairs`: neighbours)
   are parts of complex numbers, of which number j at position t is turned by t base^(-2j/D).  `places` holds the
   positions t, (T) or broadcast to (...,T); NULL: from 0 on.  The result has x's shape and dtype.  Poison unless x
   is floating with two axes or more, D even and base positive. */
TY_API ty_tensor *ty_rotary(ty_tensor *x, ty_tensor *places, double base, bool pairs);
/* Return the sinusoidal embedding (T,C) of T = `places` positions in C = `units` columns: sin(t base^(-2j/C))
   in column 2j, its cosine in column 2j + 1.  base 0: 10000 (Vaswani et al. 2017, section 3.5).  Poison if T or
   base is negative, C below 1, or the dtype not floating. */
TY_API ty_tensor *ty_sinusoids(ty_dtype dtype, int64_t places, int64_t units, double base);

#ifdef __cplusplus
}
#endif
#endif
