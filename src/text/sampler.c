/* Temperature, the likeliest tokens, and the draw. */
#include "text/sampler.h"
#include <stdlib.h>
#include <tyto/create.h>
#include "base/alloc.h"
#include "base/math/scalar.h"

/* A token that may be drawn. */
struct choice {
    int64_t token;
    float score;
    double share; /* exp of the difference to the greatest score: not normalised */
};

struct sampler {
    int64_t n;
    struct choice choices[];
};

struct sampler *sampler_new(int64_t n, struct fault *fault) {
    size_t bytes = (size_t)n * sizeof(struct choice);
    bool fits = n > 0 && (uint64_t)n < SIZE_MAX / 2 / sizeof(struct choice);
    struct sampler *s = fits ? mem_alloc(sizeof *s + bytes) : NULL;
    if (s)
        s->n = n;
    else
        fault_memory(fault, bytes);
    return s;
}

void sampler_free(struct sampler *s) { mem_free(s); }

/* Order by falling score; equal scores by number. */
static int compare(const void *a, const void *b) {
    const struct choice *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->token > y->token) - (x->token < y->token);
}

/* Move the root of a heap of n choices, whose least is at its root, to its place. */
static void sift(struct choice *heap, int64_t n) {
    struct choice moved = heap[0];
    int64_t at = 0;
    for (int64_t child = 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && compare(&heap[child + 1], &heap[child]) > 0) child++;
        if (compare(&heap[child], &moved) <= 0) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* Keep the k greatest of n choices, in any order. */
static void keep_greatest(struct choice *c, int64_t n, int64_t k) {
    qsort(c, (size_t)k, sizeof *c, compare);
    for (int64_t i = 0; i < k / 2; i++) { /* in rising order they are a heap */
        struct choice held = c[i];
        c[i] = c[k - 1 - i], c[k - 1 - i] = held;
    }
    for (int64_t i = k; i < n; i++) {
        if (compare(&c[i], &c[0]) >= 0) continue;
        c[0] = c[i];
        sift(c, k);
    }
}

/* Keep the fewest of n choices, of shares `sum` together, that have the part p of it; return their number. */
static int64_t keep_nucleus(struct choice *c, int64_t n, double sum, double p) {
    /* Choices below this share are, all together, less than the part that may be left out. */
    double least = (1 - p) * sum / (double)n, reached = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++)
        if (c[i].share >= least) c[kept++] = c[i];
    qsort(c, (size_t)kept, sizeof *c, compare);
    for (int64_t i = 0; i < kept; i++)
        if ((reached += c[i].share) >= p * sum) return i + 1;
    return kept;
}

static double sum_of(const struct choice *c, int64_t n) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += c[i].share;
    return sum;
}

int64_t sampler_draw(struct sampler *s, const ty_draw_options *how, const float *scores, uint64_t i,
                     struct fault *fault) {
    struct choice *c = s->choices;
    int64_t n = how->tokens && how->tokens < s->n ? how->tokens : s->n, best = 0;
    for (int64_t k = 0; k < n; k++) {
        if (scores[k] != scores[k]) {
            fault_set(fault, E_DOMAIN, "decoder_draw: the network's score of token %lld is NaN",
                      (long long)k);
            return -1;
        }
        if (scores[k] > scores[best]) best = k;
        c[k] = (struct choice){.token = k, .score = scores[k]};
    }
    if (!(how->temperature > 0) || how->top_k == 1) return best;
    if (how->top_k && how->top_k < n) keep_greatest(c, n, how->top_k), n = how->top_k;
    double top = (double)scores[best];
    for (int64_t k = 0; k < n; k++) /* infinite scores leave the likeliest ones alone */
        c[k].share = (double)c[k].score == top ? 1 : math_exp(((double)c[k].score - top) / how->temperature);
    double sum = sum_of(c, n);
    if (how->top_p > 0 && how->top_p < 1) n = keep_nucleus(c, n, sum, how->top_p), sum = sum_of(c, n);
    ty_scope *scope = ty_open();
    double u = sum * ty_item(ty_uniform(TY_F64, 0, NULL, ty_fold(ty_key(how->seed), i)));
    ty_close(scope);
    for (int64_t k = 0; k < n; k++)
        if ((u -= c[k].share) < 0) return c[k].token;
    return c[0].token;
}
