/*
 * Kernels on OpenCL compute the bits of `cpu`: the sample of each operator, in a random dtype and layout.  An engine of
 * tests lets the device compute each kernel, on copies of the operands; kinds that it lacks run on `cpu`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/arena.h"
#include "base/context/context.h"
#include "engine/engines.h"
#include "engine/opencl/api.h"
#include "engine/opencl/opencl.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/kernel.h"
#include "ops/core/kernel/operand.h"
#include "tests/support/compare.h"
#include "tests/support/files.h"
#include "tests/support/harness.h"
#include "tests/support/samples/operator_samples.h"
#include "tests/support/samples/sample.h"
#include "tests/support/starve.h"

enum { OPERANDS = 64, NUMBER = 7, KERNELS = 1 << 16 };

static struct device device;
static void *stream;
static int made[KERNEL_KINDS], lacked[KERNEL_KINDS];

/* Kernels that the device has prepared, for drop, and their memory, which outlives the callers' kernels. */
static struct kernel *kernels[KERNELS];
static int nkernels;
static struct arena memory;

struct plan {
    struct kernel *kernel; /* as the device or `cpu` has prepared it */
    bool here;             /* the device computes it */
};

static bool prepare(struct kernel *k, struct arena *arena, struct fault *fault) {
    struct fault why = {0};
    struct plan *p = arena_alloc(arena, sizeof *p);
    struct kernel *copy = arena_copy(&memory, k, sizeof *k);
    if (!p || !copy) return fault_memory(fault, sizeof *k);
    bool here = k->ninputs + k->noutputs <= OPERANDS && opencl_family.prepare(&device, copy, &memory, &why);
    if (!here && why.set && why.code != TY_ERROR_UNSUPPORTED) return fault_copy(fault, &why);
    (here ? made : lacked)[k->kind]++;
    *p = (struct plan){copy, here};
    k->width = 1;
    k->workspace = 0;
    k->prepared = p;
    if (here) {
        CHECK(nkernels < KERNELS, "more than %d kernels", KERNELS);
        kernels[nkernels++] = copy;
        return true;
    }
    if (test_verbose() && lacked[k->kind] == 1) printf("on cpu: %s\n", why.text);
    bool ok = cpu_engine.prepare(copy, arena, fault);
    copy->kept = 0;
    k->workspace = copy->workspace;
    return ok;
}

/* Bytes of the host that operands of a launch share. */
struct block {
    char *low, *high;
    void *handle;
};

/* Set the range of bytes of each operand, joined where ranges overlap; return its block for each. */
static void find_blocks(const struct kernel *k, void *const *slots, struct block *blocks) {
    int n = k->ninputs + k->noutputs;
    for (int i = 0; i < n; i++) {
        const struct operand *o = kernel_operand(k, i);
        struct layout_room room;
        int64_t low, high, size = (int64_t)dtype_table[o->dtype].size;
        layout_extent(operand_inside(o, &room), &low, &high);
        blocks[i] =
            (struct block){(char *)slots[o->slot] + low * size, (char *)slots[o->slot] + high * size, NULL};
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                struct block *a = &blocks[i], *b = &blocks[j];
                if (a->low >= b->high || b->low >= a->high || a->low == a->high || b->low == b->high)
                    continue;
                char *low = a->low < b->low ? a->low : b->low, *high = a->high > b->high ? a->high : b->high;
                changed = changed || a->low != low || a->high != high;
                a->low = low, a->high = high;
            }
    }
}

static bool copy_blocks(struct block *blocks, int n, bool home, struct fault *fault) {
    for (int i = 0; i < n; i++) {
        struct block *b = &blocks[i];
        size_t bytes = (size_t)(b->high - b->low);
        for (int j = 0; j < i && !b->handle; j++)
            if (blocks[j].low == b->low && blocks[j].high == b->high) b->handle = blocks[j].handle;
        bool first = !b->handle;
        if (first) b->handle = opencl_family.allocate(&device, bytes + 1, fault);
        struct device_place place = {b->handle, 0};
        if (!b->handle ||
            (bytes && !(home ? opencl_family.download(&device, stream, b->low, place, bytes, fault)
                             : opencl_family.upload(&device, stream, place, b->low, bytes, fault))))
            return false;
    }
    return true;
}

static bool finish(struct fault *fault) {
    void *event = opencl_family.record(&device, stream, fault);
    bool ok = event && opencl_family.wait(&device, event, fault);
    if (event) opencl_family.event_release(&device, event);
    return ok;
}

static void release(struct block *blocks, int n) {
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++)
            if (blocks[j].handle == blocks[i].handle) blocks[j].handle = NULL;
        if (blocks[i].handle) opencl_family.release(&device, blocks[i].handle);
    }
}

/* Fail if the cell of the run is set, as a program would after the run. */
static bool look(const struct kernel *k, struct device_place cell, struct fault *fault) {
    static char copy[DEVICE_CELL];
    if (!opencl_family.download(&device, stream, copy, cell, opencl_family.cell_bytes, fault) ||
        !finish(fault))
        return false;
    int number = opencl_family.refused(&device, copy);
    CHECK(number == 0 || number == NUMBER, "kernel %d refused", number);
    if (number) opencl_family.refusal(&device, k, copy, fault);
    return !number;
}

static bool compute(const struct kernel *k, struct block *blocks, void *const *slots,
                    struct device_place workspace, struct device_place cell, struct fault *fault) {
    struct device_place places[OPERANDS + 1];
    int n = k->ninputs + k->noutputs;
    for (int i = 0; i < n; i++) {
        const struct operand *o = kernel_operand(k, i);
        places[o->slot] = (struct device_place){blocks[i].handle, (char *)slots[o->slot] - blocks[i].low};
    }
    struct device_cell where = {.place = cell, .number = NUMBER};
    return opencl_family.zero(&device, stream, cell, opencl_family.cell_bytes, fault) &&
           opencl_family.launch(&device, stream, k, places, workspace, &where, fault) &&
           copy_blocks(blocks + k->ninputs, k->noutputs, true, fault) && finish(fault) &&
           look(k, cell, fault);
}

static bool launch(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    const struct plan *p = k->prepared;
    struct block blocks[OPERANDS] = {{0}};
    int n = k->ninputs + k->noutputs;
    if (!p->here) return cpu_engine.launch(p->kernel, slots, workspace, fault);
    struct device_place room = {opencl_family.allocate(&device, p->kernel->workspace + 1, fault), 0};
    struct device_place cell = {room.handle ? opencl_family.allocate(&device, DEVICE_CELL, fault) : NULL, 0};
    find_blocks(k, slots, blocks);
    bool ok = cell.handle && copy_blocks(blocks, n, false, fault) &&
              compute(p->kernel, blocks, slots, room, cell, fault);
    release(blocks, n);
    if (room.handle) opencl_family.release(&device, room.handle);
    if (cell.handle) opencl_family.release(&device, cell.handle);
    return ok;
}

static const struct engine engine = {.name = "opencl:0", .prepare = prepare, .launch = launch};

/* ---- tests ---- */

/* Close the device after the test, when all that was prepared for it is dropped. */
static void close_device(void *pointer) {
    (void)pointer;
    for (int i = 0; i < nkernels; i++) opencl_family.drop(&device, kernels[i]);
    nkernels = 0;
    ty_trim(); /* nobody launches them again */
    arena_drop(&memory);
    opencl_family.stream_close(&device, stream);
    opencl_family.close(&device);
}

/* Open device 0.  False, after a sentence, if there is none. */
static bool open_device(void) {
    struct fault fault = {0};
    starve_others(false); /* drivers end the process without memory */
    int n = opencl_family.count(&fault);
    if (!n) printf("nothing to test: %s\n", fault.text);
    if (!n || test_starving()) return false;
    setenv("XDG_CACHE_HOME", scratch_folder(), 1);
    device = (struct device){.name = "opencl:0", .family = &opencl_family};
    CHECK(opencl_family.describe(0, &device.facts, &fault) && opencl_family.open(0, &device, &fault), "%s",
          fault.text);
    stream = opencl_family.stream_open(&device, &fault);
    CHECK(stream, "%s", fault.text);
    test_own(&device, close_device);
    return true;
}

/* Return the sample's operand: x [1,4,4,1] with gaps, axes turned round or permuted. */
static ty_tensor *operand(ty_dtype dtype) {
    ty_tensor *x = sample_shape(dtype, 4, (int64_t[]){2, 8, 8, 2}, -3, 3);
    for (int axis = 0; axis < 4; axis++) {
        int64_t size = axis % 3 ? 4 : 1, start = test_between(0, size), step = test_between(1, 2);
        if (start + (size - 1) * step >= ty_shape(x)[axis]) start = 0;
        x = ty_slice(x, axis, start, start + (size - 1) * step + 1, step);
        if (test_between(0, 2) == 0) x = ty_flip(x, axis);
    }
    return test_between(0, 2) ? x : ty_permute(x, (int[]){0, 2, 1, 3});
}

/* Compute with the engine of this test. */
static ty_tensor *compute_there(ty_tensor *(*run)(ty_tensor *), ty_tensor *x) {
    thread_now()->engine = &engine;
    ty_tensor *y = run(x);
    ty_use_engine("cpu");
    return y;
}

static void same(const struct operator_sample *sample, ty_dtype dtype) {
    struct test_round round = test_round();
    ty_tensor *x = operand(dtype), *want = sample->run(x), *got = compute_there(sample->run, x);
    CHECK(ty_ok(got) == ty_ok(want), "%s %s: %s, %s", sample->name, ty_dtype_name(dtype), ty_error(got),
          ty_error(want));
    if (ty_ok(got)) operator_sample_compare(sample, dtype, got, want);
    test_round_end(round);
}

static void samples(void) {
    if (!open_device()) return;
    for (int i = 0; i < operator_sample_count; i += test_some(1, 3, 1)) {
        same(&operator_samples[i], TY_F32);
        same(&operator_samples[i], (ty_dtype)test_between(0, TY_DTYPES - 1));
    }
    CHECK(!atomic_load(&opencl_refused_lean),
          "%d programs call functions that prelude/opencl_functions.h lacks",
          atomic_load(&opencl_refused_lean));
    for (int k = 0; k < KERNEL_KINDS; k++)
        if (test_verbose() && made[k] + lacked[k])
            printf("%-12s %4d on the device, %4d on cpu\n", kernel_kind_name((enum kernel_kind)k), made[k],
                   lacked[k]);
}

/* A wrong index is the error that `ref` reports. */
static ty_tensor *take_outside(ty_tensor *x) {
    return ty_take(x, ty_from(TY_I64, TY_SHAPE(3), (int64_t[]){0, 9, 7}), 1);
}

static void refuses(void) {
    if (!open_device()) return;
    ty_tensor *x = sample_shape(TY_F32, 2, (int64_t[]){3, 4}, -3, 3);
    ty_use_engine("ref");
    ty_tensor *want = take_outside(x);
    ty_tensor *got = compute_there(take_outside, x);
    CHECK(!ty_ok(want) && !ty_ok(got) && !strcmp(ty_error(got), ty_error(want)), "%s; expected %s",
          ty_error(got), ty_error(want));
}

TESTS_MAIN(TEST(samples), TEST(refuses))
