/*
 * The part of OpenCL that the engine uses, without OpenCL's headers: types, constants and the table of entry points,
 * which are looked up in libOpenCL when somebody asks for its devices.
 */
#ifndef ENGINE_OPENCL_API_H
#define ENGINE_OPENCL_API_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include "array/device.h"

typedef int32_t cl_int;
typedef uint32_t cl_uint, cl_bool, cl_platform_info, cl_device_info, cl_event_info, cl_program_info,
    cl_program_build_info, cl_kernel_work_group_info;
typedef uint64_t cl_device_type, cl_command_queue_properties, cl_mem_flags;
typedef intptr_t cl_context_properties;
typedef struct opencl_platform *cl_platform_id;
typedef struct opencl_device_id *cl_device_id;
typedef struct opencl_context *cl_context;
typedef struct opencl_queue *cl_command_queue;
typedef struct opencl_memory *cl_mem;
typedef struct opencl_event *cl_event;
typedef struct opencl_program_object *cl_program;
typedef struct opencl_kernel_object *cl_kernel;

enum {
#define CONSTANT(name, value) name = (int)(value),
#include "engine/opencl/constants.def"
#undef CONSTANT
#define ERROR(name, value, ...) name = value,
#include "engine/opencl/errors.def"
#undef ERROR
};

/* All entry points; valid from a successful opencl_count on. */
struct opencl_api {
#define ENTRY(result, name, parameters) result(*name) parameters;
#include "engine/opencl/entries.def"
#undef ENTRY
};
extern struct opencl_api opencl;

enum { OPENCL_TEXT = 128 };
/* A device as it was found; constant until the process ends. */
struct opencl_found {
    cl_platform_id platform;
    cl_device_id id;
    struct device_facts facts;
    char key[4 *
             OPENCL_TEXT]; /* device, driver and versions: compiled kernels fit another device of equal key */
    int lanes;  /* f32 of a vector (engine/text/text.h): processors have vectors, others work items */
    bool keeps; /* the driver keeps compiled programs on disk itself */
    const char *options; /* of programs */
    const char *lean;    /* tried first for texts that declare the functions that they call; NULL: none */
};

/* Return the number of usable devices, after opening the library at the first call; for 0 set the fault, which says
   why.  The child of a process that has opened it has none: drivers do not survive forks. */
int opencl_count(struct fault *why);
/* Return device i, NULL with the fault set if it does not exist. */
const struct opencl_found *opencl_find(int i, struct fault *fault);
/* Return true unless this process is the child of one that opened the library, where no entry point may be called. */
bool opencl_alive(void);
/* Return true for CL_SUCCESS.  Else set the fault: entry point `name` failed with this code, on device d (NULL: on
   none), which is marked as lost if the code says so. */
bool opencl_ok(struct device *d, cl_int code, const char *name, struct fault *fault);
/* Return the object that entry point `name` has made, unless it failed with this code: then NULL, with the fault set as by
   opencl_ok. */
void *opencl_made(struct device *d, void *object, const cl_int *code, const char *name, struct fault *fault);
/* Test hook: programs that were built without the lean options, which the compiler refused. */
extern atomic_int opencl_refused_lean;
/* Test hook: forget all devices, none of which may be open, and use the library at this path; NULL: libOpenCL. */
void opencl_use(const char *path);

/* Call an entry point.  True if it succeeds; else false, with the fault set. */
#define OPENCL_CALL(d, fault, name, ...) opencl_ok(d, opencl.name(__VA_ARGS__), #name, fault)
/* Call an entry point that makes an object, which is the value; NULL, with the fault set, if it failed.  `code`: a variable
   for its code. */
#define OPENCL_MAKE(d, fault, code, name, ...)                                                               \
    opencl_made(d, opencl.name(__VA_ARGS__, &(code)), &(code), #name, fault)
#endif
