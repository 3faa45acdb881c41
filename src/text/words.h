/* Words of texts, by the patterns of byte-level tokenizers. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H
#include <stdbool.h>
#include <stddef.h>

/* A pattern, which is written as a regular expression in tokenizer.json. */
struct pattern {
    const char *expression;
    bool
        anything; /* one character that is no letter, number or line end may precede letters; else one blank */
    bool apart;   /* numbers have no blank before them, and line ends belong to what precedes them */
    int digits;   /* most digits of a number; 0: any number */
    bool any_case; /* 's, 't, ... also as capitals */
};
/* The known patterns, ended by one without expression; the first is GPT-2's. */
extern const struct pattern patterns[];
/* Return the number of bytes of the first word of a text of n bytes, n > 0; all of it if p is NULL. */
size_t word_length(const struct pattern *p, const char *text, size_t n);
#endif
