/* Mappings of memory and files. */
#ifndef WINDOWS_SYS_MMAN_H
#define WINDOWS_SYS_MMAN_H
#include <stddef.h>
#include <sys/types.h>

enum { PROT_NONE, PROT_READ = 1, PROT_WRITE = 2, PROT_EXEC = 4 };
enum { MAP_SHARED = 1, MAP_PRIVATE = 2, MAP_ANONYMOUS = 32, MAP_NORESERVE = 0x4000 };
enum { MADV_DONTNEED = 4 };
#define MAP_FAILED ((void *)-1)

/* Map memory, or a part of a file from a multiple of the page size on.  PROT_NONE reserves addresses alone.  MAP_FAILED
   with errno. */
void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset);
/* Unmap a whole mapping; EINVAL for a part that ends before it. */
int munmap(void *address, size_t bytes);
/* Change the protection of pages; reserved ones get memory. */
int mprotect(void *address, size_t bytes, int protection);
/* Do nothing: pages of files are given back by the system when it needs them. */
static inline int madvise(void *address, size_t bytes, int advice) {
    return (void)address, (void)bytes, (void)advice, 0;
}
#endif
