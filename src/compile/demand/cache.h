/* Cache of programs of earlier evaluations, by the structure of their graphs. Bounded in bytes (kept.h); evicts
   the least recently used. Thread-safe. */
#ifndef COMPILE_DEMAND_CACHE_H
#define COMPILE_DEMAND_CACHE_H
#include "base/lru.h"
#include "compile/demand/key.h"
#include "compile/program.h"

/* Look up the program of a key. FOUND: it is in *program and the caller releases it. SEEN: the key is there
   without a program. UNKNOWN: it is not there. */
enum lru_answer cache_get(const struct key *key, struct ty_program **program);
/* Store a program under the key and add a reference; NULL stores the key alone. Do nothing if there is no
   memory. */
void cache_put(const struct key *key, struct ty_program *program);
/* Test hook: number of programs compiled by evaluations since the start. */
int64_t cache_compiles(void);
/* Add 1 to the number of compiled programs. */
void cache_count_compile(void);
#endif
