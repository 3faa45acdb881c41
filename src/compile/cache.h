/* Programs of earlier evaluations, found by the structure of their graph.  Bounded; the least recently used
 * goes. */
#ifndef COMPILE_CACHE_H
#define COMPILE_CACHE_H
#include "base/lru.h"
#include "compile/key.h"
#include "compile/program.h"

/* FOUND: *program has one more reference, the caller's.  SEEN: the key was put without a program. */
enum lru_answer cache_get(const struct key *key, struct ty_program **program);
/* Remembers a program (one more reference), or with NULL that the key was seen.  What memory does not allow
   to remember is compiled again. */
void cache_put(const struct key *key, struct ty_program *program);
/* Forgets everything; ty_trim's part. */
void cache_clear(void);
/* Tests: how many programs evaluations have compiled since the start. */
int64_t cache_compiles(void);
void cache_count_compile(void);
#endif
