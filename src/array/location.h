#ifndef ARRAY_LOCATION_H
#define ARRAY_LOCATION_H
#include <stdbool.h>
#include <stddef.h>

/* The place where a tensor was recorded: a line of the user's source code, and the layer of the model. */
struct location {
    const char *file; /* string literal of the user, or text of location_layer; NULL: unknown */
    int line;
    const char *layer; /* text of location_layer; NULL: none */
};
/* Location that tensors made by this thread get. */
extern _Thread_local struct location location_now;
static inline bool location_known(const struct location *p) { return p->file || p->layer; }
enum { LOCATION_WORDS = 80 };
/* Write "net.c:42", without folders, to out; "" if the line is unknown.  Return out. */
const char *location_words(const struct location *p, char out[LOCATION_WORDS]);

/* Texts of layers, and files of loaded graphs, are kept once each as long as the library is loaded, since tensors may
   outlive their models.  They lie in fixed memory, which stays untouched until they come. */
enum { LOCATION_LAYERS = 16384, LOCATION_BYTES = 1 << 20 };
/* Return the kept text that is equal to `path`.  NULL for an empty path, or if there is no room for another one: layers
   are for people alone. */
const char *location_layer(const char *path);
/* The same of a text that a file has: texts of files take at most half of the room, so that layers of models keep theirs.
   Sets *fresh if the text is new. */
const char *location_read(const char *path, bool *fresh);
#endif
