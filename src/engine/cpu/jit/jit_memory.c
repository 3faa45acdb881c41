/*
 * Reserves a range of addresses without memory at the first call. Each piece of code gets the next pages of it: made
 * writable, filled, then made executable. So no page is writable and executable at once, and code in use by other
 * threads is not touched. Pages are made writable some ahead, since a network's first program brings a hundred
 * pieces. Private mappings survive in the child of a fork.
 */
#define _GNU_SOURCE
#include "engine/cpu/jit/jit_memory.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Make the next `length` bytes of the range writable, and some ahead. Return false if the system refuses. */
static bool open_ahead(struct jit_pages *pages, size_t length) {
    enum { AHEAD = 16 << 12 };
    size_t wanted = pages->used + length, rest = pages->most - pages->open;
    if (wanted <= pages->open) return true;
    size_t more = wanted - pages->open > AHEAD ? wanted - pages->open : rest < AHEAD ? rest : AHEAD;
    char *at = pages->range + pages->open;
    if (mprotect(at, more, PROT_READ | PROT_WRITE)) return false;
#ifdef MADV_POPULATE_WRITE
    /* all pages at once; if unsupported, pages fault in one by one */
    madvise(at, more, MADV_POPULATE_WRITE);
#endif
    pages->open += more;
    return true;
}

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
    if (length > pages->most - pages->used || !open_ahead(pages, length)) return NULL;
    memcpy(at, code, bytes);
    if (mprotect(at, length, PROT_READ | PROT_EXEC)) return NULL;
    pages->used += length;
    return at;
}

void jit_memory_forget(struct jit_pages *pages) {
    if (pages->range) munmap(pages->range, pages->most);
    pages->range = NULL;
    pages->used = pages->open = 0;
}
