/* A dialect of C: what differs between languages that the words of its prelude cannot hide. */
#ifndef ENGINE_TEXT_DIALECT_H
#define ENGINE_TEXT_DIALECT_H

#include <stdbool.h>

struct text_dialect {
    const char *name;
    const char *prelude; /* file with the words */
    const char *options; /* for its compiler */
    bool vectors;        /* operators take vectors; else their lanes are computed one by one */
};
#endif
