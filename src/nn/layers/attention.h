/* Attention of tensors: what its two ways, all keys at once and block by block, have in common. */
#ifndef NN_LAYERS_ATTENTION_H
#define NN_LAYERS_ATTENTION_H
#include "nn/layers/options.h"

/* N examples, G heads of keys, each for R heads of queries. */
struct attention {
    int64_t n, g, r, queries, keys, width, value_width;
    double scale, dropout;
    int64_t window, block;
    bool causal;
};

/* Operands in their forms; those that are NULL are none. */
struct attention_operands {
    ty_tensor *q;       /* (N,G,R Tq,D) */
    ty_tensor *k, *v;   /* (N,G,B,D), (N,G,B,E): some or all keys */
    ty_tensor *mask;    /* 5 axes that broadcast to (N,G,R,Tq,B) */
    ty_tensor *lengths; /* i64 (N,1,1,1,1) */
    ty_tensor *offset;  /* i64 [] */
    ty_tensor *slopes;  /* (G,R,1,1) */
    ty_tensor *key;     /* u64[2], for these keys */
    ty_tensor *first;   /* i64 []: the place of the first of these keys */
};

/* How far each query is from each of these keys, (Tq,B). */
ty_tensor *attention_distance(const struct attention *a, const struct attention_operands *o);
/* (N,G,R,Tq,B) in the wide dtype, minus infinity where nothing is seen. */
ty_tensor *attention_scores(const struct attention *a, const struct attention_operands *o);
/* Shares (not yet divided by their sum) as they meet the values. */
ty_tensor *attention_dropped(const struct attention *a, const struct attention_operands *o,
                             ty_tensor *shares);
/* (N,G,R,Tq,B) times (N,G,B,E) */
ty_tensor *attention_times(const struct attention *a, ty_tensor *shares, ty_tensor *v);
/* The sum of shares, and 1 where it is 0: a query that sees nothing. */
ty_tensor *attention_total(ty_tensor *sum);

/* Block by block; o->k and o->v have all keys. */
ty_tensor *attention_by_blocks(const struct attention *a, struct attention_operands *o);
#endif
