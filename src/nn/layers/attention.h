/* Common parts of attention over all keys at once and over blocks of keys. */
#ifndef NN_LAYERS_ATTENTION_H
#define NN_LAYERS_ATTENTION_H
#include "nn/layers/options.h"

/* Sizes and options: n examples, g key heads, each shared by r query heads. */
struct attention {
    int64_t n, g, r, queries, keys, width, value_width;
    double scale, dropout;
    int64_t window, block;
    bool causal;
};

/* Operands, reshaped; NULL if absent. B is the number of keys in k: all, or a block. */
struct attention_operands {
    ty_tensor *q;       /* [N, G, R Tq, D] */
    ty_tensor *k, *v;   /* [N, G, B, D] and [N, G, B, E]: all keys or a block */
    ty_tensor *mask;    /* 5 axes that broadcast to [N, G, R, Tq, B] */
    ty_tensor *lengths; /* i64 [N, 1, 1, 1, 1] */
    ty_tensor *offset;  /* i64 []: position of the first query */
    ty_tensor *slopes;  /* [G, R, 1, 1] */
    ty_tensor *key;     /* u64 [2], random key for these keys */
    ty_tensor *first;   /* i64 []: position of the first of these keys */
};

/* Return the distances |position of query - position of key|, [queries, B], in the wide dtype; B keys are
   in o->k. */
ty_tensor *attention_distance(const struct attention *a, const struct attention_operands *o);
/* Return the scaled and masked scores [N, G, R, Tq, B] of all queries and the B keys in o->k, in the wide
   dtype; minus infinity for masked keys. */
ty_tensor *attention_scores(const struct attention *a, const struct attention_operands *o);
/* Apply dropout to the unnormalised weights `shares` with key o->key; return them as they are without a
   key. */
ty_tensor *attention_dropped(const struct attention *a, const struct attention_operands *o,
                             ty_tensor *shares);
/* Multiply weights [N, G, R, Tq, B] by values v [N, G, B, E]; the result is [N, G, R, Tq, E] in the dtype
   of v. */
ty_tensor *attention_times(const struct attention *a, ty_tensor *shares, ty_tensor *v);
/* Return `sum`, the sums of weights, with 0 replaced by 1: there a query sees no key. */
ty_tensor *attention_total(ty_tensor *sum);

/* Return the attention [N, G, R, Tq, E], computed block by block, with a gradient that does so too. o->k
   and o->v have all keys. Poison without memory. */
ty_tensor *attention_by_blocks(const struct attention *a, struct attention_operands *o);
#endif
