/* Names of exported files are made or refused; refused exports leave nothing behind, and bad arguments have errors. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <tyto/nn.h>

#include "base/alloc.h"
#include "export/export.h"
#include "tests/support/comma_locale.h"
#include "tests/support/exported.h"
#include "tests/support/files.h"
#include "tests/support/samples/sample.h"

/* Fail unless the export is refused with words, and leaves no file in an empty folder. */
static void refused(const char *file, const ty_export_function *f, int n, ty_export_options options,
                    const char *words) {
    const char *folder = scratch_folder();
    ty_tensor *error = NULL;
    bool done = ty_export_c(scratch_path(folder, file), n, f, options, NULL, &error);
    CHECK(!done && error, "%s: not refused", words);
    CHECK(test_starving() || strstr(ty_error(error), words), "\"%s\" instead of %s", ty_error(error), words);
    CHECK(count_files(folder) == 0, "%s: files are left", words);
}
static void refuses_names(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"), *y = ty_exp(x);
    const ty_export_function usual = {
        .name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    static const char *const bad[] = {"while", "a b",
                                      "",      "1a",
                                      "a*/",   "a\n",
                                      "_a",    "n\xc3\xa4me",
                                      "class", "a_name_that_is_longer_than_names_may_be"};
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++) {
        ty_export_function f = usual;
        f.name = bad[i];
        refused("m.c", &f, 1, (ty_export_options){0}, "a function's name is");
        refused("m.c", &usual, 1, (ty_export_options){.prefix = bad[i]}, "the prefix");
        f = usual, f.input_names = &bad[i];
        refused("m.c", &f, 1, (ty_export_options){0}, "a parameter's name is");
    }
    ty_export_function twice[] = {usual, usual}, begins = usual;
    refused("m.c", twice, 2, (ty_export_options){0}, "two functions");
    static const char *const own[] = {"begin", "state",         "INCLUDED", "ARENA_BYTES",
                                      "w_x",   "weights_check", "LOAD_HASH"};
    for (int i = 0; i < (int)(sizeof own / sizeof *own); i++) {
        begins.name = own[i];
        refused("m.c", &begins, 1, (ty_export_options){0}, "part of the file");
    }
    begins = usual, begins.ninputs = 2, begins.inputs = (ty_tensor *[]){x, x};
    refused("m.c", &begins, 1, (ty_export_options){0}, "one variable");
    begins = usual, begins.output_names = (const char *const[]){"x"};
    refused("m.c", &begins, 1, (ty_export_options){0}, "that of another parameter");
    begins.output_names = (const char *const[]){"m_w_x"};
    refused("m.c", &begins, 1, (ty_export_options){0}, "a part of the file");
    refused("m.txt", &usual, 1, (ty_export_options){0}, "ends with .c");
    refused("1m.c", &usual, 1, (ty_export_options){0}, "the prefix, the file's name, is \"1m\"");
    refused("none/m.c", &usual, 1, (ty_export_options){0}, "none/m");
    refused("m.c", &usual, 1, (ty_export_options){.weights = "/nonexistent/w.bin"}, "/nonexistent/w.bin");
    refused("m.c", &usual, 0, (ty_export_options){0}, "0 functions");
}
/* Names of variables are any text; parameters' names are derived from it. */
static void makes_names(void) {
    if (!exported_can_run()) return;
    ty_tensor *x[] = {ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "*/ m_w_constant"),
                      ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "int"),
                      ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "\xc3\xa4\n"),
                      ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "state")};
    ty_tensor *y = ty_add(ty_mul(x[0], x[1]), ty_mul(ty_sub(x[2], x[3]), ty_num(3))), *values[4], *want;
    const ty_export_function f = {.name = "run", .ninputs = 4, .inputs = x, .noutputs = 1, .outputs = &y};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, NULL);
    for (int i = 0; i < 4; i++) {
        values[i] = sample_shape(TY_F32, 1, (int64_t[]){4}, -2, 2);
        ty_assign(x[i], values[i], NULL);
    }
    want = ty_eval(y);
    exported_compare(e, 0, 4, values, 1, &want, "names");
}
/* Names of variables that the file also has; a parameter that no call uses, and a variable without elements. */
static void keeps_names_apart(void) {
    if (!exported_can_run()) return;
    ty_tensor *four = ty_zeros(TY_F32, 1, (int64_t[]){4}), *none = ty_zeros(TY_F32, 1, (int64_t[]){0});
    ty_tensor *x[] = {ty_var(four, "MEMORY"), ty_var(four, "NULL"), ty_var(four, "memcpy")};
    ty_tensor *v[] = {ty_var(four, "arena"), ty_var(four, "weights"), ty_var(four, "STEP")};
    ty_tensor *y[] = {ty_add(x[0], ty_exp(x[1])), ty_sum(ty_var(none, "empty"), TY_ALL), v[0]}, *want[3];
    ty_update updates[3];
    for (int i = 0; i < 3; i++) updates[i] = (ty_update){v[i], ty_add(v[i], x[0])};
    for (int n = 0; n <= 3; n += 3) {
        const ty_export_function f = {.name = "run",
                                      .ninputs = 3,
                                      .inputs = x,
                                      .noutputs = n ? 3 : 2,
                                      .outputs = y,
                                      .nupdates = n,
                                      .updates = updates};
        struct exported *e = exported_open(1, &f, (ty_export_options){.weights = n ? "m.bin" : NULL}, NULL);
        CHECK(ty_eval_all(f.noutputs, y, want), "no values");
        exported_compare(e, 0, 3, (ty_tensor *[]){four, four, four}, f.noutputs, want, "names of the file");
    }
}
/* Variables with the names of types become other parameters and members. */
static void keeps_types(void) {
    if (!exported_can_run()) return;
    ty_tensor *four = ty_zeros(TY_I64, TY_SHAPE(4)), *one = ty_scalar(TY_I64, 1), *want;
    ty_tensor *x[] = {ty_var(four, "int64_t"), ty_var(four, "uint8_t")}, *v = ty_var(four, "uint64_t");
    ty_tensor *y = ty_add(ty_add(x[0], x[1]), v);
    const ty_update update = {v, ty_add(v, one)};
    const ty_export_function f = {.name = "run",
                                  .ninputs = 2,
                                  .inputs = x,
                                  .noutputs = 1,
                                  .outputs = &y,
                                  .nupdates = 1,
                                  .updates = &update};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, NULL);
    want = ty_eval(y);
    exported_compare(e, 0, 2, (ty_tensor *[]){four, four}, 1, &want, "names of types");
}
static int count_saved(void *total, const void *data, size_t bytes) {
    (void)data;
    *(size_t *)total += bytes;
    return 0;
}
/* A variable without elements has a member, which is not saved. */
static void saves_elements(void) {
    if (!exported_can_run()) return;
    ty_tensor *v = ty_var(ty_zeros(TY_F32, TY_SHAPE(0)), "empty"),
              *w = ty_var(ty_ones(TY_F32, TY_SHAPE(3)), "w");
    ty_tensor *y = ty_sum(w, TY_ALL);
    const ty_update updates[] = {{v, ty_exp(v)}, {w, ty_exp(w)}};
    const ty_export_function f = {
        .name = "run", .noutputs = 1, .outputs = &y, .nupdates = 2, .updates = updates};
    struct exported *e = exported_open(1, &f, (ty_export_options){.saves = true}, NULL);
    int (*save)(const void *, int (*)(void *, const void *, size_t), void *);
    size_t total = 0;
    *(void **)&save = dlsym(e->library, "m_save");
    CHECK(save && save(e->state, count_saved, &total) == 0, "not saved");
    CHECK(total == 32 + 12 && e->report.state_bytes == 12, "%zu bytes are saved", total);
}
static void refuses_one_path(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"), *y = ty_exp(x), *error = NULL;
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    const char *path = scratch_path(scratch_folder(), "m.c");
    CHECK(!ty_export_c(path, 1, &f, (ty_export_options){.weights = path}, NULL, &error), "not refused");
    CHECK(test_starving() || strstr(ty_error(error), "one of the C files"), "%s", ty_error(error));
}
/* Folders that have the names of the files: the export leaves no other file. */
static void refuses_folders(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"), *error = NULL;
    ty_tensor *y = ty_mul(x, ty_from(TY_F32, 1, (int64_t[]){4}, (float[]){1, 2, 3, 4}));
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    static const char *const names[] = {"m.c", "m.h", "w"};
    for (int i = 0; i < 3; i++) {
        const char *folder = scratch_folder(), *path = scratch_path(folder, "m.c");
        const ty_export_options options = {.weights = scratch_path(folder, "w")};
        CHECK(!mkdir(scratch_path(folder, names[i]), 0700), "no folder");
        CHECK(!ty_export_c(path, 1, &f, options, NULL, &error), "%s: not refused", names[i]);
        CHECK(count_files(folder) == 1, "%s: files are left", names[i]);
        rmdir(scratch_path(folder, names[i]));
    }
}
/* Compilers that would change results refuse the file. */
static void refuses_flags(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"), *y = ty_exp(x), *error = NULL;
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    static const char *const flags[] = {"-O1", "-ffast-math", "-ffinite-math-only",
                                        "-U__FLT_EVAL_METHOD__ -D__FLT_EVAL_METHOD__=2"};
    const char *path = scratch_path(scratch_folder(), "m.c");
    CHECK(ty_export_c(path, 1, &f, (ty_export_options){0}, NULL, &error), "%s", ty_error(error));
    for (int i = 0; i < (int)(sizeof flags / sizeof *flags); i++) {
        char command[1024];
        snprintf(command, sizeof command, "${CC:-cc} -std=c99 %s -fsyntax-only %s 2>/dev/null", flags[i],
                 path);
        CHECK((system(command) == 0) == (i == 0), "%s", command);
    }
}
/* A step that refuses an index returns its number, and changes no variable. */
static void refuses_indices(void) {
    if (!exported_can_run()) return;
    float rows[6] = {1, 2, 3, 4, 5, 6}, y[4];
    int64_t first[2] = {2, 0}, second[2] = {1, 0};
    ty_tensor *v = ty_var(ty_from(TY_F32, 2, (int64_t[]){3, 2}, rows), "v");
    ty_tensor *u = ty_var(ty_from(TY_F32, 2, (int64_t[]){3, 2}, rows), "u");
    ty_tensor *x[] = {ty_var(ty_zeros(TY_I64, 1, (int64_t[]){2}), "first"),
                      ty_var(ty_zeros(TY_I64, 1, (int64_t[]){2}), "second")};
    ty_tensor *out = ty_add(ty_take(v, x[0], 0), ty_take(ty_exp(u), x[1], 0));
    const ty_update updates[] = {{v, ty_add(v, ty_num(1))}, {u, ty_mul(u, v)}};
    const ty_export_function f = {.name = "step",
                                  .ninputs = 2,
                                  .inputs = x,
                                  .noutputs = 1,
                                  .outputs = &out,
                                  .nupdates = 2,
                                  .updates = updates};
    struct exported *e = exported_open(1, &f, (ty_export_options){0}, "-std=c99 -O2");
    size_t bytes = (size_t)e->report.state_bytes;
    char *before = memcpy(test_room(bytes), e->state, bytes);
    void *arguments[] = {first, second, y};
    for (int i = 0; i < 2; i++) {
        (i ? second : first)[0] = 3;
        CHECK(e->run[0](e->state, arguments) > 0, "index %d is not refused", i);
        CHECK(!memcmp(before, e->state, bytes), "variables have changed");
        (i ? second : first)[0] = 1;
    }
    CHECK(e->run[0](e->state, arguments) == 0, "good indices are refused");
    CHECK(memcmp(before, e->state, bytes) != 0, "variables have not changed");
}
/* NULL for any argument is an error by name, and nothing is written.  No address is computed from NULL, which the
   compiler's checks would trap. */
static void refuses_null(void) {
    if (!exported_can_run()) return;
    float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
    ty_tensor *in = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){4}), "x"),
              *v = ty_var(ty_ones(TY_F32, 0, NULL), "v");
    ty_tensor *out = ty_add(ty_mul(in, v), ty_mul(ty_sum(ty_exp(in), TY_ALL), ty_num(0)));
    const ty_update next = {v, ty_add(v, ty_num(1))};
    const ty_export_function f = {.name = "run",
                                  .ninputs = 1,
                                  .inputs = &in,
                                  .noutputs = 1,
                                  .outputs = &out,
                                  .nupdates = 1,
                                  .updates = &next};
    struct exported *e = exported_open(1, &f, (ty_export_options){0},
                                       "-std=c99 -O1 -fsanitize=null -fsanitize-undefined-trap-on-error");
    size_t bytes = (size_t)e->report.state_bytes;
    char *before = memcpy(test_room(bytes), e->state, bytes);
    CHECK(e->report.arena_bytes > 0, "no arena");
    CHECK(e->run[0](NULL, (void *[]){x, y}) == -4, "no state is accepted");
    CHECK(e->run[0](e->state, (void *[]){NULL, y}) == -4, "no input is accepted");
    CHECK(e->run[0](e->state, (void *[]){x, NULL}) == -4, "no room for a result is accepted");
    CHECK(!memcmp(before, e->state, bytes) && y[0] == 5 && y[3] == 8, "something was written");
    CHECK(e->run[0](e->state, (void *[]){x, y}) == 0 && y[3] == 4, "good arguments are refused");
}
/* Machines whose addresses are too short for an array do not compile the file. */
static void refuses_small_machines(void) {
    if (!exported_can_run()) return;
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 1, (int64_t[]){100}), "x"), *y = ty_exp(x), *error = NULL;
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 1, .outputs = &y};
    const char *folder = scratch_folder();
    CHECK(ty_export_c(scratch_path(folder, "m.c"), 1, &f, (ty_export_options){0}, NULL, &error), "%s",
          ty_error(error));
    for (int most = 399; most <= 400; most++) {
        char command[1024];
        snprintf(command, sizeof command,
                 "cd %s && printf '#include <stdint.h>\\n#undef PTRDIFF_MAX\\n#define PTRDIFF_MAX %d\\n"
                 "#include \"m.c\"\\n' >small.c && ${CC:-cc} -std=c99 -fsyntax-only small.c 2>/dev/null",
                 folder, most);
        CHECK((system(command) == 0) == (most == 400), "%s", command);
    }
}
/* All kernels without a text are named at once. */
static void refuses_kernels(void) {
    ty_tensor *x = ty_var(ty_zeros(TY_F32, 2, (int64_t[]){4, 4}), "x");
    ty_tensor *y[] = {ty_expm(x), ty_real(ty_eigvals(x))};
    const ty_export_function f = {.name = "run", .ninputs = 1, .inputs = &x, .noutputs = 2, .outputs = y};
    refused("m.c", &f, 1, (ty_export_options){0}, "matrix");
}

/* An unclosed parenthesis ends with the text, whatever memory follows. */
static void texts_end(void) {
    struct text t = {0};
    tidy(&t, "(int\0){1}");
    char *tidied = text_take(&t);
    test_own(tidied, mem_free);
    CHECK((tidied && !strcmp(tidied, "(int")) || test_starving(), "found %s", tidied ? tidied : "nothing");
}

TESTS_MAIN(TEST(refuses_names), TEST(makes_names), TEST(keeps_names_apart), TEST(keeps_types),
           TEST(saves_elements), TEST(refuses_one_path), TEST(refuses_flags), TEST(refuses_indices),
           TEST(refuses_null), TEST(refuses_small_machines), TEST(refuses_kernels), TEST(texts_end),
           TEST(refuses_folders))
