/* Errors of the C functions, and sizes that a machine must be able to address. */
#include <inttypes.h>

#include "array/tensor.h"
#include "export/export.h"

void checks_codes(const struct exporting *e, struct text *t) {
    const char *prefix = e->prefix.text;
    text_add(t, "/* Errors: nothing has been written then, unless the error says so. */\nenum {\n");
    if (data_apart(e))
        text_add(t,
                 "    %s_WEIGHTS_LENGTH = -1, /* another length, or an address that is no multiple of 16 */\n"
                 "    %s_WEIGHTS_ORDER = -2, /* another order of bytes, or no file of weights */\n"
                 "    %s_WEIGHTS_HASH = -3, /* other bytes than those of this C file */\n",
                 prefix, prefix, prefix);
    if (e->options.saves)
        text_add(t,
                 "    %s_LOAD_FORM = -5, /* bytes that no function of this file has saved */\n"
                 "    %s_LOAD_ORDER = -6, /* another order of bytes */\n"
                 "    %s_LOAD_HASH = -7, /* changed bytes: the variables have their first values again */\n",
                 prefix, prefix, prefix);
    text_add(t, "    %s_NULL = -4 /* an argument is NULL */\n};\n\n", prefix);
}

/* Append a condition for each of n parameters that has elements. */
static void add_conditions(struct text *t, int n, const struct parameter *p) {
    for (int i = 0; i < n; i++)
        if (tensor_bytes(p[i].tensor)) text_add(t, " || !%s", p[i].name.text);
}
void checks_arguments(const struct exporting *e, const struct function *f, struct text *t) {
    text_add(t, "if (!state");
    if (f) add_conditions(t, f->given->ninputs, f->inputs);
    if (f) add_conditions(t, f->given->noutputs, f->outputs);
    text_add(t, ") return %s_NULL;\n", e->prefix.text);
}

static void raise_to(int64_t *most, int64_t bytes) { *most = bytes > *most ? bytes : *most; }
void checks_sizes(const struct exporting *e, struct text *t) {
    int64_t most = e->arena_bytes + e->turned_bytes + e->report.state_bytes;
    for (int i = 0; i < e->nleaves; i++)
        raise_to(&most, e->leaves[i].size * (int64_t)dtype_table[e->leaves[i].dtype].size);
    if (data_apart(e)) raise_to(&most, (int64_t)e->weights.length);
    for (int i = 0; i < e->nfunctions; i++) {
        const struct function *f = &e->functions[i];
        for (int k = 0; k < f->given->ninputs; k++)
            raise_to(&most, (int64_t)tensor_bytes(f->inputs[k].tensor));
        for (int k = 0; k < f->given->noutputs; k++)
            raise_to(&most, (int64_t)tensor_bytes(f->outputs[k].tensor));
    }
    text_add(t,
             "#if PTRDIFF_MAX < %" PRId64 "\n#error \"an array of %s has %" PRId64
             " bytes: too many for this machine\"\n"
             "#endif\n\n",
             most, e->prefix.text, most);
}
