/* Steps of kernels as plain C, without macros, and the functions that they call. */
#ifndef EXPORT_PLAIN_PLAIN_H
#define EXPORT_PLAIN_PLAIN_H
#include <stdbool.h>

#include "base/text.h"

/* Names and comments of the steps of an exported file. */
struct plain_names {
    const char *prefix;
    const struct text *functions; /* text that calls the steps */
    const struct text *header;    /* its words are no names of the file's own */
    /* Append a comment on a step; set *word to the start of its name. */
    void (*describe)(const void *context, const char *step, struct text *comment, const char **word);
    const void *context;
};
/* Append the declarations of the text `from` that functions need, and then names->functions, in which steps have their
   new names.  False: no memory. */
bool plain_make(struct text *to, const char *from, const struct plain_names *names);
#endif
