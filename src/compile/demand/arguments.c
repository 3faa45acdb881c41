#include "compile/demand/arguments.h"
#include <string.h>
#include "base/map.h"
#include "ops/core/op.h"

ty_tensor *argument_new(const ty_tensor *leaf) {
    ty_tensor *x = tensor_new(leaf->dtype, leaf->layout.rank, 0, 0);
    if (!x) return NULL;
    memcpy(x->layout.shape, leaf->layout.shape, 2 * sizeof(int64_t) * (size_t)leaf->layout.rank);
    x->op = &op_input;
    x->promise = true;
    x->place = leaf->place;
    if (!leaf->name || ty_ok(ty_named(x, leaf->name))) return x;
    tensor_free_one_reference(x);
    return NULL;
}

bool arguments_number(struct ty_program *program, int n, ty_tensor *const *arguments, struct fault *fault) {
    struct map numbers = {0};
    bool fits = true;
    for (int i = 0; i < n && fits; i++) fits = map_put(&numbers, map_key(arguments[i]), i, NULL);
    for (int b = 0; b < program->flow.nblocks && fits; b++) {
        struct block *block = &program->flow.blocks[b];
        const int64_t *argument =
            block->kind == BLOCK_VARIABLE ? map_find(&numbers, map_key(block->leaf)) : NULL;
        if (argument) block->argument = (int)*argument;
    }
    map_drop(&numbers);
    return fits || fault_memory(fault, sizeof numbers);
}
