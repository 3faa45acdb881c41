/* Texts of files that programs contain; cmake/Text.cmake lists them. */
#ifndef ENGINE_TEXT_SOURCE_H
#define ENGINE_TEXT_SOURCE_H

struct text;

/* A file below src/ and its text without comments; the last one has no name. */
struct text_source {
    const char *name, *text;
};
extern const struct text_source text_sources[];

/* Append the text of a file; includes are replaced by their texts, and dropped if words stand for them. */
void text_add_source(struct text *t, const char *name);
#endif
