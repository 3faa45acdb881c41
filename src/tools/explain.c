#include "tools/explain.h"
#include "base/arena.h"
#include "compile/program.h"
#include "compile/show/describe.h"
#include "engine/nest/lower.h"
#include "ops/core/kernel/prepared.h"

/* Append kernel k as nests. */
static void add_nests(struct text *t, const struct kernel *k) {
    struct arena arena = {0};
    struct fault fault = {0};
    ty_nests nests;
    if (nest_lower(k, &nests, &arena, &fault))
        nests_describe(&nests, t);
    else
        text_add(t, "%s\n", fault.text);
    arena_drop(&arena);
}

/* Append the kernels of a flow, and those of the bodies inside them. */
static void add_flow(struct text *t, const struct flow *flow, int depth) {
    for (int i = 0; i < flow->nkernels; i++) {
        const struct kernel *k = &flow->kernels[i];
        const struct prepared *p = k->shared;
        text_add(t, "%skernel %d: ", depth ? "inside, " : "", i);
        describe_launch(t, k);
        text_add(t, "\n");
        if (p && p->engine->describe) p->engine->describe(&p->kernel, t);
        bool told = p && p->engine->device && !p->kernel.away; /* its decisions are the nests */
        if (!k->ninside && !told) add_nests(t, k);
        for (int n = 0; n < k->ninside; n++) add_flow(t, k->inside[n].flow, depth + 1);
        text_add(t, "\n");
    }
}

char *explain_program(const ty_program *program) {
    struct text t = {0};
    if (*ty_program_error(program))
        text_add(&t, "%s\n", ty_program_error(program));
    else
        add_flow(&t, &program->flow, 0);
    return text_take(&t);
}
