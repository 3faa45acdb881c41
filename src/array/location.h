#ifndef ARRAY_LOCATION_H
#define ARRAY_LOCATION_H

/* A line of the user's source code; file is NULL if it is unknown. */
struct location {
    const char *file; /* string literal of the user */
    int line;
};
/* Location that tensors made by this thread get. */
extern _Thread_local struct location location_now;
enum { LOCATION_WORDS = 80 };
/* Write "net.c:42", without folders, to out; "" if the location is unknown.  Return out. */
const char *location_words(const struct location *p, char out[LOCATION_WORDS]);
#endif
