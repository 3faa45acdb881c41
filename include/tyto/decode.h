/*
 * Language models that read and write a text token by token.
 *
 *   ty_model *m = ty_network_open("model.safetensors", (ty_model_options){.lazy = true});
 *   ty_tokenizer *t = ty_tokenizer_load("tokenizer.json");
 *   ty_decoder *d = ty_decoder_new(m);
 *   bool well = ty_decoder_read(d, ty_tokenizer_encode(t, "It was", 6), NULL);
 *   while (well && ty_decoder_count(d) < 100) {
 *       int64_t token = ty_decoder_draw(d, (ty_draw_options){.temperature = 0.7, .seed = 1}, NULL);
 *       const char *bytes = ty_tokenizer_token(t, token, NULL);
 *       if (!bytes || token == ty_tokenizer_end(t)) break;
 *       fputs(bytes, stdout);
 *       well = ty_decoder_read(d, ty_int(token), NULL);
 *   }
 *   ty_decoder_free(d);
 *
 * A decoder keeps keys and values, or states, of the tokens that it has read.  A lazy model (ty_model_options) runs one
 * compiled program for a token and one for a block of tokens, which write over this cache in place.
 *
 * A returned decoder is never NULL; NULL as an argument counts as one that has failed.  One thread at a time may use a
 * decoder, and its model.
 */
#ifndef TYTO_DECODE_H
#define TYTO_DECODE_H

#include <tyto/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_decoder ty_decoder;

/* How a token is drawn from the scores of all tokens. */
typedef struct ty_draw_options {
    double temperature; /* divides the scores; 0: the likeliest token, the first of equal ones */
    int64_t top_k;      /* draw from the so many likeliest tokens alone; 0: from all */
    /* draw from the fewest likeliest tokens that have this probability together (Holtzman et al. 2020), of those that
       top_k leaves; 0 or 1: from all */
    double top_p;
    uint64_t seed;
    int64_t tokens; /* draw below this token alone, such as ty_tokenizer_size; 0: all */
} ty_draw_options;

/* Make a decoder of a language model of the zoo: gpt, gpt2 or char_lstm.  The model must have its parameters, and
   outlive the decoder; parameters may be assigned to between calls.  Never NULL: ty_decoder_error returns the reason of a
   failure.  The caller frees it with ty_decoder_free. */
TY_API ty_decoder *ty_decoder_new(ty_model *model);
/* Free a decoder.  NULL is allowed. */
TY_API void ty_decoder_free(ty_decoder *decoder);
/* Return the error message of a decoder that could not be made, "" if it is valid.  The text lives as long as the
   decoder. */
TY_API const char *ty_decoder_error(const ty_decoder *decoder);
/* Return the error of a decoder as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_decoder_failure(const ty_decoder *decoder);

/* Return the number of tokens that the model distinguishes.  0 for a failed decoder. */
TY_API int64_t ty_decoder_size(const ty_decoder *decoder);
/* Return the number of tokens that were read. */
TY_API int64_t ty_decoder_count(const ty_decoder *decoder);
/*
 * Return the number of the first token that the model sees.  A model with a context of C positions reads up to C tokens.
 * Then it begins anew with the last C / 2 of them, so a text of any length takes as long a token.  Such a window is the
 * same, however the tokens were divided into calls.  0 for models without such a bound.
 */
TY_API int64_t ty_decoder_first(const ty_decoder *decoder);
/* Read more tokens: integers of any shape, in row-major order, each from 0 to below ty_decoder_size.  An empty tensor
   reads nothing.  False on failure: the decoder has the tokens that it had before, which it reads again when they are
   needed, and *error, unless NULL, receives a poisoned tensor that the scope owns. */
TY_API bool ty_decoder_read(ty_decoder *decoder, ty_tensor *tokens, ty_tensor **error);
/* Forget all tokens. */
TY_API void ty_decoder_clear(ty_decoder *decoder);
/* Return the scores of the successor of the last token, f32 (ty_decoder_size): logarithms of probabilities, up to a
   constant.  Poison before a token is read. */
TY_API ty_tensor *ty_decoder_scores(ty_decoder *decoder);
TY_API int64_t ty_decoder_draw_sized(ty_decoder *decoder, const ty_draw_options *options, size_t size,
                                     ty_tensor **error);
/* Return the successor of the last token, drawn from the scores; it is not read.  The draw depends on the scores, the
   options and the number of tokens that were read alone, so it is the same for any number of threads.  -1 on failure,
   as before a token is read or if a score is NaN: *error, unless NULL, receives a poisoned tensor that the scope owns. */
TY_INLINE int64_t ty_decoder_draw(ty_decoder *decoder, ty_draw_options options, ty_tensor **error) {
    return ty_decoder_draw_sized(decoder, &options, sizeof options, error);
}

#ifdef __cplusplus
}
#endif
#endif
