#include "export/engine.h"

#include <string.h>

#include "base/arena.h"
#include "engine/nest/lower.h"
#include "engine/schedule/schedule.h"
#include "ops/core/kernel/work.h"

/* Tiles for vectors of 64 bytes: for shorter ones, compilers split them.  16 strips leave half of the registers to
   operands.  Kernels below SMALL operations have plain loops, which are short and need no copies. */
enum { LANES = 16, STRIPS = 16, SMALL = 1 << 10 };
static int lanes_for(const struct kernel *k) { return work_operations(k) >= SMALL ? LANES : 0; }

/* Render the list of a kernel; a kernel without text gets the reason, so that all of a program can be named. */
static bool render(struct export_kernel *k, int lanes, struct arena *arena, struct fault *fault) {
    struct fault refusal;
    fault_clear(&refusal);
    /* The target machine is unknown: indices have 32 bits if they fit. */
    struct text_device device = {.f64 = true, .lanes = lanes, .strips = STRIPS};
    if (text_render(&k->nests, &text_c99, device, arena, &k->program, &refusal)) return true;
    if (refusal.code != E_UNSUPPORTED) return fault_copy(fault, &refusal);
    k->refusal = arena_copy(arena, refusal.text, strlen(refusal.text) + 1);
    return k->refusal || fault_memory(fault, sizeof refusal.text);
}

static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct export_kernel *k = arena_alloc(arena, sizeof *k);
    if (!k) return fault_memory(fault, sizeof *k);
    kernel->width = 1;
    kernel->prepared = k;
    int lanes = lanes_for(kernel);
    if (!nest_lower(kernel, &k->nests, arena, fault) || !schedule(&k->nests, lanes, false, arena, fault))
        return false;
    k->temporaries = nests_place(&k->nests, &kernel->workspace, arena, fault);
    return k->temporaries && render(k, lanes, arena, fault);
}

const struct engine export_engine = {.name = "export", .prepare = prepare};
