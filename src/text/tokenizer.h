/* Tokenizers: tokens, merges, and the encoding of a word. */
#ifndef TEXT_TOKENIZER_H
#define TEXT_TOKENIZER_H
#include <tyto/tokens.h>
#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"
#include "text/words.h"

enum { MOST_TOKENS = 1 << 24 }; /* bounds the memory for ids of a file */
extern const char END_OF_TEXT[];

/* A token; bytes NULL: none has this id. */
struct token {
    const char *bytes; /* of the arena, followed by a zero */
    size_t n;
    bool added; /* found in texts as it is written, before these are cut into words */
};
/* A token among sorted ones. */
struct spelling {
    const char *bytes;
    size_t n;
    int64_t id;
};
/* Two tokens that become one. */
struct merge {
    int32_t left, right, made;
};
/* Return the key of a pair of ids in maps. */
static inline uint64_t pair_key(int32_t left, int32_t right) {
    return (uint64_t)(uint32_t)left << 32 | (uint32_t)right;
}
struct ty_tokenizer {
    struct fault fault;
    struct arena arena;
    int64_t size, capacity; /* ids are below size */
    struct token *tokens;
    int32_t bytes[256]; /* ids of single bytes */
    int64_t nmerges, merges_capacity;
    struct merge *merges;          /* in order of their rank */
    struct map ranks;              /* of pairs */
    const struct pattern *pattern; /* NULL: a text is one word */
    bool blank;                    /* texts that do not begin with a blank get one */
    struct spelling *sorted;       /* tokens in the order of their bytes; nsorted of them */
    int64_t nsorted;
    int32_t *added; /* ids of added tokens, nadded of them; starts: their first bytes */
    int64_t nadded;
    bool starts[256];
    bool whole; /* a word that is a token is not merged */
    int64_t end;
};

/* Return t, or a static tokenizer that has failed if that is NULL. */
const ty_tokenizer *tokenizer_of(const ty_tokenizer *t);
/* Return a tokenizer without tokens, or a static one that has failed. */
ty_tokenizer *tokenizer_make(void);
/* Return the static tokenizer of a lack of memory if t is that one. */
bool tokenizer_is_static(const ty_tokenizer *t);
/* Set token `id` to a copy of n bytes; false sets the fault, also if there is one of other bytes. */
bool tokenizer_set(ty_tokenizer *t, int64_t id, const char *bytes, size_t n, bool added);
/* Append a merge; false sets the fault.  The last of equal pairs counts. */
bool tokenizer_add_merge(ty_tokenizer *t, struct merge merge);
/* Find the ids of single bytes and of the end token, and sort the tokens; false sets the fault. */
bool tokenizer_finish(ty_tokenizer *t);
/* Return the id of a token of n bytes; -1: none. */
int64_t tokenizer_find(const ty_tokenizer *t, const char *bytes, size_t n);

/* Ids of a text as they are made, and room for one word. */
struct encoding {
    int32_t *ids;
    int64_t n, capacity;
    struct piece *pieces;
    int64_t npieces;
    struct candidate *heap;
    int64_t nheap, heap_capacity;
};
/* Append the ids of a word of n bytes; false without memory. */
bool encode_word(const ty_tokenizer *t, struct encoding *e, const char *word, size_t n);
void encoding_drop(struct encoding *e);

/* The character by which tokenizer.json writes a byte, up to 0x143, and the other way round: -1 for other characters. */
uint32_t byte_point(unsigned char byte);
int point_byte(uint32_t point);
#endif
