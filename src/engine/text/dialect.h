/* A dialect of C: what differs between languages that the words of its prelude cannot hide. */
#ifndef ENGINE_TEXT_DIALECT_H
#define ENGINE_TEXT_DIALECT_H

struct text_dialect {
    const char *name;
    const char *prelude; /* file with the words */
    const char *options; /* for its compiler */
};
#endif
