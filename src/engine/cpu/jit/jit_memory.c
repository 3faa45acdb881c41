/*
 * A range of addresses, reserved without memory when the first code comes.  Each piece of code gets the
 * next pages of it: opened for writing, filled, turned to reading and running.  So no page can be written and
 * run at once, and code that other threads are in stays as it is.  Private pages live on in the child of a
 * fork.
 */
#define _GNU_SOURCE
#include "engine/cpu/jit/jit_memory.h"
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const void *jit_memory_place(struct jit_pages *pages, const void *code, size_t bytes) {
    long page = sysconf(_SC_PAGESIZE);
    if (page <= 0 || bytes > pages->most) return NULL;
    if (!pages->range) {
        void *at = mmap(NULL, pages->most, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED) return NULL;
        pages->range = at;
    }
    size_t length = (bytes + (size_t)page - 1) / (size_t)page * (size_t)page;
    char *at = pages->range + pages->used;
    if (length > pages->most - pages->used || mprotect(at, length, PROT_READ | PROT_WRITE)) return NULL;
    memcpy(at, code, bytes);
    if (mprotect(at, length, PROT_READ | PROT_EXEC)) return NULL;
    pages->used += length;
    return at;
}

void jit_memory_forget(struct jit_pages *pages) {
    if (pages->range) munmap(pages->range, pages->most);
    pages->range = NULL;
    pages->used = 0;
}
