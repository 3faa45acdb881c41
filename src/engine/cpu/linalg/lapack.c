/*
 * Opens LAPACK if TY_LAPACK=1. OpenBLAS and libgfortran abort the process or hang if memory, threads or descriptors
 * run out. So these are tested before the library is opened and before calls that may need a new buffer, and the
 * library is opened with one thread. Failures are not remembered: the next call tries again.
 */
#include "engine/cpu/linalg/lapack.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "base/threads/cancel.h"
#include "base/threads/lock.h"
#if defined(TY_HAVE_LAPACK)
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif
#endif

const struct environment_row environment_lapack = {"TY_LAPACK", "0 or 1", environment_switch,
                                                   "Use LAPACK, if it is there, for large factorisations."};

bool lapack_wanted(void) {
    static _Atomic int wanted = -1; /* -1: TY_LAPACK has not been read */
    int on = atomic_load_explicit(&wanted, memory_order_relaxed);
    if (on >= 0) return on;
    const char *asked = environment_value(&environment_lapack);
    on = asked && *asked == '1';
    atomic_store(&wanted, on);
    return on;
}

typedef void routine(void);

static struct {
    bool there;
    routine *found[LAPACK_ROUTINES][4];
    void (*set_threads)(int);
    int (*threads)(void);
    int users, most,
        before; /* current callers; most so far, as OpenBLAS keeps a buffer for each; threads before */
    pthread_cond_t left;
} lapack = {.left = PTHREAD_COND_INITIALIZER};
LOCK(lapack_lock)

void (*lapack_find(enum lapack_routine which, ty_dtype dtype))(void) {
    int type = dtype == TY_F32 ? 0 : dtype == TY_F64 ? 1 : dtype == TY_C64 ? 2 : 3;
    return lapack.found[which][type];
}

#if defined(TY_HAVE_LAPACK)
extern char **environ; /* POSIX; unistd.h declares it for GNU sources only */

enum {
    OPENING_BYTES = 256 << 20, /* libraries about 50 MB, OpenBLAS's first buffer 32 MB, its tables less */
    BUFFER_BYTES = 96 << 20,   /* OpenBLAS maps 32 or 64 MB per caller, depending on version */
    DESCRIPTORS = 8,           /* loader and OpenBLAS open one at a time; libgfortran checks three */
    VARIABLES = 2048           /* of the environment; larger ones stay unchanged */
};

/* Return true if `bytes` can be mapped now. */
static bool has_memory(size_t bytes) {
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED && munmap(room, bytes) == 0;
}

/* Return true if this process can open DESCRIPTORS more files. */
static bool has_descriptors(void) {
    int open_now[DESCRIPTORS], count = 0;
    while (count < DESCRIPTORS && (open_now[count] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0) count++;
    bool enough = count == DESCRIPTORS;
    while (count > 0) close(open_now[--count]);
    return enough;
}

/* Return the environment setting with OpenBLAS's name for kernels that this processor can run, since for newer
   processors it would choose the slowest. NULL: leave the choice to it. */
static const char *core_type(void) {
#if defined(__x86_64__)
    unsigned eax, ebx = 0, ecx = 0, edx = 0;
    bool amd = __get_cpuid(0, &eax, &ebx, &ecx, &edx) && ebx == signature_AMD_ebx;
    enum isa isa = isa_of_cpu();
    if (isa == ISA_AVX512) return "OPENBLAS_CORETYPE=SkylakeX";
    if (isa == ISA_AVX2) return amd ? "OPENBLAS_CORETYPE=Zen" : "OPENBLAS_CORETYPE=Haswell";
#endif
    return NULL;
}

/* Open the library in an environment with one thread and the processor's name. Return its handle; NULL on failure.
   Other threads that read the environment meanwhile find a complete one: the array is static. */
static void *open_library(void) {
    static char *ours[VARIABLES + 3];
    static const char threads[] = "OPENBLAS_NUM_THREADS=";
    const char *core = getenv("OPENBLAS_CORETYPE") ? NULL : core_type();
    char **theirs = environ;
    int n = 0;
    if (core) ours[n++] = (char *)core;
    ours[n++] = (char *)"OPENBLAS_NUM_THREADS=1";
    for (char **entry = theirs; entry && *entry && n < VARIABLES + 2; entry++)
        if (strncmp(*entry, threads, sizeof threads - 1)) ours[n++] = *entry;
    ours[n] = NULL;
    if (n < VARIABLES + 2) environ = ours;
    void *library = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("liblapacke.so", RTLD_NOW | RTLD_LOCAL);
    if (environ == ours) environ = theirs;
    return library;
}

/* Return the address of the library's routine called `name`; NULL if it is missing. */
static routine *symbol(void *library, const char *name) {
    routine *found;
    void *address = dlsym(library, name);
    memcpy(&found, &address, sizeof found);
    return found;
}

/* Find all routines in four dtypes in the library and store them in lapack.found. Return false if one is missing. */
static bool find_routines(void *library) {
    static const char *const names[LAPACK_ROUTINES][4] = {
        [LAPACK_HEEVD] = {"ssyevd", "dsyevd", "cheevd", "zheevd"},
        [LAPACK_GESDD] = {"sgesdd", "dgesdd", "cgesdd", "zgesdd"},
        [LAPACK_GEEV] = {"sgeev", "dgeev", "cgeev", "zgeev"},
        [LAPACK_GEES] = {"sgees", "dgees", "cgees", "zgees"},
        [LAPACK_GGES] = {"sgges", "dgges", "cgges", "zgges"},
        [LAPACK_GEHRD] = {"sgehrd", "dgehrd", "cgehrd", "zgehrd"},
        [LAPACK_UNGHR] = {"sorghr", "dorghr", "cunghr", "zunghr"},
    };
    for (int i = 0; i < LAPACK_ROUTINES; i++)
        for (int k = 0; k < 4; k++) {
            char name[40] = "LAPACKE_";
            strcat(strcat(name, names[i][k]), "_work");
            lapack.found[i][k] = symbol(library, name);
            if (!lapack.found[i][k]) return false;
        }
    return true;
}

/* Set the fault that the library cannot be opened, in the name of function `name`, for the reason `why`;
   return false. */
static bool refuse_opening(struct fault *fault, const char *name, const char *why) {
    return fault_set(fault, E_UNSUPPORTED,
                     "%s: TY_LAPACK=1 requests LAPACK, but liblapacke.so.3 cannot be opened: %s (install "
                     "Debian's liblapacke and libopenblas0, or set TY_LAPACK=0)",
                     name, why);
}

/* Try to open LAPACK; the caller holds the lock. `name`: operator to name in the fault. Return false with a fault
   on failure. */
static bool look(const char *name, struct fault *fault) {
    if (!has_memory(OPENING_BYTES)) return refuse_opening(fault, name, "less than 256 MiB of memory is left");
    if (!has_descriptors()) return refuse_opening(fault, name, "fewer than 8 file descriptors are left");
    void *library = open_library();
    if (!library || !find_routines(library)) {
        const char *why = dlerror();
        refuse_opening(fault, name, why ? why : "it lacks routines");
        if (library) dlclose(library);
        return false;
    }
    routine *set = symbol(library, "openblas_set_num_threads"),
            *get = symbol(library, "openblas_get_num_threads");
    memcpy(&lapack.set_threads, &set, sizeof set);
    memcpy(&lapack.threads, &get, sizeof get);
    return true;
}
#else
static bool has_memory(size_t bytes) { return bytes > 0; }
enum { BUFFER_BYTES = 1 };
static bool look(const char *name, struct fault *fault) {
    return fault_set(
        fault, E_UNSUPPORTED,
        "%s: TY_LAPACK=1 requests LAPACK, but Tyto was built without it (build option TY_LAPACK)", name);
}
#endif

bool lapack_open(const char *name, struct fault *fault) {
    lock_take(&lapack_lock);
    if (!lapack.there) lapack.there = look(name, fault);
    bool there = lapack.there;
    lock_give(&lapack_lock);
    return there;
}

bool lapack_enter(void) {
    lock_take(&lapack_lock);
    bool enters = true;
    while (lapack.users >= lapack.most && !has_memory(BUFFER_BYTES)) {
        enters = lapack.users > 0;
        if (!enters) break;
        int cancel = cancel_hold_off();
        pthread_cond_wait(&lapack.left, &lapack_lock.mutex); /* for another caller's buffer */
        cancel_restore(cancel);
    }
    if (enters && lapack.users++ == 0 && lapack.set_threads && lapack.threads) {
        lapack.before = lapack.threads();
        if (lapack.before != 1) lapack.set_threads(1);
    }
    if (lapack.users > lapack.most) lapack.most = lapack.users;
    lock_give(&lapack_lock);
    return enters;
}

void lapack_leave(void) {
    lock_take(&lapack_lock);
    if (--lapack.users == 0 && lapack.set_threads && lapack.threads && lapack.before != 1)
        lapack.set_threads(lapack.before);
    pthread_cond_signal(&lapack.left);
    lock_give(&lapack_lock);
}
