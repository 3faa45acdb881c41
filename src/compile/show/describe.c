#include "compile/show/describe.h"
#include <string.h>
#include "base/alloc.h"
#include "base/bytes.h"
#include "control/body.h"

void describe_kernel(struct text *t, const struct kernel *k) {
    int fused = (k->program ? k->program->ninstrs : 0) + (k->prologue ? k->prologue->ninstrs : 0);
    text_add(t, "%s", k->op->name);
    if (k->kind == KERNEL_MAP) fused--;
    if (fused > 0) text_add(t, " + %d", fused);
    int inside = 0;
    for (int i = 0; i < k->ninside; i++) inside += k->inside[i].flow->nkernels;
    if (k->ninside) text_add(t, " of %d kernel%s", inside, inside == 1 ? "" : "s");
}

void describe_block(struct text *t, const struct flow *f, int block) {
    const struct block *b = &f->blocks[block];
    if (*b->name) {
        text_add_visible(t, b->name);
        text_add(t, "%s", b->kind == BLOCK_UPDATE ? "'" : "");
    } else if (b->kind == BLOCK_CONSTANT && b->size == 1)
        text_add(t, "%.7g", element_number(b->dtype, element_load(b->dtype, tensor_data(b->leaf))));
    else if (b->leaf && is_parameter(b->leaf))
        text_add(t, "p%lld", (long long)parameter_number(b->leaf));
    else
        text_add(t, "%s%d", b->kind == BLOCK_VARIABLE ? "v" : b->kind == BLOCK_CONSTANT ? "c" : "b", block);
}

void describe_operand(struct text *t, const struct operand *o) {
    text_add(t, "%s[", ty_dtype_name(o->dtype));
    for (int i = 0; i < o->layout.rank; i++) text_add(t, i ? ",%lld" : "%lld", (long long)o->layout.shape[i]);
    text_add(t, "]");
    if (!o->guard) return;
    for (int i = 0; i < o->layout.rank; i++) {
        text_add(t, i ? ", " : " in [");
        if (o->guard->low[i]) text_add(t, "%lld", (long long)o->guard->low[i]);
        text_add(t, ":");
        if (o->guard->high[i] != o->layout.shape[i]) text_add(t, "%lld", (long long)o->guard->high[i]);
    }
    text_add(t, "]");
}

void describe_bytes(struct text *t, int64_t bytes) {
    char words[BYTES_WORDS];
    text_add(t, "%s", bytes_words(words, (uint64_t)bytes));
}

void describe_xml(struct text *t, const char *words) {
    for (; *words; words++) {
        const char *escaped = *words == '<'   ? "&lt;"
                              : *words == '>' ? "&gt;"
                              : *words == '&' ? "&amp;"
                              : *words == '"' ? "&quot;"
                                              : NULL;
        if (escaped)
            text_add(t, "%s", escaped);
        else
            text_add_bytes(t, words, 1);
    }
}
