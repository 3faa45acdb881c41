/* A kernel is chosen by a hash of its operator, dtypes, shapes and strides, so that each run chooses the same ones.
   Fourier transforms and matrices have bits of their own on devices (docs/engines.md), and tests compare those of several
   shapes: an operator in a dtype is chosen as a whole. */
#include "tests/support/part.h"

#include <stdlib.h>
#include <string.h>
#include "base/hash.h"
#include "engine/opencl/opencl.h"
#include "ops/core/kernel/devices.h"
#include "ops/core/kernel/operand.h"
#include "ops/core/op.h"

int part_share(void) {
    const char *asked = getenv("TY_TEST_SHARE");
    int n = asked ? atoi(asked) : 1;
    return n > 1 ? n : 1;
}

static uint64_t add_name(uint64_t h, const char *name) {
    return hash_join(h, hash_bytes(name, strlen(name)));
}

static uint64_t add_program(uint64_t h, const struct program *p) {
    for (int i = 0; p && i < p->ninstrs; i++) {
        const struct instr *s = &p->instrs[i];
        h = add_name(h, s->op->name);
        h = hash_join(h, (uint64_t)s->in << 8 | (uint64_t)s->out);
    }
    return h;
}

static uint64_t hash_of(const struct kernel *k) {
    uint64_t h = add_name((uint64_t)k->kind, k->op ? k->op->name : "");
    if (k->kind == KERNEL_FFT || k->kind == KERNEL_MATRIX)
        return hash_number(hash_join(h, (uint64_t)k->core_dtype));
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        const struct operand *o = kernel_operand(k, i);
        h = hash_join(h, (uint64_t)o->dtype);
        h = hash_words(o->layout.shape, (size_t)o->layout.rank) + hash_join(h, 1);
        h = hash_words(o->layout.strides, (size_t)o->layout.rank) + hash_join(h, 2);
    }
    return hash_number(add_program(add_program(h, k->prologue), k->program));
}

static bool prepare(struct device *d, struct kernel *k, struct arena *arena, struct fault *fault) {
    if (hash_of(k) % (uint64_t)part_share())
        return fault_set(fault, E_UNSUPPORTED, "%s: the kernel is left to cpu", d->name);
    return opencl_family.prepare(d, k, arena, fault);
}

void part_begin(void) {
    static struct device_family family;
    if (family.name) return;
    family = opencl_family;
    family.name = "part";
    family.prepare = prepare;
    engine_register(&family);
}
