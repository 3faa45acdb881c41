#include "engine/opencl/build.h"
#include <stdio.h>
#include <string.h>
#include <tyto/core.h>
#include "base/alloc.h"
#include "base/files/disk_cache.h"
#include "base/machine/debug.h"

/* ---- compiling ---- */

/* Return the log of the compiler, freed by mem_free; NULL: there is none. */
static char *log_of(const struct device *d, cl_program program) {
    cl_device_id id = opencl_device_of(d)->found->id;
    size_t bytes = 0;
    cl_int code = opencl.clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, 0, NULL, &bytes);
    char *log = code ? NULL : mem_alloc(bytes + 1);
    if (log && !opencl.clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, bytes, log, NULL)) return log;
    mem_free(log);
    return NULL;
}

/* Show the log of a text that the compiler has refused, of the kernel of this name, if TY_DEBUG asks for it. */
static void show(const struct device *d, const char *name, const char *what, const char *log) {
    if (log && debug_level()) fprintf(stderr, "%s: the kernel of %s %s:\n%s\n", d->name, name, what, log);
}

atomic_int opencl_refused_lean;

/* Let the driver build a program for the device.  Return its code.  `name`: as in opencl_text. */
static cl_int compile(struct device *d, cl_program program, const char *name) {
    const struct opencl_found *f = opencl_device_of(d)->found;
    cl_int code = CL_BUILD_PROGRAM_FAILURE;
    if (f->lean) code = opencl.clBuildProgram(program, 1, &f->id, f->lean, NULL, NULL);
    if (code != CL_BUILD_PROGRAM_FAILURE) return code;
    char *log = f->lean ? log_of(d, program) : NULL;
    code = opencl.clBuildProgram(program, 1, &f->id, f->options, NULL, NULL);
    if (f->lean && !code) {
        atomic_fetch_add(&opencl_refused_lean, 1);
        show(d, name ? name : "several sources", "needs the header of the compiler", log);
    }
    mem_free(log);
    return code;
}

/* ---- on disk ---- */

/* Return the program that an earlier process has stored.  NULL: there is none, or the driver refuses it. */
static cl_program load(struct device *d, const struct disk_key *key) {
    struct opencl_device *own = opencl_device_of(d);
    size_t bytes = 0;
    unsigned char *binary = disk_cache_get(key, &bytes);
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    if (!binary) return NULL;
    const unsigned char *binaries[] = {binary};
    cl_program program =
        opencl.clCreateProgramWithBinary(own->context, 1, &own->found->id, &bytes, binaries, &status, &code);
    mem_free(binary);
    if (program && !code && !status && !compile(d, program, NULL)) return program;
    if (program) opencl.clReleaseProgram(program);
    return NULL;
}

/* Store a compiled program.  Nothing happens if that fails. */
static void store(cl_program program, const struct disk_key *key) {
    size_t bytes = 0;
    if (opencl.clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) || !bytes)
        return;
    unsigned char *binary = mem_alloc(bytes), *binaries[] = {binary};
    if (binary && !opencl.clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL))
        disk_cache_put(key, binary, bytes);
    mem_free(binary);
}

/* ---- from text ---- */

/* Set the fault that the driver's compiler refused the text, with the beginning of its log; TY_DEBUG shows the whole log
   of a text with a name. */
static void report(struct device *d, cl_program program, const char *name, struct fault *fault) {
    char *log = name ? log_of(d, program) : NULL;
    if (name) show(d, name, "could not be built", log);
    if (name)
        fault_set(fault, E_DEVICE, "%s: the kernel of %s could not be built%s%.*s", d->name, name,
                  log ? ": " : "; the compiler's log is not available", 512, log ? log : "");
    else
        fault_set(fault, E_DEVICE, "%s: kernels could not be built together", d->name);
    mem_free(log);
}

/* Return the program that the driver's compiler makes of a text.  NULL, with the fault set, on failure. */
static cl_program build(struct device *d, const struct opencl_text *text, struct fault *fault) {
    cl_int code = CL_SUCCESS;
    const char *texts[] = {text->text};
    cl_program program = OPENCL_MAKE(d, fault, code, clCreateProgramWithSource, opencl_device_of(d)->context,
                                     1, texts, &text->length);
    if (!program) return NULL;
    code = compile(d, program, text->name);
    if (code == CL_BUILD_PROGRAM_FAILURE) report(d, program, text->name, fault);
    if (opencl_ok(d, code, "clBuildProgram", fault)) return program;
    opencl.clReleaseProgram(program);
    return NULL;
}

cl_program opencl_build(struct device *d, const struct opencl_text *text, struct fault *fault) {
    const struct opencl_found *found = opencl_device_of(d)->found;
    struct text all = {0};
    if (!opencl_usable(d, fault)) return NULL;
    text_add(&all, "opencl, tyto %s\n%s%s\n", ty_version(), found->key, found->options);
    text_add_bytes(&all, text->text, text->length);
    struct disk_key key = {all.data, all.length};
    cl_program program = NULL;
    if (all.failed) {
        fault_memory(fault, text->length);
    } else if (!(program = load(d, &key))) {
        program = build(d, text, fault);
        if (program && !found->keeps) store(program, &key);
    }
    text_drop(&all);
    return program;
}
