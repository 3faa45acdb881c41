/* Texts that networks of tokens learn and write: a token is a byte below 128. */
#ifndef TOOLS_TEXT_H
#define TOOLS_TEXT_H
#include <tyto/nn.h>

struct text_file {
    unsigned char *bytes;
    int64_t n, kept; /* all; before those that are held out */
    int64_t places, batch;
    uint64_t seed;
};

/* The text with `held_out` of it at its end for validation; NULL after a message on stderr. */
struct text_file *text_file_open(const char *path, double held_out, int64_t limit);
void text_file_close(struct text_file *t);
/* Batches of windows of `places` tokens and the tokens that follow each; of the held-out part in order. */
ty_batch_source text_file_source(struct text_file *t, int64_t places, int64_t batch, uint64_t seed);
ty_batch_source text_file_held_out(struct text_file *t);
/* Writes n tokens that the model draws after the prompt, to standard output; temperature 0: the most likely ones.  False
   after a message on stderr. */
bool text_write(ty_model *model, int64_t places, const char *prompt, int64_t n, double temperature,
                uint64_t seed);
#endif
