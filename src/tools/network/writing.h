/* Texts that a language model writes. */
#ifndef TOOLS_NETWORK_WRITING_H
#define TOOLS_NETWORK_WRITING_H
#include <stdio.h>
#include <tyto/decode.h>
#include <tyto/zoo.h>

/* Usual temperature: below 1, so that unlikely tokens, which a small network often misjudges, are drawn less often. */
#define TEMPERATURE 0.7

/* A text to write, and how it ended. */
struct writing {
    ty_model *model;
    const char *prompt; /* `length` bytes; an empty one counts as a line break */
    size_t length;
    int64_t most; /* tokens to write */
    ty_draw_options how;
    /* results */
    bool ended;                         /* the network drew the end token, which is not printed */
    int64_t read, written;              /* tokens of the prompt, tokens that were drawn */
    double read_seconds, write_seconds; /* times of both */
};
/* Write a text that begins with the prompt to stdout, each character as soon as it is complete, or append it to the JSON of
   --json; invalid UTF-8 becomes U+FFFD, and control characters '?' on a terminal.  False after a message on stderr, or
   without one if ctrl-C stopped it; what was written stays, and the line is ended. */
bool text_write(struct writing *w);
#endif
