/* Mappings by VirtualAlloc and by views of files; aligned blocks. */
#include <errno.h>
#include <io.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <windows.h>
#include "base/windows/names.h"

/* Views and reservations begin at multiples of this; pages are smaller. */
static size_t granule(void) {
    SYSTEM_INFO facts;
    GetSystemInfo(&facts);
    return facts.dwAllocationGranularity;
}

static DWORD protection_of(int protection) {
    static const DWORD pages[] = {PAGE_NOACCESS,          PAGE_READONLY,         PAGE_READWRITE,
                                  PAGE_READWRITE,         PAGE_EXECUTE,          PAGE_EXECUTE_READ,
                                  PAGE_EXECUTE_READWRITE, PAGE_EXECUTE_READWRITE};
    return pages[protection & 7];
}

/* Map a part of a file; the view begins at the granule before it. */
static void *map_file(size_t bytes, int protection, int flags, HANDLE file, uint64_t offset) {
    size_t before = offset % granule();
    uint64_t begin = offset - before;
    if (bytes > SIZE_MAX - before) return errno = ENOMEM, MAP_FAILED;
    DWORD pages = !(protection & PROT_WRITE) ? PAGE_READONLY
                  : flags & MAP_PRIVATE      ? PAGE_WRITECOPY
                                             : PAGE_READWRITE;
    DWORD access = !(protection & PROT_WRITE) ? FILE_MAP_READ
                   : flags & MAP_PRIVATE      ? FILE_MAP_COPY
                                              : FILE_MAP_WRITE;
    HANDLE mapping = CreateFileMappingW(file, NULL, pages, 0, 0, NULL);
    if (!mapping) return names_fail(), MAP_FAILED;
    char *view = MapViewOfFile(mapping, access, (DWORD)(begin >> 32), (DWORD)begin, bytes + before);
    if (!view) names_fail();
    CloseHandle(mapping); /* the view keeps it */
    return view ? view + before : MAP_FAILED;
}

void *mmap(void *address, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (address || !bytes || offset < 0) return errno = EINVAL, MAP_FAILED;
    if (!(flags & MAP_ANONYMOUS))
        return map_file(bytes, protection, flags, (HANDLE)_get_osfhandle(file), (uint64_t)offset);
    DWORD how = protection == PROT_NONE ? MEM_RESERVE : MEM_RESERVE | MEM_COMMIT;
    void *memory = VirtualAlloc(NULL, bytes, how, protection_of(protection));
    return memory ? memory : (names_fail(), MAP_FAILED);
}

/* Return the bytes of the mapping that begins at `base`, whose pages may differ in protection. */
static size_t extent_of(char *base) {
    MEMORY_BASIC_INFORMATION part;
    size_t n = 0;
    while (VirtualQuery(base + n, &part, sizeof part) && part.State != MEM_FREE &&
           part.AllocationBase == base)
        n += part.RegionSize;
    return n;
}

int munmap(void *address, size_t bytes) {
    MEMORY_BASIC_INFORMATION facts;
    char *base = (char *)((uintptr_t)address / granule() * granule());
    size_t before = (size_t)((char *)address - base), page = (size_t)sysconf(_SC_PAGESIZE);
    if (!VirtualQuery(address, &facts, sizeof facts) || facts.AllocationBase != base ||
        facts.State == MEM_FREE)
        return errno = EINVAL, -1;
    bool file = facts.Type == MEM_MAPPED; /* its view may begin before the mapping */
    size_t extent = extent_of(base);
    if ((before && !file) || bytes > extent - before || (extent - before - bytes) >= page)
        return errno = EINVAL, -1;
    return (file ? UnmapViewOfFile(base) : VirtualFree(base, 0, MEM_RELEASE)) ? 0 : names_fail();
}

int mprotect(void *address, size_t bytes, int protection) {
    DWORD before;
    if (protection != PROT_NONE && !VirtualAlloc(address, bytes, MEM_COMMIT, PAGE_READWRITE))
        return names_fail();
    if (!VirtualProtect(address, bytes, protection_of(protection), &before)) return names_fail();
    if (protection & PROT_EXEC) FlushInstructionCache(GetCurrentProcess(), address, bytes);
    return 0;
}

int posix_memalign(void **out, size_t alignment, size_t bytes) {
    *out = _aligned_malloc(bytes ? bytes : 1, alignment);
    return *out ? 0 : ENOMEM;
}

void windows_release_aligned(void *memory) { _aligned_free(memory); }
