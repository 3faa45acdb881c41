/* Drawing the next token from the scores of a language model. */
#ifndef TEXT_SAMPLER_H
#define TEXT_SAMPLER_H
#include <stdbool.h>
#include <stdint.h>
#include "base/text.h"

/* How a token is drawn. */
struct sampling {
    double temperature; /* divides the scores; 0: the likeliest token, the first of equal ones */
    int64_t top_k;      /* draw from the so many likeliest tokens alone; 0: from all */
    /* draw from the fewest likeliest tokens that have this probability together (Holtzman et al. 2020), of those that
       top_k leaves; 0 or 1: from all */
    double top_p;
    uint64_t seed;
};
/* Tokens and their shares, room for the draws of one model. */
struct sampler;
/* Make a sampler of n tokens; NULL sets the fault.  sampler_free frees it. */
struct sampler *sampler_new(int64_t n, struct fault *fault);
void sampler_free(struct sampler *s);
/* Return the token number i of a text, drawn from its scores[n]: a function of the scores, how, and i alone.  -1 sets the
   fault, if a score is NaN. */
int64_t sampler_draw(struct sampler *s, const struct sampling *how, const float *scores, uint64_t i,
                     struct fault *fault);
#endif
