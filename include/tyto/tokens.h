/*
 * Tokens of texts: byte-pair encoding (Gage 1994; Sennrich et al. 2016) at the level of bytes (Radford et al. 2019).
 *
 *   ty_tokenizer *t = ty_tokenizer_train(text, strlen(text), 1000);
 *   ty_tensor *ids = ty_tokenizer_encode(t, "It was", 6);
 *   size_t n;
 *   char *same = ty_tokenizer_decode(t, ids, &n, NULL);      "It was"
 *   ty_free(same);
 *   ty_tokenizer_free(t);
 *
 * A text is any bytes; valid UTF-8 is not needed.  A pattern cuts it into words.  Each word begins as single bytes; then
 * the pair of neighbours that comes first in the list of merges becomes one token, until no pair is in the list.
 * Decoding gives the bytes back exactly, unless the tokenizer puts a blank before texts (add_prefix_space).
 *
 * A returned tokenizer is never NULL; NULL as an argument counts as one that has failed.  Tokenizers do not change:
 * threads may share one.
 */
#ifndef TYTO_TOKENS_H
#define TYTO_TOKENS_H

#include <tyto/core.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ty_tokenizer ty_tokenizer;

/* Make the tokenizer whose 256 tokens are the bytes.  Never NULL: ty_tokenizer_error returns the reason of a failure.
   The caller frees it with ty_tokenizer_free. */
TY_API ty_tokenizer *ty_tokenizer_new(void);
/*
 * Train a tokenizer of at most `size` tokens on n bytes of text: the 256 bytes, merges, and the end token
 * "<|endoftext|>" as the last one.  Each merge joins the most frequent pair of neighbours inside words; of equally
 * frequent pairs that of the lower tokens.  There are fewer tokens if no pair is left that occurs twice.  Words are
 * GPT-2's.
 *
 * Never NULL: ty_tokenizer_error returns the reason of a failure, such as a size below 257 or above 2^24.  The caller
 * frees it with ty_tokenizer_free.
 */
TY_API ty_tokenizer *ty_tokenizer_train(const char *text, size_t n, int64_t size);
/*
 * Make the tokenizer that n bytes of JSON describe, in the format of Hugging Face's tokenizer.json: a model BPE, and the
 * pre-tokenizer ByteLevel, alone or behind a Split by the pattern of GPT-2, GPT-4 or Qwen 2.  Anything else that would
 * change tokens is refused by name.  Templates of its post-processor are not applied.
 *
 * Never NULL: ty_tokenizer_error returns the reason of a failure.  The caller frees it with ty_tokenizer_free.
 */
TY_API ty_tokenizer *ty_tokenizer_parse(const char *json, size_t n);
/* Read a tokenizer.json as ty_tokenizer_parse, or the tokenizer that a file of weights holds (TY_NOTE_TOKENIZER).  Never
   NULL: ty_tokenizer_error returns the reason of a failure.  The caller frees it with ty_tokenizer_free. */
TY_API ty_tokenizer *ty_tokenizer_load(const char *path);
/* Free a tokenizer.  NULL is allowed. */
TY_API void ty_tokenizer_free(ty_tokenizer *tokenizer);
/* Return the error message of a tokenizer, "" if it is valid.  The text lives as long as the tokenizer. */
TY_API const char *ty_tokenizer_error(const ty_tokenizer *tokenizer);
/* Return the error of a tokenizer as a poisoned tensor (ty_error_code, ty_error_details), owned by the innermost scope.
   NULL if it is valid. */
TY_API ty_tensor *ty_tokenizer_failure(const ty_tokenizer *tokenizer);

/* Return the number of tokens: ids are below it.  0 for a failed tokenizer. */
TY_API int64_t ty_tokenizer_size(const ty_tokenizer *tokenizer);
/* Return the id of the token that ends a text, such as "<|endoftext|>"; -1 if there is none. */
TY_API int64_t ty_tokenizer_end(const ty_tokenizer *tokenizer);
/* Return the bytes of a token, which live as long as the tokenizer, and their number in *n (NULL: not wanted); a zero
   follows them.  NULL if there is no such token. */
TY_API const char *ty_tokenizer_token(const ty_tokenizer *tokenizer, int64_t id, size_t *n);
/* Return the tokens of n bytes of text, i32 (T).  Added tokens, such as "<|endoftext|>", are found as they are written.
   Poison if the tokenizer has failed, or without memory. */
TY_API ty_tensor *ty_tokenizer_encode(const ty_tokenizer *tokenizer, const char *text, size_t n);
/* Return the bytes of tokens, an integer tensor of any shape, in row-major order, and their number in *n (NULL: not
   wanted); a zero follows them.  The caller frees them with ty_free.  NULL on failure: *error, unless NULL, receives a
   poisoned tensor that the scope owns. */
TY_API char *ty_tokenizer_decode(const ty_tokenizer *tokenizer, ty_tensor *ids, size_t *n, ty_tensor **error);
/* Format a tokenizer as JSON, which ty_tokenizer_parse and Hugging Face's tokenizers read.  The caller frees the text
   with ty_free; NULL: out of memory, or the tokenizer has failed. */
TY_API char *ty_tokenizer_to_json(const ty_tokenizer *tokenizer);
/* Write ty_tokenizer_to_json to a file, which is replaced as a whole.  False on failure, with the reason in *error
   unless NULL: a poisoned tensor that the scope owns. */
TY_API bool ty_tokenizer_save(const ty_tokenizer *tokenizer, const char *path, ty_tensor **error);

#ifdef __cplusplus
}
#endif
#endif
