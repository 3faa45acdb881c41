/*
 * Language models that read a text token by token.  Keys and values, or states, of the tokens that a model has read stay
 * in variables, which one compiled program for each number of tokens updates in place.
 */
#ifndef TEXT_DECODER_H
#define TEXT_DECODER_H
#include <tyto/zoo.h>
#include "base/text.h"

struct decoder;
/* Make a decoder of a model of the zoo, whose parameters exist; the model must outlive it, and its parameters may be
   assigned to between calls.  NULL sets the fault, also if the network has no cached form.  decoder_free frees it. */
struct decoder *decoder_new(ty_model *model, struct fault *fault);
void decoder_free(struct decoder *d);
/* Read n more tokens, each from 0 to below the number of classes; n 0 reads nothing.  False sets the fault: the decoder
   is then of no more use. */
bool decoder_read(struct decoder *d, const int32_t *tokens, int64_t n, struct fault *fault);
/* Return the number of tokens that the model distinguishes. */
int64_t decoder_classes(const struct decoder *d);
/* Return the scores of the successor of the last token that was read, one for each class, until the next call of
   decoder_read; NULL before a token is read. */
const float *decoder_scores(const struct decoder *d);
/*
 * Return the number of the first token that the model sees after n tokens.  A model with a context of C positions reads
 * up to C tokens.  Then it begins anew with the last C / 2 of them, so a text of any length takes as long a token.  Such
 * a window is the same, however the tokens were divided into calls.  0 for models without such a bound.
 */
int64_t decoder_begin(const struct decoder *d, int64_t n);
#endif
