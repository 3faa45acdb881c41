/*
 * Notes which functions of a library a program runs; mutate.py loads it before each test (LD_PRELOAD).  Each function
 * begins with a trap, whose handler notes the function and puts its first byte back: one trap a function, then full
 * speed.  REACH_STARTS names a file of the functions' offsets in the library (64 bits each, ascending), REACH_LIBRARY
 * the library, REACH_NOTES the file that gets one byte a function: 1 if it has run, in the program or in its forks.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__) && defined(__linux__)
enum { TRAP = 0xcc, STEP = 4096 };
static const uint64_t *starts;
static size_t n;
static unsigned char *base, *notes, *first;

static void *map(const char *path, size_t *bytes, int prot, size_t size) {
    int file = open(path, prot & PROT_WRITE ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY, 0666);
    struct stat is;
    if (file < 0 || (size && ftruncate(file, (off_t)size)) || fstat(file, &is)) _exit(99);
    *bytes = (size_t)is.st_size;
    void *at = mmap(NULL, *bytes, prot, MAP_SHARED, file, 0);
    close(file);
    if (at == MAP_FAILED) _exit(99);
    return at;
}

static void reached(int number, siginfo_t *info, void *context) {
    greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
    uint64_t offset = (uint64_t)*rip - 1 - (uint64_t)base;
    size_t low = 0, high = n;
    (void)number, (void)info;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (starts[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == n || starts[low] != offset) _exit(98);
    notes[low] = 1;
    base[offset] = first[low];
    *rip -= 1;
}

static int find(struct dl_phdr_info *info, size_t size, void *name) {
    (void)size;
    if (!strstr(info->dlpi_name, name)) return 0;
    base = (unsigned char *)info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        uintptr_t from = (uintptr_t)(base + part->p_vaddr) & ~(uintptr_t)(STEP - 1);
        size_t bytes = (uintptr_t)(base + part->p_vaddr) + part->p_memsz - from;
        if (mprotect((void *)from, bytes, PROT_READ | PROT_WRITE | PROT_EXEC)) _exit(99);
    }
    return 1;
}

__attribute__((constructor)) static void begin(void) {
    size_t bytes;
    starts = map(getenv("REACH_STARTS"), &bytes, PROT_READ, 0);
    n = bytes / sizeof *starts;
    notes = map(getenv("REACH_NOTES"), &bytes, PROT_READ | PROT_WRITE, n);
    first = malloc(n);
    if (!first || !dl_iterate_phdr(find, getenv("REACH_LIBRARY"))) _exit(99);
    unsetenv("LD_PRELOAD"); /* programs that this one starts are not its functions */
    sigaction(SIGTRAP, &(struct sigaction){.sa_sigaction = reached, .sa_flags = SA_SIGINFO}, NULL);
    for (size_t i = 0; i < n; i++) {
        first[i] = base[starts[i]];
        base[starts[i]] = TRAP;
    }
}

/* Threads that take no signals take traps all the same. */
int pthread_sigmask(int how, const sigset_t *set, sigset_t *before) {
    int (*mask)(int, const sigset_t *, sigset_t *) = dlsym(RTLD_NEXT, "pthread_sigmask");
    sigset_t fewer;
    if (set) {
        fewer = *set;
        sigdelset(&fewer, SIGTRAP);
    }
    return mask(how, set ? &fewer : NULL, before);
}
#endif
