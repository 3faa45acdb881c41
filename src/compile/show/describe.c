#include "compile/show/describe.h"
#include <string.h>
#include "array/remote.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_text.h"
#include "control/body.h"

enum { MOST_OPERANDS = 6 }; /* operands listed in a name */

void describe_kernel(struct text *t, const struct kernel *k) {
    int fused = (k->program ? k->program->ninstrs : 0) + (k->prologue ? k->prologue->ninstrs : 0);
    text_add(t, "%s", k->op->name);
    if (kernel_table[k->kind].no_core) fused--;
    if (fused > 0) text_add(t, " + %d", fused);
    int inside = 0;
    for (int i = 0; i < k->ninside; i++) inside += k->inside[i].flow->nkernels;
    if (k->ninside) text_add(t, " of %d kernel%s", inside, inside == 1 ? "" : "s");
}

void describe_block(struct text *t, const struct flow *f, int block) {
    const struct block *b = &f->blocks[block];
    const char *name = *b->name ? b->name : b->leaf && b->leaf->name ? b->leaf->name : "";
    if (*name) {
        text_add_visible(t, name);
        text_add(t, "%s", b->kind == BLOCK_UPDATE ? "'" : "");
    } else if (b->kind == BLOCK_CONSTANT && b->size == 1 && tensor_known(b->leaf))
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

/* Append dtype and shape of n operands to t, at most MOST_OPERANDS of them, then their number. */
static void add_operands(struct text *t, int n, const struct operand *operands) {
    for (int i = 0; i < n && i < MOST_OPERANDS; i++) {
        text_add(t, i ? ", " : " ");
        describe_operand(t, &operands[i]);
    }
    if (n > MOST_OPERANDS) text_add(t, ", ... (%d)", n);
}

void describe_launch(struct text *t, const struct kernel *k) {
    describe_kernel(t, k);
    add_operands(t, k->ninputs, k->inputs);
    text_add(t, " ->");
    add_operands(t, k->noutputs, k->outputs);
}

/* Append the operator's description of its attributes to t, if any. Inference is given operands with the
   kernel's dtypes and shapes. */
void describe_attributes(struct text *t, const struct kernel *k) {
    if (!(k->op->describe || k->op->attributes) || !k->attr) return;
    size_t n = (size_t)k->ncore;
    ty_tensor *forms = mem_array(n + 1, sizeof *forms), **inputs = mem_array(n + 1, sizeof *inputs);
    struct fault fault = {0};
    struct infer in = {.op = k->op,
                       .attr = k->attr,
                       .attr_bytes = k->attr_bytes,
                       .ninputs = k->ncore,
                       .inputs = inputs,
                       .fault = &fault};
    t->failed |= !forms || !inputs;
    for (size_t i = 0; i < n && !t->failed; i++) {
        forms[i] = (ty_tensor){.dtype = k->inputs[i].dtype, .layout = k->inputs[i].layout};
        inputs[i] = &forms[i];
    }
    if (!t->failed) attributes_text(&in, t);
    mem_free(forms);
    mem_free(inputs);
}

void describe_program(struct text *t, const struct program *program) {
    for (int i = 0; i < program->ninstrs; i++) {
        const struct instr *instr = &program->instrs[i];
        text_add(t, "%%%d = %s", program->ninputs + i, instr->op->name);
        for (int j = 0; j < instr->op->arity; j++) text_add(t, " %%%d", instr->src[j]);
        text_add(t, " %s; ", ty_dtype_name(instr->out));
    }
    text_add(t, "->");
    for (int i = 0; i < program->noutputs; i++) text_add(t, " %%%d", program->outputs[i]);
}

/* ---- phases ---- */

const char *const phase_names[] = {"", "forward", "backward", "update"};

/* Set the phase, in phases[], of those kernels before `before` that write elements of x and have no phase (0)
   yet. */
static void mark(const struct flow *f, const struct operand *x, int before, enum phase phase,
                 unsigned char *phases) {
    for (int w = flow_next_writer(f, x, -1, before); w >= 0; w = flow_next_writer(f, x, w, before))
        if (!phases[w]) phases[w] = (unsigned char)phase;
}

void describe_phases(const struct flow *f, unsigned char *phases) {
    int n = f->nkernels;
    if (!f->nupdates) return;
    for (int i = 0; i < f->noutputs; i++) mark(f, &f->outputs[i], n, PHASE_FORWARD, phases);
    for (int k = n - 1; k >= 0; k--)
        for (int i = 0; i < f->kernels[k].ninputs && phases[k]; i++)
            mark(f, &f->kernels[k].inputs[i], k, PHASE_FORWARD, phases);
    for (int k = 0; k < n; k++)
        if (!phases[k])
            phases[k] = (unsigned char)(kernel_updates(f, &f->kernels[k]) ? PHASE_UPDATE : PHASE_BACKWARD);
}

/* ---- colours and escapes ---- */

/* Append a colour for `number` to t, as "#rrggbb". Hues advance by the golden angle; `lightness` is in
   percent. Colours are numeric, as some drawing programs accept nothing else. */
void describe_colour(struct text *t, int number, int lightness) {
    double hue = (double)((long long)number * 137508 % 360000) / 60000, light = lightness / 100.0;
    double chroma = 0.65 * (light < 0.5 ? 2 * light : 2 - 2 * light), least = light - chroma / 2;
    text_add(t, "#");
    for (int channel = 0; channel < 3; channel++) { /* red is at hue 0, green at 2, blue at 4 */
        double away = hue - 2 * channel;
        if (away > 3) away -= 6;
        if (away < -3) away += 6;
        if (away < 0) away = -away;
        double part = away <= 1 ? 1 : away >= 2 ? 0 : 2 - away;
        text_add(t, "%02x", (unsigned)(255 * (least + chroma * part) + 0.5));
    }
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

void describe_json(struct text *t, const char *words) {
    text_add(t, "\"");
    for (size_t n = strlen(words), length; n; words += length, n -= length) {
        length = *words == '\n' ? 1 : text_visible(words, n);
        if (length)
            json_add_character(t, words, length);
        else
            text_add(t, "\\\\x%02x", (unsigned char)*words);
        length += !length;
    }
    text_add(t, "\"");
}

void describe_json_text(struct text *t, struct text *words) {
    text_add(words, "%s", "");
    char *taken = text_take(words);
    describe_json(t, taken ? taken : "");
    t->failed |= !taken;
    mem_free(taken);
}
