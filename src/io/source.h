/* Bytes that are read from front to end: memory as it is, or what gzip made of it. */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/text.h"

struct source {
    const char *name;     /* for sentences: the path */
    const uint8_t *bytes; /* not yet read */
    size_t left;
    struct gzip *gzip; /* NULL: plain */
    struct fault *fault;
};

/* Recognises gzip by its first bytes.  False with a sentence.  Ended with source_close in any case. */
bool source_open(struct source *s, const char *name, const void *bytes, size_t count, struct fault *fault);
void source_close(struct source *s);
/* Reads up to n bytes, fewer only at the end; false when the compressed data is damaged or breaks off. */
bool source_read(struct source *s, void *out, size_t n, size_t *got);
/* The most bytes that can still come: the rest, or what gzip can make of it at its best. */
uint64_t source_most(const struct source *s);
/* True when nothing follows: no data, and nothing behind the compressed stream. */
bool source_end(struct source *s);
#endif
