#include "tests/engine/opencl/stub.h"
#include <stdlib.h>
#include <string.h>
#include "engine/opencl/api.h"

#pragma GCC visibility push(default)
#define ENTRY(result, name, parameters) result name parameters;
#include "engine/opencl/entries.def"
#undef ENTRY
extern struct stub stub;
#pragma GCC visibility pop

struct stub stub = {.platforms = 1, .devices = 1, .memory = 1 << 20, .local = 1 << 15, .driver = "1"};

/* Objects of all kinds: a count of references and, for some, contents. */
struct object {
    int refs;
    int32_t status; /* of an event */
    size_t bytes;   /* of memory */
    char *data;
    struct object *arguments[4];
    uint64_t words[4];
};

/* Return the code with which this call of an entry point must fail; CL_SUCCESS: it must not. */
static cl_int turn(const char *name) {
    stub.calls++;
    if (stub.lost && stub.failed) return CL_DEVICE_NOT_AVAILABLE;
    if (stub.fail_at <= 0 || --stub.fail_at) return CL_SUCCESS;
    stub.failed = name;
    return stub.code;
}
#define TURN                                                                                                 \
    do {                                                                                                     \
        cl_int code_ = turn(__func__);                                                                       \
        if (code_) return code_;                                                                             \
    } while (0)

static struct object *make(size_t bytes) {
    struct object *o = calloc(1, sizeof *o);
    if (!o) return NULL;
    o->refs = 1, o->bytes = bytes, o->data = calloc(1, bytes + 1);
    stub.live++;
    return o;
}

/* Count one reference less, and return `code`: drivers that fail do not keep the object. */
static cl_int release(void *object, cl_int code) {
    struct object *o = object;
    if (--o->refs == 0) {
        stub.live--;
        free(o->data);
        free(o);
    }
    return code;
}

/* Return a new object and set *code to CL_SUCCESS; or NULL, if it is this call's turn to fail. */
static void *made(const char *name, size_t bytes, cl_int *code) {
    *code = turn(name);
    return *code ? NULL : make(bytes);
}

/* ---- platforms and devices ---- */

static char platform_objects[4], device_objects[4][8];

cl_int clGetPlatformIDs(cl_uint most, cl_platform_id *platforms, cl_uint *n) {
    TURN;
    if (!stub.platforms) return CL_PLATFORM_NOT_FOUND_KHR;
    for (int i = 0; i < stub.platforms && (cl_uint)i < most; i++)
        platforms[i] = (cl_platform_id)&platform_objects[i];
    *n = (cl_uint)stub.platforms;
    return CL_SUCCESS;
}

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint most, cl_device_id *devices,
                      cl_uint *n) {
    TURN;
    (void)type;
    char *first = device_objects[(char *)platform - platform_objects];
    for (int i = 0; i < stub.devices && (cl_uint)i < most; i++) devices[i] = (cl_device_id)(first + i);
    *n = (cl_uint)stub.devices;
    return CL_SUCCESS;
}

static cl_int answer(const void *from, size_t bytes, size_t room, void *to, size_t *size) {
    if (size) *size = bytes;
    if (to && room < bytes) return CL_INVALID_VALUE;
    if (to) memcpy(to, from, bytes);
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t room, void *to, size_t *size) {
    static const struct {
        cl_device_info what;
        const char *text;
    } texts[] = {{CL_DEVICE_NAME, "stub\ndevice"},
                 {CL_DEVICE_VENDOR, "tests"},
                 {CL_DEVICE_PROFILE, "FULL_PROFILE"},
                 {CL_DEVICE_VERSION, "OpenCL 1.2 stub"}};
    const struct {
        cl_device_info what;
        uint64_t number;
        bool wide;
    } numbers[] = {{CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU, true},
                   {CL_DEVICE_AVAILABLE, 1, false},
                   {CL_DEVICE_COMPILER_AVAILABLE, !stub.no_compiler, false},
                   {CL_DEVICE_ENDIAN_LITTLE, __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, false},
                   {CL_DEVICE_MAX_COMPUTE_UNITS, 4, false},
                   {CL_DEVICE_MAX_WORK_GROUP_SIZE, 64, sizeof(size_t) == 8},
                   {CL_DEVICE_MAX_MEM_ALLOC_SIZE, stub.memory / 4, true},
                   {CL_DEVICE_GLOBAL_MEM_SIZE, stub.memory, true},
                   {CL_DEVICE_LOCAL_MEM_SIZE, stub.local, true},
                   {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 1024, false},
                   {CL_DEVICE_DOUBLE_FP_CONFIG, !stub.no_doubles, true},
                   {CL_DEVICE_SINGLE_FP_CONFIG, 0, true},
                   {CL_DEVICE_HOST_UNIFIED_MEMORY, 0, false}};
    TURN;
    (void)device;
    if (what == CL_DRIVER_VERSION) return answer(stub.driver, strlen(stub.driver) + 1, room, to, size);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].what == what) return answer(texts[i].text, strlen(texts[i].text) + 1, room, to, size);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        uint32_t narrow = (uint32_t)numbers[i].number;
        if (numbers[i].what != what) continue;
        return numbers[i].wide ? answer(&numbers[i].number, 8, room, to, size)
                               : answer(&narrow, 4, room, to, size);
    }
    return CL_INVALID_VALUE;
}

/* ---- contexts, queues, memory ---- */

cl_context clCreateContext(const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                           void (*notify)(const char *, const void *, size_t, void *), void *user,
                           cl_int *code) {
    (void)properties, (void)n, (void)devices, (void)notify, (void)user;
    return made(__func__, 0, code);
}
cl_int clReleaseContext(cl_context context) { return release(context, turn(__func__)); }

cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device,
                                      cl_command_queue_properties properties, cl_int *code) {
    (void)context, (void)device, (void)properties;
    return made(__func__, 0, code);
}
cl_int clReleaseCommandQueue(cl_command_queue queue) { return release(queue, turn(__func__)); }
cl_int clFlush(cl_command_queue queue) { return (void)queue, turn(__func__); }
cl_int clFinish(cl_command_queue queue) { return (void)queue, turn(__func__); }

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code) {
    struct object *o = made(__func__, bytes, code);
    (void)context;
    if (o && flags & CL_MEM_COPY_HOST_PTR) memcpy(o->data, host, bytes);
    return (cl_mem)o;
}
cl_int clReleaseMemObject(cl_mem memory) { return release(memory, turn(__func__)); }

/* ---- events and commands ---- */

cl_int clRetainEvent(cl_event event) {
    TURN;
    ((struct object *)event)->refs++;
    return CL_SUCCESS;
}
cl_int clReleaseEvent(cl_event event) { return release(event, turn(__func__)); }

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t room, void *to, size_t *size) {
    TURN;
    if (what == CL_EVENT_COMMAND_QUEUE)
        return answer(&((struct object *)event)->arguments[0], sizeof(void *), room, to, size);
    return answer(&((struct object *)event)->status, sizeof(int32_t), room, to, size);
}

cl_int clWaitForEvents(cl_uint n, const cl_event *events) {
    TURN;
    for (cl_uint i = 0; i < n; i++)
        if (((struct object *)events[i])->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return CL_SUCCESS;
}

/* Begin a command: make *event, or return the code with which it fails now.  *runs: it and all before it succeed. */
static cl_int begin(const char *name, cl_command_queue queue, cl_uint n, const cl_event *waits,
                    cl_event *event, bool *runs) {
    cl_int code = turn(name);
    if (code && !stub.later) return code;
    struct object *e = make(0);
    for (cl_uint i = 0; i < n; i++)
        if (((struct object *)waits[i])->status < 0) e->status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (code) e->status = code;
    e->arguments[0] = (struct object *)queue;
    *event = (cl_event)e;
    *runs = !e->status;
    return CL_SUCCESS;
}
#define BEGIN                                                                                                \
    bool runs = false;                                                                                       \
    cl_int code = begin(__func__, queue, n, waits, event, &runs);                                            \
    if (!runs) return code

static char *at(cl_mem memory, size_t offset, size_t bytes) {
    struct object *o = (struct object *)memory;
    if (offset > o->bytes || bytes > o->bytes - offset) abort();
    return o->data + offset;
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocks, size_t offset, size_t bytes,
                           void *to, cl_uint n, const cl_event *waits, cl_event *event) {
    BEGIN;
    (void)blocks;
    memcpy(to, at(memory, offset, bytes), bytes);
    return CL_SUCCESS;
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocks, size_t offset,
                            size_t bytes, const void *from, cl_uint n, const cl_event *waits,
                            cl_event *event) {
    BEGIN;
    (void)blocks;
    memcpy(at(memory, offset, bytes), from, bytes);
    return CL_SUCCESS;
}

cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t bytes, cl_uint n, const cl_event *waits,
                           cl_event *event) {
    BEGIN;
    memcpy(at(to, to_offset, bytes), at(from, from_offset, bytes), bytes);
    return CL_SUCCESS;
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem memory, const void *pattern, size_t size,
                           size_t offset, size_t bytes, cl_uint n, const cl_event *waits, cl_event *event) {
    BEGIN;
    for (size_t i = 0; i < bytes; i += size) memcpy(at(memory, offset + i, size), pattern, size);
    return CL_SUCCESS;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims, const size_t *begins,
                              const size_t *global, const size_t *local, cl_uint n, const cl_event *waits,
                              cl_event *event) {
    struct object *k = (struct object *)kernel;
    if (!local || global[0] % local[0]) return CL_INVALID_WORK_GROUP_SIZE;
    BEGIN;
    (void)dims, (void)begins;
    size_t bytes = sizeof(uint32_t) * k->words[2];
    memcpy(at((cl_mem)k->arguments[1], k->words[1], bytes), at((cl_mem)k->arguments[0], k->words[0], bytes),
           bytes);
    return CL_SUCCESS;
}

/* ---- programs ---- */

static const char binary[] = "a compiled program";

cl_program clCreateProgramWithSource(cl_context context, cl_uint n, const char **texts, const size_t *lengths,
                                     cl_int *code) {
    (void)context, (void)n;
    struct object *o = made(__func__, lengths[0], code);
    if (o) memcpy(o->data, texts[0], lengths[0]);
    return (cl_program)o;
}

cl_program clCreateProgramWithBinary(cl_context context, cl_uint n, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries, cl_int *status,
                                     cl_int *code) {
    (void)context, (void)n, (void)devices;
    struct object *o = made(__func__, 0, code);
    bool refused =
        stub.refuses_binaries || lengths[0] != sizeof binary || memcmp(binaries[0], binary, sizeof binary);
    *status = refused ? CL_INVALID_BINARY : CL_SUCCESS;
    if (o && !refused) stub.loaded++;
    if (!o || !refused) return (cl_program)o;
    release(o, CL_SUCCESS);
    *code = CL_INVALID_BINARY;
    return NULL;
}

cl_int clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                      void (*notify)(cl_program, void *), void *user) {
    struct object *o = (struct object *)program;
    TURN;
    (void)n, (void)devices, (void)options, (void)notify, (void)user;
    if (strstr(o->data, "#error")) return CL_BUILD_PROGRAM_FAILURE;
    if (*o->data) stub.built++;
    return CL_SUCCESS;
}

cl_int clGetProgramInfo(cl_program program, cl_program_info what, size_t room, void *to, size_t *size) {
    static const size_t length = sizeof binary;
    TURN;
    (void)program, (void)size;
    if (what == CL_PROGRAM_BINARY_SIZES) return answer(&length, sizeof length, room, to, NULL);
    memcpy(*(unsigned char **)to, binary, sizeof binary);
    return CL_SUCCESS;
}

cl_int clGetProgramBuildInfo(cl_program program, cl_device_id device, cl_program_build_info what, size_t room,
                             void *to, size_t *size) {
    TURN;
    (void)program, (void)device, (void)what;
    return answer("line 1: error", sizeof "line 1: error", room, to, size);
}
cl_int clRetainProgram(cl_program program) {
    TURN;
    ((struct object *)program)->refs++;
    return CL_SUCCESS;
}
cl_int clReleaseProgram(cl_program program) { return release(program, turn(__func__)); }

cl_kernel clCreateKernel(cl_program program, const char *name, cl_int *code) {
    (void)program;
    if (strcmp(name, "copy")) return *code = CL_INVALID_KERNEL_NAME, NULL;
    return made(__func__, 0, code);
}
cl_int clReleaseKernel(cl_kernel kernel) { return release(kernel, turn(__func__)); }

/* The arguments of `copy`: two places, each memory and an offset, and the number of words, a u64. */
cl_int clSetKernelArg(cl_kernel kernel, cl_uint i, size_t bytes, const void *value) {
    struct object *k = (struct object *)kernel;
    TURN;
    if (i > 4) return CL_INVALID_ARG_INDEX;
    if (bytes != (i % 2 || i == 4 ? sizeof(uint64_t) : sizeof(cl_mem))) return CL_INVALID_ARG_SIZE;
    if (i % 2 || i == 4)
        memcpy(&k->words[i / 2], value, bytes);
    else
        memcpy(&k->arguments[i / 2], value, bytes);
    return CL_SUCCESS;
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what,
                                size_t room, void *to, size_t *size) {
    static const size_t group = 48;
    TURN;
    (void)kernel, (void)device, (void)what;
    return answer(&group, sizeof group, room, to, size);
}
