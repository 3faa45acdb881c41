/* OpenCL and C99 for tests; see device.h. */
#include "tests/support/device.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/support/harness.h"

struct device {
    const struct text_dialect *dialect;
    bool (*run)(const struct text_program *p, const struct text *text, const struct device_memory *memory,
                int slots, struct text_cell *cell, int *step, char *words, size_t room);
};

/* ---- OpenCL ---- */

typedef void *handle;
enum { TYPE_ALL = -1, DEFAULT_BITS = 0, READ_WRITE = 1, BUILD_LOG = 0x1183 };
static struct {
    int (*GetPlatformIDs)(unsigned, handle *, unsigned *);
    int (*GetDeviceIDs)(handle, uint64_t, unsigned, handle *, unsigned *);
    handle (*CreateContext)(const intptr_t *, unsigned, const handle *, void *, void *, int *);
    handle (*CreateCommandQueue)(handle, handle, uint64_t, int *);
    handle (*CreateBuffer)(handle, uint64_t, size_t, void *, int *);
    handle (*CreateProgramWithSource)(handle, unsigned, const char **, const size_t *, int *);
    int (*BuildProgram)(handle, unsigned, const handle *, const char *, void *, void *);
    int (*GetProgramBuildInfo)(handle, handle, unsigned, size_t, void *, size_t *);
    handle (*CreateKernel)(handle, const char *, int *);
    int (*SetKernelArg)(handle, unsigned, size_t, const void *);
    int (*EnqueueNDRangeKernel)(handle, handle, unsigned, const size_t *, const size_t *, const size_t *,
                                unsigned, const handle *, handle *);
    int (*EnqueueReadBuffer)(handle, handle, unsigned, size_t, size_t, void *, unsigned, const handle *,
                             handle *);
    int (*EnqueueWriteBuffer)(handle, handle, unsigned, size_t, size_t, const void *, unsigned,
                              const handle *, handle *);
    int (*Finish)(handle);
    int (*ReleaseMemObject)(handle);
    int (*ReleaseKernel)(handle);
    int (*ReleaseProgram)(handle);
} cl;
static handle context, queue, cl_device;

static bool cl_load(const char **why) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    *why = "libOpenCL.so.1 is not installed";
    if (!library) return false;
    *why = "libOpenCL.so.1 lacks a function of version 1.2";
#define LOAD(name)                                                                                           \
    *(void **)&cl.name = dlsym(library, "cl" #name);                                                         \
    if (!cl.name) return false;
    LOAD(GetPlatformIDs)
    LOAD(GetDeviceIDs)
    LOAD(CreateContext)
    LOAD(CreateCommandQueue)
    LOAD(CreateBuffer)
    LOAD(CreateProgramWithSource)
    LOAD(BuildProgram)
    LOAD(GetProgramBuildInfo)
    LOAD(CreateKernel)
    LOAD(SetKernelArg)
    LOAD(EnqueueNDRangeKernel)
    LOAD(EnqueueReadBuffer)
    LOAD(EnqueueWriteBuffer)
    LOAD(Finish)
    LOAD(ReleaseMemObject)
    LOAD(ReleaseKernel)
    LOAD(ReleaseProgram)
#undef LOAD
    handle platform;
    unsigned n = 0;
    int code;
    *why = "OpenCL has no device";
    if (cl.GetPlatformIDs(1, &platform, &n) || !n) return false;
    if (cl.GetDeviceIDs(platform, (uint64_t)0xffffffff, 1, &cl_device, &n) || !n) return false;
    context = cl.CreateContext(NULL, 1, &cl_device, NULL, NULL, &code);
    if (context) queue = cl.CreateCommandQueue(context, cl_device, 0, &code);
    return queue != NULL;
}

static bool is_written(const struct text_program *p, int slot) {
    for (int i = 0; i < p->nkernels; i++)
        for (int k = 0; k < p->kernels[i].nslots; k++)
            if (p->kernels[i].slots[k] == slot && (p->kernels[i].writes >> k & 1)) return true;
    return false;
}
static bool cl_fail(char *words, size_t room, const char *what, int code) {
    snprintf(words, room, "%s: OpenCL error %d", what, code);
    return false;
}
/* Set the arguments of a kernel and run it. */
static int cl_step(handle kernel, const struct text_kernel *k, const struct device_memory *memory,
                   const handle *buffers, handle cell) {
    unsigned at = 0;
    int code = 0;
    for (int i = 0; i < k->nslots; i++) {
        code |= cl.SetKernelArg(kernel, at++, sizeof(handle), &buffers[k->slots[i]]);
        code |= cl.SetKernelArg(kernel, at++, sizeof(uint64_t), &memory[k->slots[i]].origin);
    }
    const uint64_t none = 0, number = 1;
    if (k->checks) {
        code |= cl.SetKernelArg(kernel, at++, sizeof(handle), &cell);
        code |= cl.SetKernelArg(kernel, at++, sizeof none, &none);
    }
    for (int i = 0; i < k->nvalues; i++)
        code |= cl.SetKernelArg(kernel, at++, sizeof k->values[i], &k->values[i]);
    if (k->checks) code |= cl.SetKernelArg(kernel, at++, sizeof number, &number);
    size_t global[3] = {(size_t)k->global[0], (size_t)k->global[1], (size_t)k->global[2]};
    if (!code)
        code = cl.EnqueueNDRangeKernel(queue, kernel, (unsigned)k->ndims, NULL, global, NULL, 0, NULL, NULL);
    return code;
}
static bool cl_steps(handle program, const struct text_program *p, const struct device_memory *memory,
                     const handle *buffers, handle cell, int *step, char *words, size_t room) {
    for (int i = 0; i < p->nkernels; i++) {
        int code = 0;
        if (!p->kernels[i].items) continue;
        handle kernel = cl.CreateKernel(program, p->kernels[i].name, &code);
        if (kernel) code = cl_step(kernel, &p->kernels[i], memory, buffers, cell);
        if (kernel) cl.ReleaseKernel(kernel);
        struct text_cell refused = {0};
        if (!code && p->kernels[i].checks)
            code = cl.EnqueueReadBuffer(queue, cell, 1, 0, sizeof refused, &refused, 0, NULL, NULL);
        if (code) return cl_fail(words, room, p->kernels[i].name, code);
        *step = i;
        if (refused.step) break;
    }
    int code = cl.Finish(queue);
    return !code || cl_fail(words, room, "finish", code);
}
static bool cl_run(const struct text_program *p, const struct text *text, const struct device_memory *memory,
                   int slots, struct text_cell *cell, int *step, char *words, size_t room) {
    handle *buffers = calloc((size_t)slots + 1, sizeof *buffers);
    int code = 0;
    handle program = cl.CreateProgramWithSource(context, 1, (const char **)&text->data, &text->length, &code);
    if (program) code = cl.BuildProgram(program, 1, &cl_device, p->options, NULL, NULL);
    if (code) {
        char log[4096] = "";
        if (program) cl.GetProgramBuildInfo(program, cl_device, BUILD_LOG, sizeof log - 1, log, NULL);
        snprintf(words, room, "build: OpenCL error %d: %.4000s", code, log);
        free(buffers);
        return false;
    }
    *cell = (struct text_cell){0};
    for (int i = 0; i <= slots && !code; i++) {
        size_t bytes = i < slots ? memory[i].bytes : sizeof *cell;
        const void *data = i < slots ? memory[i].data : cell;
        buffers[i] = cl.CreateBuffer(context, READ_WRITE, bytes ? bytes : 1, NULL, &code);
        if (!code && bytes) code = cl.EnqueueWriteBuffer(queue, buffers[i], 1, 0, bytes, data, 0, NULL, NULL);
    }
    bool good = code ? cl_fail(words, room, "memory", code)
                     : cl_steps(program, p, memory, buffers, buffers[slots], step, words, room);
    for (int i = 0; i <= slots; i++) {
        size_t bytes = i < slots ? memory[i].bytes : sizeof *cell;
        void *data = i < slots ? memory[i].data : cell;
        if (good && bytes && (i == slots || is_written(p, i)))
            code |= cl.EnqueueReadBuffer(queue, buffers[i], 1, 0, bytes, data, 0, NULL, NULL);
        if (buffers[i]) cl.ReleaseMemObject(buffers[i]);
    }
    cl.ReleaseProgram(program);
    free(buffers);
    return code && good ? cl_fail(words, room, "reading", code) : good;
}

struct device *device_opencl(const char **why) {
    static struct device d = {&text_opencl, cl_run};
    static const char *reason;
    static int state;
    if (!state) state = cl_load(&reason) ? 1 : -1;
    *why = reason;
    return state > 0 ? &d : NULL;
}

/* ---- C99 ---- */

/* Append to `text` a function that calls a step with arrays of arguments. */
static void c_entry(FILE *out, int step, const struct text_kernel *k) {
    fprintf(out,
            "void run_%d(char **m, const uint64_t *o, void *cell) {\n(void)m, (void)o, "
            "(void)cell;\n%s(",
            step, k->name);
    for (int i = 0; i < k->nslots; i++)
        fprintf(out, "%sm[%d], o[%d]", i ? ", " : "", (int)k->slots[i], (int)k->slots[i]);
    if (k->checks) fprintf(out, "%s(char *)cell, 0", k->nslots ? ", " : "");
    for (int i = 0; i < k->nvalues; i++) fprintf(out, ", UINT64_C(%llu)", (unsigned long long)k->values[i]);
    fprintf(out, "%s);\n}\n", k->checks ? ", 1" : "");
}
/* Return flags for the vectors of this machine, in half of the cases. */
static const char *machine_flags(void) {
#if defined(__x86_64__)
    return test_between(0, 1) ? "-march=native" : "";
#else
    return "";
#endif
}
static void *c_library(const struct text_program *p, const struct text *text, char *words, size_t room) {
    char folder[] = "/tmp/tyto-text-XXXXXX", source[64], object[64], command[512];
    if (!mkdtemp(folder)) return NULL;
    snprintf(source, sizeof source, "%s/program.c", folder);
    snprintf(object, sizeof object, "%s/program.so", folder);
    FILE *out = fopen(source, "w");
    void *library = NULL;
    if (out) {
        fwrite(text->data, 1, text->length, out);
        for (int i = 0; i < p->nkernels; i++)
            if (p->kernels[i].items) c_entry(out, i, &p->kernels[i]);
        fclose(out);
        snprintf(command, sizeof command, "${CC:-cc} -shared -fPIC %s %s -o %s %s -lm", p->options,
                 machine_flags(), object, source);
        if (!system(command)) library = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    }
    if (!library) snprintf(words, room, "the compiler refuses the program, or it cannot be loaded");
    unlink(source);
    unlink(object);
    rmdir(folder);
    return library;
}
static bool c_run(const struct text_program *p, const struct text *text, const struct device_memory *memory,
                  int slots, struct text_cell *cell, int *step, char *words, size_t room) {
    void *library = c_library(p, text, words, room);
    if (!library) return false;
    char **at = calloc((size_t)slots + 1, sizeof *at);
    uint64_t *origins = calloc((size_t)slots + 1, sizeof *origins);
    for (int i = 0; i < slots; i++) at[i] = memory[i].data, origins[i] = memory[i].origin;
    *cell = (struct text_cell){0};
    for (int i = 0; i < p->nkernels; i++) {
        char name[64];
        void (*run)(char **, const uint64_t *, struct text_cell *);
        if (!p->kernels[i].items) continue;
        snprintf(name, sizeof name, "run_%d", i);
        *(void **)&run = dlsym(library, name);
        run(at, origins, cell);
        *step = i;
        if (cell->step) break;
    }
    dlclose(library);
    free(at);
    free(origins);
    return true;
}
struct device *device_c99(const char **why) {
    static struct device d = {&text_c99, c_run};
    *why = "there is no C compiler";
    return system("${CC:-cc} --version >/dev/null 2>&1") ? NULL : &d;
}

const struct text_dialect *device_dialect(const struct device *d) { return d->dialect; }
bool device_run(struct device *d, const struct text_program *p, const struct device_memory *memory, int slots,
                struct text_cell *cell, int *step, char *words, size_t room) {
    struct text text = {0};
    text_join(&text, 1, &p, d->dialect, true);
    if (text.failed) {
        snprintf(words, room, "out of memory");
        text_drop(&text);
        return false;
    }
    if (getenv("TY_TEST_SOURCE")) fputs(text.data, stderr);
    bool ran = d->run(p, &text, memory, slots, cell, step, words, room);
    text_drop(&text);
    return ran;
}

void device_test(void run(struct device *d), struct device *(*find)(const char **why)) {
    const char *why = "allocations fail, and compilers are no part of the library";
    struct device *d = test_starving() ? NULL : find(&why);
    if (d)
        run(d);
    else
        printf("skipped: %s\n", why);
}
