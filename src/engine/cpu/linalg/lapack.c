/*
 * Finding LAPACK.  OpenBLAS has one number of threads for the whole process: while one of ours computes it is 1, and then
 * what it was.
 */
#include "engine/cpu/linalg/lapack.h"
#include <string.h>
#include "base/lock.h"
#if defined(TY_HAVE_LAPACK)
#include <dlfcn.h>
#endif

typedef void routine(void);

static struct {
    bool looked, there;
    routine *found[LAPACK_ROUTINES][4];
    void (*set_threads)(int);
    int (*threads)(void);
    int users, before;
} lapack;
LOCK(lapack_lock)

#if defined(TY_HAVE_LAPACK)
static routine *symbol(void *library, const char *name) {
    routine *found;
    void *address = dlsym(library, name);
    memcpy(&found, &address, sizeof found);
    return found;
}

/* With the lock. */
static void look(void) {
    static const char *const names[LAPACK_ROUTINES][4] = {
        [LAPACK_HEEVD] = {"ssyevd", "dsyevd", "cheevd", "zheevd"},
        [LAPACK_GESDD] = {"sgesdd", "dgesdd", "cgesdd", "zgesdd"},
        [LAPACK_GEEV] = {"sgeev", "dgeev", "cgeev", "zgeev"},
        [LAPACK_GEES] = {"sgees", "dgees", "cgees", "zgees"},
        [LAPACK_GGES] = {"sgges", "dgges", "cgges", "zgges"},
        [LAPACK_GEHRD] = {"sgehrd", "dgehrd", "cgehrd", "zgehrd"},
        [LAPACK_UNGHR] = {"sorghr", "dorghr", "cunghr", "zunghr"},
    };
    void *library = dlopen("liblapacke.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!library) library = dlopen("liblapacke.so", RTLD_NOW | RTLD_LOCAL);
    lapack.there = library != NULL;
    for (int i = 0; i < LAPACK_ROUTINES && lapack.there; i++)
        for (int k = 0; k < 4 && lapack.there; k++) {
            char name[40] = "LAPACKE_";
            strcat(strcat(name, names[i][k]), "_work");
            lapack.found[i][k] = symbol(library, name);
            lapack.there = lapack.found[i][k] != NULL;
        }
    if (!lapack.there) return;
    routine *set = symbol(library, "openblas_set_num_threads"),
            *get = symbol(library, "openblas_get_num_threads");
    memcpy(&lapack.set_threads, &set, sizeof set);
    memcpy(&lapack.threads, &get, sizeof get);
}
#else
static void look(void) {}
#endif

static bool there(void) {
    lock_take(&lapack_lock);
    if (!lapack.looked) look();
    lapack.looked = true;
    bool there = lapack.there;
    lock_give(&lapack_lock);
    return there;
}

void (*lapack_find(enum lapack_routine which, ty_dtype dtype))(void) {
    int type = dtype == TY_F32 ? 0 : dtype == TY_F64 ? 1 : dtype == TY_C64 ? 2 : 3;
    return there() ? lapack.found[which][type] : NULL;
}

bool lapack_there(const char *name, struct fault *fault) {
    if (there()) return true;
#if defined(TY_HAVE_LAPACK)
    return fault_set(fault,
                     "%s: matrices of this size or dtype need LAPACK, and liblapacke.so.3 is not "
                     "installed (Debian's liblapacke; libopenblas0 makes it fast)",
                     name);
#else
    return fault_set(fault,
                     "%s: matrices of this size or dtype need LAPACK, and Tyto was built without it "
                     "(TY_LAPACK)",
                     name);
#endif
}

void lapack_enter(void) {
    lock_take(&lapack_lock);
    if (lapack.users++ == 0 && lapack.set_threads && lapack.threads) {
        lapack.before = lapack.threads();
        if (lapack.before != 1) lapack.set_threads(1);
    }
    lock_give(&lapack_lock);
}

void lapack_leave(void) {
    lock_take(&lapack_lock);
    if (--lapack.users == 0 && lapack.set_threads && lapack.threads && lapack.before != 1)
        lapack.set_threads(lapack.before);
    lock_give(&lapack_lock);
}
