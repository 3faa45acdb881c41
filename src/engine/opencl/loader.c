/*
 * Opens libOpenCL and lists its devices, once in a process.  No list of locks contains `gate`: drivers may start
 * processes while they are opened, and a fork takes all listed locks.
 */
#include "engine/opencl/api.h"
#if defined(TY_HAVE_OPENCL)
#include <dlfcn.h>
#endif
#include <stdatomic.h>
#include <string.h>
#include "base/machine/floating.h"
#include "base/threads/cancel.h"
#include "base/threads/lock.h"

enum { PLATFORMS = 16, DEVICES = 32 };

struct opencl_api opencl;

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool opened, forked; /* opened: the library is, or is being, opened */
static const char *library_path;   /* of a test; NULL: the system's.  Guarded by gate, as are the next ones */
static void *library;
static int count;
static struct opencl_found found[DEVICES];
static struct fault reason; /* if count is 0 */

/* ---- errors ---- */

static const struct {
    const char *name;
    cl_int value;
    ty_code code;
    bool lost;
} errors[] = {
#define ERROR(name, value, code, lost) {#name, value, code, lost},
#include "engine/opencl/errors.def"
#undef ERROR
};

bool opencl_ok(struct device *d, cl_int code, const char *name, struct fault *fault) {
    const char *device = d ? d->name : "opencl";
    if (code == CL_SUCCESS) return true;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        if (errors[i].value != code) continue;
        if (d && errors[i].lost) atomic_store(&d->lost, true);
        return fault_set(fault, errors[i].code, "%s: %s failed with %s (%d)%s", device, name, errors[i].name,
                         code, errors[i].lost ? ": the device is lost" : "");
    }
    if (d) atomic_store(&d->lost, true);
    return fault_set(fault, E_DEVICE, "%s: %s failed with code %d: the device is lost", device, name, code);
}

void *opencl_made(struct device *d, void *object, const cl_int *code, const char *name, struct fault *fault) {
    if (object && *code == CL_SUCCESS) return object;
    opencl_ok(d, *code ? *code : CL_OUT_OF_RESOURCES, name, fault);
    return NULL;
}

#if defined(TY_HAVE_OPENCL)
/* ---- facts of devices ---- */

/* Write a text that describes the device to out, "" if it cannot be told; control characters become '?'. */
static void text_of(cl_device_id id, cl_device_info what, char out[OPENCL_TEXT]) {
    char whole[1024] = "";
    if (opencl.clGetDeviceInfo(id, what, sizeof whole - 1, whole, NULL) != CL_SUCCESS) *whole = 0;
    text_print(out, OPENCL_TEXT, "%.*s", OPENCL_TEXT - 1, whole + strspn(whole, " "));
    text_make_visible(out);
}

/* Return a number of 4 or 8 bytes that describes the device; 0 if it cannot be told. */
static uint64_t number_of(cl_device_id id, cl_device_info what) {
    uint64_t wide = 0;
    uint32_t narrow = 0;
    size_t bytes = 0;
    if (opencl.clGetDeviceInfo(id, what, 0, NULL, &bytes) != CL_SUCCESS) return 0;
    if (bytes == sizeof narrow)
        return opencl.clGetDeviceInfo(id, what, sizeof narrow, &narrow, NULL) == CL_SUCCESS ? narrow : 0;
    if (bytes != sizeof wide) return 0;
    return opencl.clGetDeviceInfo(id, what, sizeof wide, &wide, NULL) == CL_SUCCESS ? wide : 0;
}

/* Return a number of bytes as a signed one. */
static int64_t bytes_of(cl_device_id id, cl_device_info what) {
    uint64_t bytes = number_of(id, what);
    return bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
}

/* Return true if kernels can be built for the device and share numbers with this machine. */
static bool is_usable(cl_device_id id) {
    static const union {
        uint16_t word;
        uint8_t bytes[2];
    } order = {1};
    char profile[OPENCL_TEXT];
    text_of(id, CL_DEVICE_PROFILE, profile);
    return number_of(id, CL_DEVICE_AVAILABLE) && number_of(id, CL_DEVICE_COMPILER_AVAILABLE) &&
           !strcmp(profile, "FULL_PROFILE") && number_of(id, CL_DEVICE_ENDIAN_LITTLE) == order.bytes[0];
}

/* Describe the device for people, and for the cache of compiled kernels.  PoCL keeps all that it compiles on disk; to get
   a compiled program, it would compile each kernel once more, for groups of any size. */
static void fill_names(struct opencl_found *f) {
    char name[OPENCL_TEXT], vendor[OPENCL_TEXT], driver[OPENCL_TEXT], version[OPENCL_TEXT];
    text_of(f->id, CL_DEVICE_NAME, name);
    text_of(f->id, CL_DEVICE_VENDOR, vendor);
    text_of(f->id, CL_DRIVER_VERSION, driver);
    text_of(f->id, CL_DEVICE_VERSION, version);
    text_print(f->facts.model, DEVICE_MODEL, "%s, %s, driver %s", name, vendor, driver);
    f->keeps = strstr(version, "PoCL") || strstr(version, "pocl");
    text_print(f->key, sizeof f->key, "%s\n%s\n%s\n%s\n", name, vendor, driver, version);
}

/* Options of programs.  LEAN defines the include guard of clang's header of 18,000 lines, so that it is skipped.  PoCL
   3.1 reads it twice for each program: 85 of 100 ms for a short one (`./dev bench opencl --filter LeNet`). */
#define STANDARD "-cl-std=CL1.2"
#define ROUNDING " -cl-fp32-correctly-rounded-divide-sqrt"
#define LEAN " -D_OPENCL_H_ -DOWN_FUNCTIONS"

static void fill(struct opencl_found *f) {
    uint64_t type = number_of(f->id, CL_DEVICE_TYPE),
             align = number_of(f->id, CL_DEVICE_MEM_BASE_ADDR_ALIGN) / 8;
    *f = (struct opencl_found){.platform = f->platform, .id = f->id};
    fill_names(f);
    f->facts.kind = type & CL_DEVICE_TYPE_CPU   ? DEVICE_CPU
                    : type & CL_DEVICE_TYPE_GPU ? DEVICE_GPU
                                                : DEVICE_OTHER;
    f->facts.memory = bytes_of(f->id, CL_DEVICE_GLOBAL_MEM_SIZE);
    f->facts.most = bytes_of(f->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    for (f->facts.align = 64; (uint64_t)f->facts.align < align && f->facts.align < 4096;) f->facts.align *= 2;
    if (!number_of(f->id, CL_DEVICE_DOUBLE_FP_CONFIG)) f->facts.lacks = 1u << TY_F64 | 1u << TY_C128;
    f->facts.units = (int)number_of(f->id, CL_DEVICE_MAX_COMPUTE_UNITS);
    f->facts.group = bytes_of(f->id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    f->facts.local = bytes_of(f->id, CL_DEVICE_LOCAL_MEM_SIZE);
    int native = (int)number_of(f->id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    for (f->lanes = 4; f->lanes < 16 && f->lanes < native;) f->lanes *= 2;
    if (f->facts.kind != DEVICE_CPU) f->lanes = 0;
    f->facts.shares = number_of(f->id, CL_DEVICE_HOST_UNIFIED_MEMORY);
    /* a device that cannot round quotients and roots as asked refuses to build */
    bool rounds = number_of(f->id, CL_DEVICE_SINGLE_FP_CONFIG) & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT;
    f->options = rounds ? STANDARD ROUNDING : STANDARD;
    f->lean = !f->keeps ? NULL : rounds ? STANDARD ROUNDING LEAN : STANDARD LEAN;
}

/* ---- opening ---- */

/* Look up all entry points.  False, with the fault set, if one is missing. */
static bool find_entries(struct fault *fault) {
    static const char *const names[] = {
#define ENTRY(result, name, parameters) #name,
#include "engine/opencl/entries.def"
#undef ENTRY
    };
    char *place = (char *)&opencl;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *address = dlsym(library, names[i]);
        if (!address)
            return fault_set(fault, E_UNSUPPORTED,
                             "opencl: libOpenCL.so.1 lacks %s; expected OpenCL 1.2 or later", names[i]);
        memcpy(place + i * sizeof address, &address, sizeof address);
    }
    return true;
}

/* Add the usable devices of a platform to `found`, and the number of others to *unusable. */
static void list_platform(cl_platform_id platform, int *unusable) {
    cl_device_id ids[DEVICES];
    cl_uint n = 0;
    if (opencl.clGetDeviceIDs(platform, (cl_uint)CL_DEVICE_TYPE_ALL, DEVICES, ids, &n) != CL_SUCCESS) return;
    for (cl_uint i = 0; i < n && i < DEVICES && count < DEVICES; i++) {
        if (!is_usable(ids[i])) {
            ++*unusable;
            continue;
        }
        found[count] = (struct opencl_found){.platform = platform, .id = ids[i]};
        fill(&found[count++]);
    }
}

/* Open the library and list its devices.  False, with the fault set, if there are none. */
static bool look(struct fault *fault) {
    const char *path = library_path ? library_path : "libOpenCL.so.1";
    cl_platform_id platforms[PLATFORMS];
    cl_uint n = 0;
    int unusable = 0;
    if (!library) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return fault_set(
            fault, E_UNSUPPORTED,
            "opencl: %s cannot be opened; expected OpenCL's loader (Debian's ocl-icd-libopencl1) and a "
            "driver, such as pocl-opencl-icd",
            path);
    if (!find_entries(fault)) return false;
    cl_int code = opencl.clGetPlatformIDs(PLATFORMS, platforms, &n);
    if (code != CL_PLATFORM_NOT_FOUND_KHR && !opencl_ok(NULL, code, "clGetPlatformIDs", fault)) return false;
    if (code || !n)
        return fault_set(fault, E_UNSUPPORTED,
                         "opencl: no driver is installed; expected one, such as Debian's pocl-opencl-icd");
    for (cl_uint i = 0; i < n && i < PLATFORMS; i++) list_platform(platforms[i], &unusable);
    if (!count && !unusable)
        return fault_set(
            fault, E_UNSUPPORTED,
            "opencl: %u driver%s installed, without devices; PoCL has none if it cannot write its "
            "cache ($POCL_CACHE_DIR, $XDG_CACHE_HOME/pocl or ~/.cache/pocl)",
            (unsigned)n, n == 1 ? " is" : "s are");
    return count ||
           fault_set(fault, E_UNSUPPORTED, "opencl: %d device%s found, none of which can build kernels",
                     unusable, unusable == 1 ? "" : "s");
}

static void close_library(void) { dlclose(library); }
#else
static bool look(struct fault *fault) {
    return fault_set(fault, E_UNSUPPORTED, "opencl: Tyto was built without it (build option TY_OPENCL)");
}
static void close_library(void) {}
#endif

bool opencl_alive(void) { return !atomic_load(&forked); }

int opencl_count(struct fault *why) {
    FLOATING_DEFAULT; /* threads of drivers inherit it */
    if (!opencl_alive()) {
        fault_set(why, E_STATE,
                  "opencl: the process was forked after it had opened OpenCL, whose drivers work in "
                  "the parent only");
        return 0;
    }
    int cancel = cancel_hold_off();
    pthread_mutex_lock(&gate);
    if (!count) {
        fault_clear(&reason);
        atomic_store(&opened, true);
        look(&reason);
        atomic_store(&opened, library != NULL);
    }
    int n = count;
    if (!n) fault_copy(why, &reason);
    pthread_mutex_unlock(&gate);
    cancel_restore(cancel);
    return n;
}

const struct opencl_found *opencl_find(int i, struct fault *fault) {
    int n = opencl_count(fault);
    if (n && (i < 0 || i >= n))
        fault_set(fault, E_ARGUMENT, "device opencl:%d does not exist; expected opencl:0..opencl:%d", i,
                  n - 1);
    return i >= 0 && i < n ? &found[i] : NULL;
}

void opencl_use(const char *path) {
    pthread_mutex_lock(&gate);
    if (library && library_path) close_library(); /* a real driver's threads may run */
    library = NULL;
    library_path = path;
    count = 0;
    pthread_mutex_unlock(&gate);
}

static void begin_child(void) {
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    gate = fresh; /* another thread may have held it */
    if (atomic_load(&opened)) atomic_store(&forked, true);
}
static struct fork_child child = {.begin = begin_child};
__attribute__((constructor)) static void list_child(void) { fork_list_child(&child); }
