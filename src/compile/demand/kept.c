#include "compile/demand/kept.h"
#include "base/machine/machine.h"
#include "base/memory/blocks.h"

enum {
    MOST_BYTES =
        64 << 20, /* least default limit for programs, the data they keep and their prepared kernels */
    LIVE_PART = 4 /* the default is at least 1/4 of the live blocks */
};

size_t kept_most(int64_t set) {
    size_t machine = machine_memory(), part = blocks_state().live / LIVE_PART;
    if (set < 0) return part > MOST_BYTES ? part : MOST_BYTES;
    return (uint64_t)set < machine ? (size_t)set : machine;
}

void kept_report(struct lru *programs, int64_t set, int64_t compiles, ty_function_memory *memory) {
    lock_take(programs->lock);
    *memory = (ty_function_memory){
        .programs = programs->values, .bytes = (int64_t)lru_bytes(programs), .dropped = programs->dropped};
    lock_give(programs->lock);
    memory->most = (int64_t)kept_most(set);
    memory->compiles = compiles;
}
