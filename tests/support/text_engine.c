/* The engine of text_engine.h. */
#include "tests/support/text_engine.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context/context.h"
#include "engine/engines.h"
#include "engine/nest/lower.h"
#include "engine/schedule/schedule.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/operand.h"
#include "tests/support/harness.h"

/* Results of prepare, for launch. */
struct text_plan {
    ty_nests nests;
    struct text_program program;
    struct kernel *other; /* NULL: the program; else the kernel as `cpu` has prepared it */
};
static struct device *in_use;
static atomic_llong made;
int64_t text_engine_made(void) { return atomic_load(&made); }

static bool prepare_other(struct kernel *kernel, struct text_plan *p, struct arena *arena,
                          struct fault *fault) {
    p->other = arena_copy(arena, kernel, sizeof *kernel);
    if (!p->other) return fault_memory(fault, sizeof *kernel);
    bool done = cpu_engine.prepare(p->other, arena, fault);
    kernel->workspace = p->other->workspace;
    p->other->kept = 0;
    return done;
}
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct text_plan *p = arena_alloc(arena, sizeof *p);
    struct fault refusal = {0};
    if (!p) return fault_memory(fault, sizeof *p);
    kernel->width = 1, kernel->workspace = 0, kernel->prepared = p;
    if (!nest_lower(kernel, &p->nests, arena, fault)) return false;
    static const int lanes[] = {0, 4, 8, 16};
    struct text_device device = {.f64 = true,
                                 .wide_index = test_uniform(0, 1) < 0.5,
                                 .lanes = lanes[test_between(0, 3)],
                                 .strips = (int)test_between(0, 16)};
    if (!schedule(&p->nests, device.lanes, test_uniform(0, 1) < 0.5, arena, fault) ||
        !nests_check_kernel(kernel, &p->nests, fault))
        return false;
    if (text_render(&p->nests, device_dialect(in_use), device, arena, &p->program, &refusal)) return true;
    if (getenv("TY_TEST_SOURCE")) fprintf(stderr, "on cpu: %s\n", refusal.text);
    return refusal.code == E_UNSUPPORTED ? prepare_other(kernel, p, arena, fault)
                                         : fault_copy(fault, &refusal);
}

/* Set the memory of each slot: operands where they are, temporaries of any content. */
static void bind(const struct kernel *k, const ty_nests *nests, void *const *slots,
                 struct device_memory *memory) {
    for (int i = 0; i < nests->noperands; i++) {
        const struct operand *x = kernel_operand(k, i);
        struct layout_room room;
        int64_t low, high;
        layout_extent(i < k->ninputs ? operand_inside(x, &room) : &x->layout, &low, &high);
        int64_t size = (int64_t)dtype_table[x->dtype].size;
        if (low > 0) low = 0;
        if (high < low) high = low;
        memory[i] = (struct device_memory){(char *)slots[i] + low * size, (size_t)((high - low) * size),
                                           (uint64_t)(-low * size)};
    }
    for (int i = 0; i < nests->ntemporaries; i++) {
        size_t bytes = (size_t)nests->temporaries[i].size * dtype_table[nests->temporaries[i].dtype].size;
        memory[nests->noperands + i] = (struct device_memory){malloc(bytes + 1), bytes, 0};
        memset(memory[nests->noperands + i].data, 0xA5, bytes);
    }
}
static int64_t peek(void *context, int slot, ty_dtype dtype, int64_t at) {
    const struct device_memory *memory = context;
    return element_load(dtype, (const char *)memory[slot].data + memory[slot].origin +
                                   at * (int64_t)dtype_table[dtype].size)
        .i;
}
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct text_plan *p = kernel->prepared;
    if (p->other) return cpu_engine.launch(p->other, slots, workspace, fault);
    int n = p->nests.noperands + p->nests.ntemporaries, step = 0;
    struct device_memory *memory = calloc((size_t)n + 1, sizeof *memory);
    char words[8192];
    struct text_cell cell;
    bind(kernel, &p->nests, slots, memory);
    bool ran = device_run(in_use, &p->program, memory, n, &cell, &step, words, sizeof words);
    if (!ran)
        fault_set(fault, E_UNSUPPORTED, "%s\n%s", words, p->program.steps);
    else if (cell.step)
        nests_refuse(kernel, &p->nests, step, text_cell_position(&cell, &p->program.kernels[step]), peek,
                     memory, fault);
    for (int i = p->nests.noperands; i < n; i++) free(memory[i].data);
    free(memory);
    atomic_fetch_add(&made, 1);
    return ran && !cell.step;
}

static const struct engine text_engine = {.name = "text", .prepare = prepare, .launch = launch};
void text_engine_use(struct device *d) {
    in_use = d;
    thread_now()->engine = &text_engine;
}
