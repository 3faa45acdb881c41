/*
 * One range of addresses, reserved without memory when the first code comes.  Each piece of code gets the
 * next pages of it: opened for writing, filled, turned to reading and running.  So no page can be written and
 * run at once, and code that other threads are in stays as it is.  Private pages live on in the child of a
 * fork.
 */
#define _GNU_SOURCE
#include "engine/cpu/gemm/jit_memory.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char *range;
static size_t used;

const void *jit_memory_place(const void *code, size_t bytes) {
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || bytes > JIT_MOST_BYTES) return NULL;
    if (!range) {
        void *at = mmap(NULL, JIT_MOST_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) return NULL;
        range = at;
    }
    size_t length = (bytes + (size_t)page - 1) / (size_t)page * (size_t)page;
    char *at = range + used;
    if (length > JIT_MOST_BYTES - used || mprotect(at, length, PROT_READ | PROT_WRITE)) return NULL;
    memcpy(at, code, bytes);
    if (mprotect(at, length, PROT_READ | PROT_EXEC)) return NULL;
    used += length;
    return at;
}

void jit_memory_forget(void) {
    if (range) munmap(range, JIT_MOST_BYTES);
    range = NULL;
    used = 0;
}
