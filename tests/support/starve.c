#define _GNU_SOURCE
#include "tests/support/starve.h"
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"

static atomic_int on; /* 0 or 1: GCC before 13 exchanges no bytes on RISC-V */
static _Atomic int64_t count;

bool starve_others(bool now) { return atomic_exchange(&on, now); }
int64_t starve_count(void) { return atomic_load(&count); }

#if defined(__has_feature)
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                 \
    !HAS_FEATURE(address_sanitizer) && !HAS_FEATURE(thread_sanitizer)
#if __GLIBC_PREREQ(2, 35) /* _dl_find_object finds the library of an address without a lock */
#include <dlfcn.h>
#include <link.h>

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

/* Return true if the code at this address belongs to a library whose allocations are to fail. */
static bool is_starved(void *address) {
    static const char *const libraries[] = {"/libc.so.", "/libz.so.", "/libspng.so.", "/libjpeg.so."};
    struct dl_find_object found;
    if (_dl_find_object(address, &found)) return false;
    const char *name = found.dlfo_link_map ? found.dlfo_link_map->l_name : "";
    for (size_t i = 0; name && i < sizeof libraries / sizeof *libraries; i++)
        if (strstr(name, libraries[i])) return true;
    return false;
}

static bool fails(void *caller) {
    if (!atomic_load_explicit(&on, memory_order_relaxed) || !is_starved(caller)) return false;
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    if (!mem_fail_other()) return false;
    errno = ENOMEM;
    return true;
}

#define DOOR __attribute__((visibility("default"), noinline))
#define CALLER __builtin_return_address(0)

DOOR void *malloc(size_t bytes) { return fails(CALLER) ? NULL : __libc_malloc(bytes); }
DOOR void *calloc(size_t n, size_t size) { return fails(CALLER) ? NULL : __libc_calloc(n, size); }
DOOR void *realloc(void *old, size_t bytes) { return fails(CALLER) ? NULL : __libc_realloc(old, bytes); }
DOOR void *memalign(size_t alignment, size_t bytes);
DOOR void *memalign(size_t alignment, size_t bytes) {
    return fails(CALLER) ? NULL : __libc_memalign(alignment, bytes);
}
DOOR void *aligned_alloc(size_t alignment, size_t bytes) {
    return fails(CALLER) ? NULL : __libc_memalign(alignment, bytes);
}
DOOR int posix_memalign(void **memory, size_t alignment, size_t bytes) {
    void *got = fails(CALLER) ? NULL : __libc_memalign(alignment, bytes);
    if (!got) return ENOMEM;
    *memory = got;
    return 0;
}
#endif
#endif
