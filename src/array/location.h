#ifndef ARRAY_LOCATION_H
#define ARRAY_LOCATION_H

/* A line of the caller's source; file NULL: not known. */
struct location {
    const char *file; /* a literal of the caller's */
    int line;
};
/* Where what this thread makes comes from. */
extern _Thread_local struct location location_now;
/* "net.c:42", without folders; "" where it is not known. */
enum { LOCATION_WORDS = 80 };
const char *location_words(const struct location *p, char out[LOCATION_WORDS]);
#endif
