/* ty_export_c: compiles the functions, collects their leaves, and writes the files. */
#include "export/export.h"

#include <string.h>

#include "array/tensor.h"
#include "base/files/file.h"
#include "base/files/folders.h"
#include "base/machine/floating.h"
#include "base/options.h"
#include "base/threads/parallel.h"
#include "export/engine.h"
#include "ops/core/op.h"
#include "ops/core/kernel/prepared.h"

/* ---- checks ---- */

/* Set the stem of the path, the name of the file without folder and end. */
static bool find_stem(const char *path, struct name *stem, struct fault *fault) {
    if (!path) return fault_set(fault, E_ARGUMENT, "export_c: the path is NULL");
    const char *name = folders_name(path);
    size_t n = strlen(name);
    if (n < 3 || strcmp(name + n - 2, ".c") != 0)
        return fault_set(fault, E_ARGUMENT,
                         "export_c: the path is \"%.200s\"; expected a name that ends with .c", path);
    if (n - 2 >= sizeof stem->text)
        return fault_set(fault, E_ARGUMENT,
                         "export_c: the file's name has %zu characters; expected at most %zu", n,
                         sizeof stem->text + 1);
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)name[i] < ' ' || name[i] == '"' || name[i] == '\\')
            return fault_set(fault, E_ARGUMENT,
                             "export_c: the file's name has characters that no #include can have");
    memcpy(stem->text, name, n - 2);
    stem->text[n - 2] = 0;
    return true;
}
/* Check that x is a lazy variable. */
static bool check_variable(const ty_tensor *given, const char *what, const char *function,
                           struct fault *fault) {
    const ty_tensor *x = tensor_of(given);
    if (!ty_ok(x)) return fault_from(fault, "export_c", x->code, ty_error(x));
    return x->op == &op_input ||
           fault_set(fault, E_ARGUMENT, "export_c: %s of %s is no lazy variable (ty_var)", what, function);
}
static bool check_function(const ty_export_function *f, struct fault *fault) {
    if (!name_check(f->name, "a function's name", fault)) return false;
    if (!OPTIONS_UNUSED(f, "export_c: a function", fault)) return false;
    if (f->ninputs < 0 || f->noutputs < 0 || f->nupdates < 0 || (f->ninputs && !f->inputs) ||
        (f->noutputs && !f->outputs) || (f->nupdates && !f->updates))
        return fault_set(fault, E_ARGUMENT, "export_c: %s: an array is NULL, or its size is negative",
                         f->name);
    for (int i = 0; i < f->ninputs; i++)
        if (!check_variable(f->inputs[i], "an input", f->name, fault)) return false;
    for (int i = 0; i < f->ninputs; i++)
        for (int k = 0; k < i; k++)
            if (f->inputs[i] == f->inputs[k])
                return fault_set(fault, E_ARGUMENT, "export_c: inputs %d and %d of %s are one variable", k, i,
                                 f->name);
    for (int u = 0; u < f->nupdates; u++) {
        if (!check_variable(f->updates[u].variable, "an updated variable", f->name, fault)) return false;
        for (int i = 0; i < f->ninputs; i++)
            if (f->inputs[i] == f->updates[u].variable)
                return fault_set(fault, E_ARGUMENT, "export_c: %s updates its input %d", f->name, i);
    }
    return true;
}
/* True if PREFIX_name is a name of the file. */
static bool is_own_name(const char *name) {
    static const char *const own[] = {"begin",        "first",    "state",       "NULL",        "turned",
                                      "turn_weights", "INCLUDED", "ARENA_BYTES", "STATE_BYTES", "save",
                                      "load",         "hash",     "hash_of",     "order",       "STEP"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (!strcmp(name, own[i])) return true;
    if (loops_names(name) || !strncmp(name, "weights_", 8) || !strncmp(name, "WEIGHTS_", 8)) return true;
    if (!strncmp(name, "LOAD_", 5)) return true;
    return !strncmp(name, "w_", 2) || !strncmp(name, "WORD", 4);
}
static bool check_functions(struct exporting *e, const ty_export_function *functions) {
    if (e->nfunctions < 1 || !functions)
        return fault_set(&e->fault, E_ARGUMENT, "export_c: %d functions; expected an array of 1 or more",
                         e->nfunctions);
    for (int i = 0; i < e->nfunctions; i++) {
        if (!check_function(&functions[i], &e->fault)) return false;
        if (is_own_name(functions[i].name))
            return fault_set(&e->fault, E_ARGUMENT,
                             "export_c: the function's name %s is that of a part of the file",
                             functions[i].name);
        for (int k = 0; k < i; k++)
            if (!strcmp(functions[i].name, functions[k].name))
                return fault_set(&e->fault, E_ARGUMENT, "export_c: two functions have the name %s",
                                 functions[i].name);
    }
    return true;
}

/* ---- functions ---- */

/* True if a name begins with PREFIX_w_, like those of the arrays of values. */
static bool is_array_name(const struct exporting *e, const char *name) {
    size_t n = strlen(e->prefix.text);
    return !strncmp(name, e->prefix.text, n) && !strncmp(name + n, "_w_", 3);
}
/* Set the parameters of one kind, whose names differ from the n names in taken. */
static bool name_parameters(struct exporting *e, const ty_export_function *f, bool outputs,
                            struct parameter *to, int n, struct name *taken) {
    int count = outputs ? f->noutputs : f->ninputs;
    ty_tensor *const *x = outputs ? f->outputs : f->inputs;
    const char *const *names = outputs ? f->output_names : f->input_names;
    for (int i = 0; i < count; i++) {
        char other[24];
        to[i].tensor = tensor_of(x[i]);
        text_print(other, sizeof other, outputs && count == 1 ? "y" : "%c%d", outputs ? 'y' : 'x', i);
        if (names && !name_check(names[i], "a parameter's name", &e->fault)) return false;
        name_make(&to[i].name, names ? names[i] : outputs ? NULL : ty_name(x[i]), other, n, taken);
        bool array = is_array_name(e, to[i].name.text);
        if (names && (array || strcmp(to[i].name.text, names[i]) != 0))
            return fault_set(
                &e->fault, E_ARGUMENT,
                "export_c: %s: the name %s is that of another parameter or of a part of the file", f->name,
                names[i]);
        if (array) name_make(&to[i].name, NULL, other, n, taken);
        taken[n++] = to[i].name;
    }
    return true;
}
/* Find for each output the block of which it is the memory: the first output of an OUTPUT block. */
static void find_blocks(struct function *f) {
    const struct flow *flow = &f->program->flow;
    for (int i = 0; i < f->given->noutputs; i++) {
        int block = flow->outputs[i].slot;
        bool first = flow->blocks[block].kind == BLOCK_OUTPUT && f->program->first_output[block] == i + 1;
        f->outputs[i].block = first ? block : -1;
    }
}
/* Compile a function for the engine of exports, by one thread, so that the arena depends on no machine. */
static bool compile(struct exporting *e, struct function *f) {
    const ty_compile_options options = {.updates = f->given->updates, .nupdates = f->given->nupdates};
    bool alone = parallel_alone(true);
    f->program = program_new_by(&export_engine, f->given->noutputs, f->given->outputs, options);
    parallel_alone(alone);
    if (!f->program) return fault_memory(&e->fault, sizeof *f->program);
    if (f->program->broken.set) return fault_copy(&e->fault, &f->program->broken);
    if (f->program->plan.arena_bytes > e->arena_bytes) e->arena_bytes = f->program->plan.arena_bytes;
    return true;
}
static bool make_function(struct exporting *e, struct function *f, const ty_export_function *given) {
    size_t n = (size_t)given->ninputs + (size_t)given->noutputs + NAMES_OWN;
    struct name *taken = arena_array(&e->arena, n, sizeof *taken);
    f->given = given;
    f->inputs = arena_array(&e->arena, n, sizeof *f->inputs);
    f->outputs = arena_array(&e->arena, n, sizeof *f->outputs);
    if (!taken || !f->inputs || !f->outputs) return fault_memory(&e->fault, n * sizeof *f->inputs);
    memcpy(taken, names_own, sizeof names_own);
    text_print(f->name.text, sizeof f->name.text, "%s", given->name);
    if (!compile(e, f) || !name_parameters(e, given, false, f->inputs, NAMES_OWN, taken) ||
        !name_parameters(e, given, true, f->outputs, NAMES_OWN + given->ninputs, taken))
        return false;
    find_blocks(f);
    return true;
}

/* ---- kernels without text ---- */

/* Append the reason why a kernel has no text, unless it is there. */
static void add_reason(struct text *t, const char *reason) {
    if (t->data && strstr(t->data, reason)) return;
    text_add(t, "%s%s", t->length ? "; " : "", reason);
}
/* Append the reasons of all kernels of a flow and of its bodies. */
static void add_reasons(struct text *t, const struct flow *f) {
    for (int k = 0; k < f->nkernels; k++) {
        const struct kernel *kernel = &f->kernels[k];
        for (int i = 0; i < kernel->ninside; i++) add_reasons(t, kernel->inside[i].flow);
        if (!kernel->shared) {
            if (!kernel->ninside) add_reason(t, kernel_table[kernel->kind].name);
            continue;
        }
        const struct export_kernel *made = kernel->shared->kernel.prepared;
        if (made->refusal) add_reason(t, made->refusal);
    }
}
static bool check_texts(struct exporting *e) {
    struct text reasons = {0};
    for (int i = 0; i < e->nfunctions; i++) add_reasons(&reasons, &e->functions[i].program->flow);
    bool good = !reasons.length && !reasons.failed;
    if (reasons.length)
        fault_set(&e->fault, E_UNSUPPORTED, "export_c: kernels without a text in C: %s", reasons.data);
    text_drop(&reasons);
    return good || fault_memory(&e->fault, 0);
}

/* ---- files ---- */

/* A file to write. */
struct target {
    const char *path;
    const struct text *text;
    struct replacement *replacement;
};
/* Write all files, or none unless the last renames fail. */
static bool write_all(struct target *targets, int n, struct fault *fault) {
    bool done = true;
    for (int i = 0; i < n && done; i++) {
        struct target *to = &targets[i];
        to->replacement = replacement_begin(to->path, fault);
        done = to->replacement && replacement_write(to->replacement, to->text->data, to->text->length);
    }
    for (int i = 0; i < n; i++)
        if (targets[i].replacement) done = replacement_end(targets[i].replacement, done) && done;
    return done;
}
static bool write_files(struct exporting *e, const char *path) {
    int stem = (int)strlen(path) - 2;
    size_t room = strlen(path) + 16;
    char *header = arena_alloc(&e->arena, room), *values = arena_alloc(&e->arena, room);
    if (!header || !values) return fault_memory(&e->fault, room);
    text_print(header, room, "%.*s.h", stem, path);
    text_print(values, room, "%.*s_weights.c", stem, path);
    const char *apart = e->options.weights;
    if (apart && (!strcmp(apart, path) || !strcmp(apart, header)))
        return fault_set(&e->fault, E_ARGUMENT,
                         "export_c: the file of weights, %.200s, is one of the C files", apart);
    struct target targets[] = {
        {.path = header, .text = &e->header},
        {.path = path, .text = &e->file},
        {.path = apart ? apart : values, .text = &e->weights},
    };
    return write_all(targets, e->weights.length ? 3 : 2, &e->fault);
}

static bool export(struct exporting *e, const char *path, const ty_export_function *functions) {
    struct name stem;
    if (!find_stem(path, &stem, &e->fault) || !check_functions(e, functions)) return false;
    const char *prefix = e->options.prefix ? e->options.prefix : stem.text;
    if (!name_check(prefix, e->options.prefix ? "the prefix" : "the prefix, the file's name,", &e->fault))
        return false;
    text_print(e->prefix.text, sizeof e->prefix.text, "%s", prefix);
    e->functions = arena_array(&e->arena, (size_t)e->nfunctions, sizeof *e->functions);
    if (!e->functions) return fault_memory(&e->fault, (size_t)e->nfunctions * sizeof *e->functions);
    for (int i = 0; i < e->nfunctions; i++)
        if (!make_function(e, &e->functions[i], &functions[i])) return false;
    e->report.arena_bytes = e->arena_bytes;
    if (!e->arena_bytes) e->arena_bytes = 1;
    return check_texts(e) && data_collect(e) && file_make(e, stem.text) && write_files(e, path);
}

bool ty_export_c_sized(const char *path, int n, const ty_export_function *functions,
                       const ty_export_options *options, size_t size, ty_export_report *report,
                       size_t report_size, ty_tensor **error) {
    FLOATING_DEFAULT;
    struct exporting e = {.nfunctions = n};
    fault_clear(&e.fault);
    if (error) *error = NULL;
    ty_scope *scope = ty_open();
    bool done = OPTIONS_READ(e.options, options, size, &e.fault) && export(&e, path, functions);
    ty_close(scope);
    for (int i = 0; e.functions && i < n; i++)
        if (e.functions[i].program) program_release(e.functions[i].program);
    map_drop(&e.leaf_of);
    arena_drop(&e.arena);
    map_drop(&e.part_of);
    text_drop(&e.parts);
    text_drop(&e.header);
    text_drop(&e.file);
    text_drop(&e.weights);
    if (!done) e.report = (ty_export_report){0};
    options_write(report, report_size, &e.report, sizeof e.report);
    if (!done && error) *error = tensor_fault(&e.fault);
    return done;
}
