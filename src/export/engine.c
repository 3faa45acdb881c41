#include "export/engine.h"

#include <string.h>

#include "base/arena.h"
#include "engine/nest/lower.h"
#include "engine/schedule/schedule.h"

/* Vectors of 64 bytes: on machines with shorter ones, compilers make several of one. */
enum { LANES = 16, STRIPS = 16 };

/* Render the list of a kernel; a kernel without text gets the reason, so that all of a program can be named. */
static bool render(struct export_kernel *k, struct arena *arena, struct fault *fault) {
    struct fault refusal;
    fault_clear(&refusal);
    /* The machine is not known: indices have 32 bits where they fit, and loops are left to the compiler. */
    struct text_device device = {.f64 = true, .lanes = LANES, .strips = STRIPS};
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
    if (!nest_lower(kernel, &k->nests, arena, fault)) return false;
    if (!schedule(&k->nests, LANES, arena, fault)) return false;
    k->temporaries = nests_place(&k->nests, &kernel->workspace, arena, fault);
    return k->temporaries && render(k, arena, fault);
}

const struct engine export_engine = {.name = "export", .prepare = prepare};
