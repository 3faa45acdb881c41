/* Drawing the next token from the scores of a language model. */
#ifndef TEXT_SAMPLER_H
#define TEXT_SAMPLER_H
#include <tyto/decode.h>
#include "base/text.h"

/* Tokens and their shares, room for the draws of one model. */
struct sampler;
/* Make a sampler of n tokens; NULL sets the fault.  sampler_free frees it. */
struct sampler *sampler_new(int64_t n, struct fault *fault);
void sampler_free(struct sampler *s);
/* Return the token number i of a text, drawn from its scores[n], or the first how->tokens of them: a function of the
   scores, how, and i alone.  -1 sets the fault, if a score is NaN. */
int64_t sampler_draw(struct sampler *s, const ty_draw_options *how, const float *scores, uint64_t i,
                     struct fault *fault);
#endif
