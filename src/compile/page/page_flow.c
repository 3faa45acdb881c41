/* Kernels, blocks and memory regions as JSON. Rows are arrays, as objects would repeat their keys. */
#include "base/alloc.h"
#include "compile/page/page.h"
#include "compile/show/describe.h"
#include "compile/watch/profile.h"
#include "ops/core/kernel/prepared.h"

/* Append the offset and strides of an operand as a JSON string. */
static void add_layout(struct text *t, const struct operand *o) {
    struct text words = {0};
    text_add(&words, "at %lld, strides", (long long)o->layout.offset);
    for (int i = 0; i < o->layout.rank; i++)
        text_add(&words, i ? ",%lld" : " %lld", (long long)o->layout.strides[i]);
    describe_json_text(t, &words);
}

/* Append operand o as [block, "f32[2,3]", [writers before kernel `reader`], layout if it is not the whole
   block]. */
static void add_operand(struct text *t, const struct flow *f, const struct operand *o, int reader) {
    text_add(t, "[%d,\"", o->slot);
    describe_operand(t, o);
    text_add(t, "\",[");
    int count = 0;
    for (int w = flow_next_writer(f, o, -1, reader); w >= 0; w = flow_next_writer(f, o, w, reader))
        text_add(t, count++ ? ",%d" : "%d", w);
    text_add(t, "]");
    if (!operand_is_whole(f, o)) text_add(t, ",");
    if (!operand_is_whole(f, o)) add_layout(t, o);
    text_add(t, "]");
}

/* Append a JSON member `name`, the list of n operands that kernel number `reader` uses. */
static void add_operands(struct text *t, const struct flow *f, const char *name, int n,
                         const struct operand *operands, int reader) {
    text_add(t, ",\"%s\":[", name);
    for (int i = 0; i < n && !t->failed; i++) {
        if (i) text_add(t, ",");
        add_operand(t, f, &operands[i], reader);
    }
    text_add(t, "]");
}

/* Append a JSON member `name` with the words that `describe` writes about k; nothing if there are none. */
static void add_words(struct text *t, const char *name,
                      void (*describe)(struct text *, const struct kernel *), const struct kernel *k) {
    struct text words = {0};
    describe(&words, k);
    if (!words.length && !words.failed) return;
    text_add(t, ",\"%s\":", name);
    describe_json_text(t, &words);
}

static void prologue_of(struct text *t, const struct kernel *k) {
    if (k->prologue) describe_program(t, k->prologue);
}
static void program_of_kernel(struct text *t, const struct kernel *k) {
    if (k->program) describe_program(t, k->program);
}

/* Append the number of launches of kernels equal to k in the page's profile, and their mean time in
   milliseconds; nothing if it has none. */
static void add_time(struct text *t, struct page *page, const struct kernel *k) {
    struct text words = {0};
    if (!page->profile) return;
    describe_launch(&words, k);
    char *name = text_take(&words);
    t->failed |= !name;
    const int64_t *row = name ? map_find(&page->rows, profile_key(name)) : NULL;
    mem_free(name);
    if (!row) return;
    ty_profile_row r;
    ty_profile_at(page->profile, (int)*row, &r);
    text_add(t, ",\"calls\":%lld,\"ms\":%.6g", (long long)r.calls, r.calls ? r.ms / (double)r.calls : 0);
}

/* Append the index of k's description by its engine in the page's list, and on first use the description to
   the list. */
static void add_plan(struct text *t, struct page *page, const struct kernel *k) {
    struct text words = {0};
    bool is_new;
    if (!k->shared || !k->shared->engine->describe) return;
    const int64_t *known = map_find(&page->plan_of, map_key(k->shared));
    if (known) {
        if (*known >= 0) text_add(t, ",\"plan\":%d", (int)*known);
        return;
    }
    k->shared->engine->describe(&k->shared->kernel, &words);
    bool tells = words.length || words.failed;
    t->failed |= !map_put(&page->plan_of, map_key(k->shared), tells ? page->nplans : -1, &is_new);
    if (!tells) return;
    text_add(&page->plans, page->nplans ? ",\n" : "");
    describe_json_text(&page->plans, &words);
    text_add(t, ",\"plan\":%d", page->nplans++);
}

/* Append the bytes and flops of kernel k, and its workspace, kept memory and threads if it has any. */
static void add_numbers(struct text *t, const struct kernel *k) {
    struct work work = profile_work(k);
    text_add(t, ",\"bytes\":%.0f,\"flops\":%.0f", work.bytes, work.flops);
    if (k->workspace) text_add(t, ",\"workspace\":%lld", (long long)k->workspace);
    if (k->kept) text_add(t, ",\"kept\":%lld", (long long)k->kept);
    if (k->kept && !k->keeps) text_add(t, ",\"shares\":true");
    if (k->width > 1) text_add(t, ",\"threads\":%d", k->width);
}

/* Append where kernel k was recorded, and why it runs apart from the writer of an operand, if these are known. */
static void add_origin(struct text *t, const struct flow *f, const struct kernel *k) {
    const struct location *p = &k->location;
    struct text words = {0};
    if (p->layer) text_add(t, ",\"layer\":");
    if (p->layer) describe_json(t, p->layer);
    if (p->file) text_add(t, ",\"line\":%d,\"file\":", p->line);
    if (p->file) describe_json(t, p->file);
    if (!k->apart) return;
    describe_block(&words, f, k->apart_from);
    text_add(t, ",\"apart\":[");
    describe_json_text(t, &words);
    text_add(t, ",");
    describe_json(t, k->apart);
    text_add(t, "]");
}

/* Append kernel `number` as a JSON object: name, operands, numbers and the flows inside it. */
static void add_kernel(struct text *t, const struct flow *f, int number, enum phase phase,
                       struct page *page) {
    const struct kernel *k = &f->kernels[number];
    text_add(t, "%s{\"op\":\"%s\",\"kind\":\"%s\",\"core\":%d", number ? ",\n" : "", k->op->name,
             kernel_kind_name(k->kind), k->ncore);
    add_words(t, "name", describe_kernel, k);
    add_operands(t, f, "in", k->ninputs, k->inputs, number);
    add_operands(t, f, "out", k->noutputs, k->outputs, 0);
    add_words(t, "attributes", describe_attributes, k);
    add_words(t, "prologue", prologue_of, k);
    add_words(t, "program", program_of_kernel, k);
    add_numbers(t, k);
    add_plan(t, page, k);
    add_time(t, page, k);
    if (phase) text_add(t, ",\"phase\":\"%s\"", phase_names[phase]);
    add_origin(t, f, k);
    if (k->ninside) text_add(t, ",\"inside\":[");
    for (int i = 0; i < k->ninside && !t->failed; i++) {
        if (i) text_add(t, ",");
        page_flow(t, k->inside[i].flow, k->inside[i].plan, page);
    }
    text_add(t, k->ninside ? "]}" : "}");
}

/* Append block b as [kind, name, bytes, region, first kernel, last kernel]. */
static void add_block(struct text *t, const struct flow *f, const struct memory_plan *plan, int b) {
    static const char *const kinds[BLOCK_KINDS] = {"variable", "constant", "arena",
                                                   "output",   "update",   "kept"};
    struct text words = {0};
    const struct block *block = &f->blocks[b];
    int first = block->writer, last = block->writer;
    if (f->write_start && f->write_start[b] < f->write_start[b + 1])
        first = f->write_kernel[f->write_start[b]];
    for (int u = f->use_start[b]; u < f->use_start[b + 1]; u++) {
        if (first < 0 || f->use_kernel[u] < first) first = f->use_kernel[u];
        if (f->use_kernel[u] > last) last = f->use_kernel[u];
    }
    text_add(t, "%s[\"%s\",", b ? ",\n" : "", kinds[block->kind]);
    describe_block(&words, f, b);
    describe_json_text(t, &words);
    text_add(t, ",%lld,%d,%d,%d]", (long long)block->bytes, plan->of_block ? plan->of_block[b] : -1, first,
             last);
}

void page_flow(struct text *t, const struct flow *f, const struct memory_plan *plan, struct page *page) {
    unsigned char *phases = mem_array((size_t)f->nkernels + 1, 1);
    t->failed |= !phases;
    if (phases) describe_phases(f, phases);
    text_add(t, "{\"arena\":%lld,\"live\":%lld,\n\"kernels\":[", (long long)plan->arena_bytes,
             (long long)plan->live_bound);
    for (int k = 0; k < f->nkernels && !t->failed; k++) add_kernel(t, f, k, (enum phase)phases[k], page);
    text_add(t, "],\n\"blocks\":[");
    for (int b = 0; b < f->nblocks && !t->failed; b++) add_block(t, f, plan, b);
    text_add(t, "],\n\"regions\":[");
    for (int i = 0; i < plan->nregions && !t->failed; i++) {
        const struct region *r = &plan->regions[i];
        text_add(t, "%s[%d,%d,%lld,%lld,%d]", i ? "," : "", r->first, r->last, (long long)r->bytes,
                 (long long)r->offset, r->block);
    }
    text_add(t, "],\n\"outputs\":[");
    for (int i = 0; i < f->noutputs && !t->failed; i++) {
        if (i) text_add(t, ",");
        add_operand(t, f, &f->outputs[i], f->nkernels);
    }
    text_add(t, "]}");
    mem_free(phases);
}
