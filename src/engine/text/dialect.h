/* A dialect of C: what differs between languages that the words of its prelude cannot hide. */
#ifndef ENGINE_TEXT_DIALECT_H
#define ENGINE_TEXT_DIALECT_H

#include <stdbool.h>

struct text_dialect {
    const char *name;
    const char *prelude; /* file with the words */
    const char *options; /* for its compiler */
    const char *vectors; /* file with the words of vectors, NULL: the prelude has them */
    const char *structs; /* file with those of structs, on machines without vectors of numbers */
    const char *words;   /* file with the words of mathematics on vectors */
    const char *lane;    /* template of types of a lane that is a vector */
    const char *where;   /* condition for vectors; elsewhere there are structs; NULL: always */
};
#endif
