/* The texts of the C file and of its header. */
#include <inttypes.h>
#include <string.h>

#include "array/tensor.h"
#include "base/hash.h"
#include "compile/show/describe.h"
#include "engine/text/source.h"
#include "engine/text/text.h"
#include "export/engine.h"
#include "export/export.h"
#include "export/plain/plain.h"
#include "ops/core/kernel/prepared.h"

/* ---- signatures ---- */

/* Append the parameters of a function, from its opening parenthesis to the closing one. */
static void add_signature(const struct exporting *e, const struct function *f, struct text *t) {
    text_add(t, "int %s_%s(%s_state *state", e->prefix.text, f->name.text, e->prefix.text);
    for (int i = 0; i < f->given->ninputs; i++)
        text_add(t, ", const %s *%s", data_type(f->inputs[i].tensor->dtype), f->inputs[i].name.text);
    for (int i = 0; i < f->given->noutputs; i++)
        text_add(t, ", %s *%s", data_type(f->outputs[i].tensor->dtype), f->outputs[i].name.text);
    text_add(t, ")");
}
static void add_parameters(struct text *t, const char *kind, int n, const struct parameter *p) {
    char words[160];
    for (int i = 0; i < n; i++)
        text_add(t, " * %s %s: %s\n", kind, p[i].name.text, data_form(p[i].tensor, words, sizeof words));
}

/* ---- header ---- */

static void make_header(struct exporting *e) {
    struct text *t = &e->header;
    const char *prefix = e->prefix.text;
    text_add(
        t,
        "/* Written by Tyto %s. Arrays are in row-major order, of the dtypes and shapes in the "
        "comments: f16 and bf16\n"
        "   are passed as their bits, bools as 0 or 1, complex numbers as pairs, numbers for storage as "
        "bytes. Results\n"
        "   must not overlap other arguments. Functions return 0, an error below 0, or the number of the "
        "check of\n"
        "   indices that has refused its operands; then no variable has changed. */\n"
        "#ifndef %s_INCLUDED\n#define %s_INCLUDED\n#include <stddef.h>\n#include <stdint.h>\n\n"
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
        "/* Bytes of intermediate results, and of variables; the state has both. */\n",
        ty_version(), prefix, prefix);
    order_arena(e, t);
    text_add(t, "#define %s_STATE_BYTES %" PRId64 "\n", prefix, e->report.state_bytes);
    checks_sizes(e, t);
    text_add(t,
             "\n/* Owned by the caller; one thread at a time uses a state. */\ntypedef struct %s_state {\n",
             prefix);
    data_members(e, t);
    if (data_apart(e)) text_add(t, "    const char *weights;\n");
    text_add(
        t,
        "    union {\n        double real;\n        uint64_t word;\n        char bytes[%s_ARENA_BYTES];\n"
        "    } arena;\n} %s_state;\n\n",
        prefix, prefix);
    checks_codes(e, t);
    keep_declare(e, t);
    for (int i = 0; i < e->nfunctions; i++) {
        const struct function *f = &e->functions[i];
        text_add(t, "/*\n");
        add_parameters(t, "in ", f->given->ninputs, f->inputs);
        add_parameters(t, "out", f->given->noutputs, f->outputs);
        text_add(t, " */\n");
        add_signature(e, f, t);
        text_add(t, ";\n");
    }
    text_add(t, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

/* ---- C file ---- */

/* Collect the program of each kernel of a flow and of its bodies, each text once. False if memory runs out. */
static bool collect(struct exporting *e, const struct flow *f, struct map *seen) {
    for (int k = 0; k < f->nkernels; k++) {
        const struct kernel *kernel = &f->kernels[k];
        for (int i = 0; i < kernel->ninside; i++)
            if (!collect(e, kernel->inside[i].flow, seen)) return false;
        if (!kernel->shared) continue;
        const struct export_kernel *made = kernel->shared->kernel.prepared;
        bool is_new;
        if (!made->program.nkernels) continue;
        uint64_t key = hash_bytes(made->program.steps, made->program.length);
        if (!map_put(seen, key, e->nprograms, &is_new)) return false;
        if (is_new) e->programs[e->nprograms++] = &made->program;
    }
    return true;
}
static int64_t count_kernels(const struct flow *f) {
    int64_t n = f->nkernels;
    for (int k = 0; k < f->nkernels; k++)
        for (int i = 0; i < f->kernels[k].ninside; i++) n += count_kernels(f->kernels[k].inside[i].flow);
    return n;
}
/* Find the texts of all kernels, each once. */
static bool find_programs(struct exporting *e) {
    int64_t most = 1;
    struct map seen = {0};
    for (int i = 0; i < e->nfunctions; i++) most += count_kernels(&e->functions[i].program->flow);
    e->programs = arena_array(&e->arena, (size_t)most, sizeof *e->programs);
    bool done = e->programs;
    for (int i = 0; i < e->nfunctions && done; i++) done = collect(e, &e->functions[i].program->flow, &seen);
    map_drop(&seen);
    return done || fault_memory(&e->fault, (size_t)most * sizeof *e->programs);
}
/* Find the kernel of a flow that has a step; NULL: none. */
static const struct kernel *find_step(const struct flow *f, const char *step, size_t n) {
    for (int k = 0; k < f->nkernels; k++) {
        const struct kernel *kernel = &f->kernels[k], *inner = NULL;
        const struct export_kernel *made = kernel->shared ? kernel->shared->kernel.prepared : NULL;
        if (made && made->program.nkernels && !strncmp(made->program.kernels[0].name, step, n)) return kernel;
        for (int i = 0; i < kernel->ninside && !inner; i++)
            inner = find_step(kernel->inside[i].flow, step, n);
        if (inner) return inner;
    }
    return NULL;
}
/* Append the description of the kernel that has a step; set *word to its operator. */
static void describe_step(const void *context, const char *step, struct text *comment, const char **word) {
    const struct exporting *e = context;
    const struct kernel *kernel = NULL;
    size_t n = (size_t)(strrchr(step, '_') - step) + 1; /* the hash of all steps of the kernel */
    for (int i = 0; i < e->nfunctions && !kernel; i++)
        kernel = find_step(&e->functions[i].program->flow, step, n);
    if (!kernel) return;
    *word = kernel->op->name;
    describe_launch(comment, kernel);
}
/* C++ spells compound literals otherwise. */
static const char literals[] =
    "#ifdef __cplusplus\ntemplate <class T> struct literal {\ntypedef T type;\n};\n"
    "#define LITERAL(name) literal<name>::type\n#else\n"
    "#define LITERAL(name) (name)\n#endif\n";
/* Append the steps of all kernels, the functions that these call, and the exported functions. */
static bool add_steps(struct exporting *e, const struct text *functions) {
    struct text steps = {0}, tidied = {0};
    const struct plain_names names = {.prefix = e->prefix.text,
                                      .functions = functions,
                                      .header = &e->header,
                                      .describe = describe_step,
                                      .context = e};
    text_add(&tidied, "%s", literals);
    text_add(&steps, "#define STEP static %s_STEP void\n%s", e->prefix.text,
             e->options.openmp ? "#define PARALLEL_ITEMS\n" : "");
    text_join(&steps, e->nprograms, e->programs, &text_c99, true);
    if (e->options.order) text_add_source(&steps, "ops/random/random_epoch.h");
    if (!steps.failed) tidy(&tidied, steps.data);
    bool done = !steps.failed && !tidied.failed && plain_make(&e->file, tidied.data, &names);
    text_drop(&steps);
    text_drop(&tidied);
    return done || fault_memory(&e->fault, 0);
}
/* True if a step computes with complex numbers: GCC 12 joins their parts to a vector, and then loses a rounding to
   float between two doubles. */
static bool uses_pairs(const struct exporting *e) {
    for (int i = 0; i < e->nprograms; i++)
        if (strstr(e->programs[i]->steps, "c64") || strstr(e->programs[i]->steps, "c128")) return true;
    return false;
}
/* Append a use of each parameter that no call has. */
static void add_unused(struct text *t, int n, const struct parameter *p) {
    for (int i = 0; i < n; i++)
        if (!p[i].used) text_add(t, "(void)%s;\n", p[i].name.text);
}
static void add_function(struct exporting *e, const struct function *f) {
    struct routine r = {.flow = &f->program->flow, .plan = &f->program->plan, .function = f};
    struct text calls = {0};
    e->parts.length = 0;
    calls_write(e, &r, &calls);
    order_write(e);
    text_add_bytes(&e->file, e->parts.data, e->parts.length);
    add_signature(e, f, &e->file);
    text_add(&e->file, " {\n");
    checks_arguments(e, f, &e->file);
    if (f->program->plan.arena_bytes) text_add(&e->file, "char *const arena = state->arena.bytes;\n");
    add_unused(&e->file, f->given->ninputs, f->inputs);
    add_unused(&e->file, f->given->noutputs, f->outputs);
    text_add_bytes(&e->file, calls.data, calls.length);
    text_add(&e->file, "return 0;\n}\n");
    e->file.failed = e->file.failed || calls.failed || e->parts.failed;
    text_drop(&calls);
}

/* Append the includes, and words for compilers. */
static void add_head(struct exporting *e, const char *stem) {
    text_add(
        &e->file,
        "/* Written by Tyto %s. */\n#include \"%s.h\"\n#include <string.h>\n"
        "#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \\\n"
        "    (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)\n"
        "#error \"-ffast-math and its parts change results\"\n#endif\n"
        "#if defined(__s390__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)\n"
        "#pragma GCC optimize(\"excess-precision=fast\")\n"
        "#elif (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0 && __FLT_EVAL_METHOD__ != 16) || "
        "\\\n"
        "    (defined(__GNUC__) && defined(__i386__) && !defined(__SSE2_MATH__))\n"
        "#error \"arithmetic rounds twice: use -fexcess-precision=fast, on 32-bit x86 -msse2 -mfpmath=sse\"\n"
        "#endif\n"
        "#if defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Wconversion\"\n"
        "#pragma GCC diagnostic ignored \"-Wsign-conversion\"\n"
        "#pragma GCC diagnostic ignored \"-Wfloat-conversion\"\n"
        "#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n"
        "#pragma GCC diagnostic ignored \"-Wunused-variable\"\n"
        "#pragma GCC diagnostic ignored \"-Wunused-const-variable\"\n"
        "#pragma GCC diagnostic ignored \"-Wunused-function\"\n"
        "#pragma GCC diagnostic ignored \"-Wtautological-compare\"\n#endif\n" /* x != x: it is NaN */
        "#if defined(__clang__)\n#if __has_warning(\"-Wbitwise-instead-of-logical\")\n"
        "#pragma GCC diagnostic ignored \"-Wbitwise-instead-of-logical\"\n#endif\n"
        "#if __has_warning(\"-Wunused-but-set-variable\")\n"
        "#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n#endif\n"
        "#elif defined(__GNUC__)\n#pragma GCC diagnostic ignored \"-Wunused-but-set-variable\"\n#endif\n"
        "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize(\"fp-contract=off\", "
        "\"no-math-errno\", \"no-trapping-math\")\n"
        /* Some steps read numbers that earlier steps have written with other types. */
        "#pragma GCC optimize(\"no-strict-aliasing\")\n%s#endif\n"
        "#if defined(__clang__)\n#define %s_STEP __attribute__((noinline))\n#else\n#define %s_STEP\n#endif\n",
        ty_version(), stem, uses_pairs(e) ? "#pragma GCC optimize(\"no-tree-slp-vectorize\")\n" : "",
        e->prefix.text, e->prefix.text);
}
bool file_make(struct exporting *e, const char *stem) {
    if (!find_programs(e)) return false;
    data_write(e);
    keep_write(e);
    for (int i = 0; i < e->nfunctions; i++) add_function(e, &e->functions[i]);
    make_header(e);
    struct text functions = e->file, *t = &e->file;
    *t = (struct text){0};
    add_head(e, stem);
    bool done = (!functions.failed && !e->header.failed && !e->weights.failed) ||
                fault_memory(&e->fault, functions.length + e->weights.length);
    done = done && add_steps(e, &functions);
    text_drop(&functions);
    e->report.text_bytes = (int64_t)t->length;
    for (size_t i = 0; i < t->length; i++) e->report.lines += t->data[i] == '\n';
    return done;
}
