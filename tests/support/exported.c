/* Exported files in tests; see exported.h. */
#include "tests/support/exported.h"

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array/dtype.h"
#include "tests/support/aligned.h"
#include "tests/support/compare.h"
#include "tests/support/files.h"

enum { ROOM = 1024, ARGUMENTS = 32 };
#define STRICT "-Wall -Wextra -pedantic -Wconversion -Werror"

bool exported_can_run(void) {
    static int state;
    if (!state)
        state =
            system("${CC:-cc} --version >/dev/null 2>&1 && ${CXX:-c++} --version >/dev/null 2>&1") ? -1 : 1;
    if (state < 0) printf("skipped: there are no compilers\n");
    return state > 0 && !test_starving();
}

/* Write the file of entries, which call the functions with arrays of arguments. */
static void write_entries(const char *folder, int n, const ty_export_function *functions, bool apart) {
    FILE *out = fopen(scratch_path(folder, "entries.c"), "w");
    CHECK(out, "entries.c cannot be written");
    fprintf(out, "#include \"m.h\"\nunsigned long state_bytes(void) { return sizeof(m_state); }\n");
    fprintf(out,
            "int begin(void *state, const void *weights, unsigned long bytes) {\n(void)weights, "
            "(void)bytes;\n%s;\n}\n",
            apart ? "return m_begin(state, weights, bytes)" : "return m_begin(state)");
    if (apart)
        fprintf(out,
                "int turn(void *weights, unsigned long bytes) { return m_turn_weights(weights, bytes); }\n");
    for (int i = 0; i < n; i++) {
        int arguments = functions[i].ninputs + functions[i].noutputs;
        fprintf(out, "int run_%d(void *state, void *const *x) {\n(void)x;\nreturn m_%s(state", i,
                functions[i].name);
        for (int k = 0; k < arguments; k++) fprintf(out, ", x[%d]", k);
        fprintf(out, ");\n}\n");
    }
    fclose(out);
}

static void compile(const char *folder, const char *flags, bool second) {
    char command[ROOM];
    const char *file = second ? "m_weights.c" : "";
    snprintf(command, sizeof command,
             "cd %s && ${CC:-cc} %s -shared -fPIC " STRICT " -o m.so entries.c m.c %s -lm", folder,
             flags ? flags : "-std=c99 -O1", file);
    CHECK(!system(command), "%s", command);
    snprintf(command, sizeof command,
             "cd %s && ${CXX:-c++} -x c++ -std=c++11 -fsyntax-only " STRICT " m.c %s", folder, file);
    CHECK(!system(command), "%s", command);
}
static void *address(const struct exported *e, const char *name) {
    void *found = dlsym(e->library, name);
    CHECK(found, "%s is missing", name);
    return found;
}
static void close_library(void *library) { dlclose(library); }

/* Read the file of weights. */
static void *read_weights(const char *path, size_t *bytes) {
    FILE *in = fopen(path, "rb");
    CHECK(in, "%s cannot be read", path);
    fseek(in, 0, SEEK_END);
    *bytes = (size_t)ftell(in);
    rewind(in);
    void *data = test_own(aligned_new(64, *bytes + 1), aligned_free);
    CHECK(fread(data, 1, *bytes, in) == *bytes, "%s is short", path);
    fclose(in);
    return data;
}
static void turn_mark(char *mark) {
    for (int i = 0; i < 4; i++) {
        char byte = mark[i];
        mark[i] = mark[7 - i], mark[7 - i] = byte;
    }
}
/* A file with the mark of the other order of bytes is refused, and turned: twice gives the first numbers. */
static void turn_weights(struct exported *e, int (*start)(void *, const void *, unsigned long),
                         size_t bytes) {
    int (*turn)(void *, unsigned long);
    *(void **)&turn = address(e, "turn");
    for (int i = 0; i < 2; i++) {
        CHECK(turn(e->weights, bytes) == 0, "weights of this machine are refused");
        turn_mark(e->weights);
        CHECK(start(e->state, e->weights, bytes) == -2, "another order of bytes is accepted");
        CHECK(turn(e->weights, bytes - 8) == -1 && turn(NULL, bytes) == -4, "bad weights are turned");
        CHECK(turn(e->weights, bytes) == 0, "weights are not turned");
        int code = start(e->state, e->weights, bytes); /* zeros are the same in both orders */
        CHECK(code == 0 || (i == 0 && code == -3), "turned %d times: %d", i + 1, code);
    }
}
static void begin(struct exported *e, const char *weights) {
    unsigned long (*state_bytes)(void);
    int (*start)(void *, const void *, unsigned long);
    size_t bytes = 0;
    *(void **)&state_bytes = address(e, "state_bytes");
    *(void **)&start = address(e, "begin");
    e->state = test_own(malloc(state_bytes()), free);
    memset(e->state, 0xA5, state_bytes());
    if (weights) e->weights = read_weights(weights, &bytes);
    if (!weights) {
        CHECK(start(e->state, NULL, 0) == 0, "begin failed");
        return;
    }
    CHECK(start(e->state, e->weights, bytes - 8) == -1, "short weights are accepted");
    CHECK(start(e->state, NULL, bytes) == -4, "no weights are accepted");
    CHECK(start(e->state, (char *)e->weights + 4, bytes) == -1, "weights at any address are accepted");
    ((char *)e->weights)[bytes - 20] ^= 1;
    CHECK(start(e->state, e->weights, bytes) == -3, "damaged weights are accepted");
    ((char *)e->weights)[bytes - 20] ^= 1;
    turn_weights(e, start, bytes);
    CHECK(start(e->state, e->weights, bytes) == 0, "begin failed");
}

struct exported *exported_open(int n, const ty_export_function *functions, ty_export_options options,
                               const char *flags) {
    struct exported *e = test_room(sizeof *e);
    e->run = test_room((size_t)n * sizeof *e->run);
    const char *folder = scratch_folder();
    ty_tensor *error = NULL;
    if (options.weights) options.weights = scratch_path(folder, options.weights);
    bool done = ty_export_c(scratch_path(folder, "m.c"), n, functions, options, &e->report, &error);
    CHECK(done, "%s", ty_error(error));
    write_entries(folder, n, functions, options.weights);
    compile(folder, flags, count_files(folder) > 3 + (options.weights != NULL));
    e->library = dlopen(scratch_path(folder, "m.so"),
                        RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE); /* threads of OpenMP stay */
    CHECK(e->library, "%s", dlerror());
    test_own(e->library, close_library);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "run_%d", i);
        *(void **)&e->run[i] = address(e, name);
    }
    begin(e, options.weights);
    return e;
}

void exported_call(struct exported *e, int f, int ninputs, ty_tensor *const *inputs, int noutputs,
                   ty_tensor *const *want, ty_tensor **got, const char *what) {
    void *arguments[ARGUMENTS];
    for (int i = 0; i < ninputs; i++) {
        ty_tensor *x = ty_contiguous(inputs[i]);
        arguments[i] = (void *)(uintptr_t)ty_data(x);
    }
    for (int i = 0; i < noutputs; i++) {
        CHECK_OK(want[i]);
        size_t bytes = (size_t)dtype_bytes(ty_dtype_of(want[i]), ty_size(want[i]));
        arguments[ninputs + i] = test_room(bytes + 1);
    }
    int code = e->run[f](e->state, arguments);
    CHECK(code == 0, "%s returns %d", what, code);
    for (int i = 0; i < noutputs; i++)
        got[i] = CHECK_OK(ty_from(ty_dtype_of(want[i]), ty_rank(want[i]), ty_shape(want[i]),
                                  (const void *)arguments[ninputs + i]));
}

void exported_compare(struct exported *e, int f, int ninputs, ty_tensor *const *inputs, int noutputs,
                      ty_tensor *const *want, const char *what) {
    ty_tensor *got[ARGUMENTS];
    exported_call(e, f, ninputs, inputs, noutputs, want, got, what);
    for (int i = 0; i < noutputs; i++) {
        ty_tensor *dense = ty_contiguous(want[i]);
        size_t bytes = (size_t)dtype_bytes(ty_dtype_of(dense), ty_size(dense));
        CHECK(!bytes || !memcmp(ty_data(got[i]), ty_data(dense), bytes), "%s: output %d differs", what, i);
    }
}

/* ---- many graphs ---- */

static ty_export_function function_of(const struct exported_graph *g, const char *name) {
    return (ty_export_function){.name = name,
                                .ninputs = g->ninputs,
                                .inputs = g->inputs,
                                .noutputs = g->noutputs,
                                .outputs = g->outputs};
}
const char *exported_refusal(const struct exported_graph *g) {
    const ty_export_function f = function_of(g, "run");
    ty_tensor *error = NULL;
    return ty_export_c(scratch_path(scratch_folder(), "m.c"), 1, &f, (ty_export_options){0}, NULL, &error)
               ? ""
               : ty_error(error);
}
/* If the functions cannot be exported together, name all that are refused, and fail. */
static void check_all(int n, const ty_export_function *functions,
                      const struct exported_graph *const *graphs) {
    ty_tensor *error = NULL;
    if (ty_export_c(scratch_path(scratch_folder(), "m.c"), n, functions, (ty_export_options){0}, NULL,
                    &error))
        return;
    for (int i = 0; i < n; i++) {
        const char *why = exported_refusal(graphs[i]);
        if (*why) printf("%s is refused: %s\n", graphs[i]->what, why);
    }
    CHECK(false, "%s", ty_error(error));
}
static void compare_graph(struct exported *e, int f, const struct exported_graph *g) {
    struct test_round round = test_round();
    ty_tensor *values[EXPORTED_MOST], *want[EXPORTED_MOST], *got[EXPORTED_MOST];
    for (int i = 0; i < g->ninputs; i++) values[i] = ty_eval(g->inputs[i]);
    CHECK(ty_eval_all(g->noutputs, g->outputs, want), "%s: %s", g->what, ty_error(want[0]));
    exported_call(e, f, g->ninputs, values, g->noutputs, want, got, g->what);
    for (int i = 0; i < g->noutputs; i++)
        if (g->compare)
            g->compare(g, got[i], want[i]);
        else
            compare_bits(got[i], want[i], "%s", g->what);
    test_round_end(round);
}
void exported_many(int n, const struct exported_graph *graphs, const char *flags) {
    ty_export_function *functions = test_room((size_t)n * sizeof *functions);
    const struct exported_graph **kept = test_room((size_t)n * sizeof *kept);
    char(*names)[16] = test_room((size_t)n * sizeof *names);
    int count = 0;
    for (int i = 0; i < n; i++) {
        const char *why = graphs[i].refused ? exported_refusal(&graphs[i]) : "";
        CHECK(!graphs[i].refused || strstr(why, graphs[i].refused), "%s: \"%s\" instead of %s",
              graphs[i].what, why, graphs[i].refused);
        if (graphs[i].refused) continue;
        snprintf(names[count], sizeof names[count], "f%d", count);
        functions[count] = function_of(&graphs[i], names[count]);
        kept[count++] = &graphs[i];
    }
    if (!count) return;
    check_all(count, functions, kept);
    struct exported *e = exported_open(count, functions, (ty_export_options){0}, flags);
    for (int i = 0; i < count; i++) compare_graph(e, i, kept[i]);
}
