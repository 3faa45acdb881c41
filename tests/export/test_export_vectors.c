/* Exported files have vectors of numbers for AVX-512 and structs of numbers elsewhere: equal bits, and instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/exported.h"
#include "tests/support/files.h"
#include "tests/support/samples/sample.h"

enum { ROWS = 12, TERMS = 40, COLUMNS = 48 };
/* Return tanh(x a) and its softmax, in tiles of vectors whose mathematics has tables and rare cases. */
static void record(ty_tensor *x, ty_tensor *outputs[2]) {
    ty_tensor *a = ty_eval(sample_shape(ty_dtype_of(x), 2, (int64_t[]){TERMS, COLUMNS}, -1, 1));
    outputs[0] = ty_tanh(ty_matmul(x, a));
    outputs[1] = ty_log(ty_softmax(ty_matmul(x, a), -1));
}
static ty_tensor *operand(ty_dtype dtype) {
    return ty_var(ty_eval(sample_shape(dtype, 2, (int64_t[]){ROWS, TERMS}, -2, 2)), "x");
}

static void equal_bits(void) {
    static const char *const flags[] = {"-std=c99 -O1", "-std=gnu11 -O3 -march=native",
                                        "-std=c99 -O0 -march=native"};
    if (!exported_can_run()) return;
    for (int i = 0; i < 6; i++) {
        ty_tensor *x = operand(i % 2 ? TY_F64 : TY_F32), *outputs[2], *want[2];
        record(x, outputs);
        const ty_export_function f = {
            .name = "run", .ninputs = 1, .inputs = &x, .noutputs = 2, .outputs = outputs};
        struct exported *e = exported_open(1, &f, (ty_export_options){0}, flags[i / 2]);
        CHECK(ty_eval_all(2, outputs, want), "%s", ty_error(want[0]));
        exported_compare(e, 0, 1, &x, 2, want, flags[i / 2]);
    }
}

/* True if the compiler makes code of AVX-512, on any machine. */
static bool has_vectors(const char *folder) {
    char command[1024];
    snprintf(command, sizeof command,
             "cd %s && echo 'int x;' >x.c && ${CC:-cc} -mavx512f -mfma -S x.c 2>/dev/null", folder);
    return !system(command);
}
/* Return the number of lines of a file that have both words. */
static int count_lines(const char *path, const char *word, const char *other) {
    char line[1024];
    int n = 0;
    FILE *in = fopen(path, "r");
    CHECK(in, "%s cannot be read", path);
    while (fgets(line, sizeof line, in)) n += strstr(line, word) && strstr(line, other);
    fclose(in);
    return n;
}
/* A product's tile is fused multiply-adds of whole vectors, its operator reads a table by a permutation. */
static void instructions(void) {
    const char *folder = scratch_folder();
    if (!exported_can_run() || !has_vectors(folder)) return;
    for (int i = 0; i < 2; i++) {
        ty_tensor *x = operand(i ? TY_F64 : TY_F32), *outputs[2];
        char command[1024];
        record(x, outputs);
        const ty_export_function f = {
            .name = "run", .ninputs = 1, .inputs = &x, .noutputs = 2, .outputs = outputs};
        bool done = ty_export_c(scratch_path(folder, "m.c"), 1, &f, (ty_export_options){0}, NULL, NULL);
        CHECK(done, "not exported");
        snprintf(command, sizeof command, "cd %s && ${CC:-cc} -std=c99 -O2 -mavx512f -mfma -S m.c", folder);
        CHECK(!system(command), "%s", command);
        const char *fused = i ? "pd" : "ps";
        char name[32];
        snprintf(name, sizeof name, "231%s", fused);
        int products = count_lines(scratch_path(folder, "m.s"), name, "%zmm");
        CHECK(products >= 8, "%d lines have %s of whole vectors", products, name);
        snprintf(name, sizeof name, "vperm");
        int tables = count_lines(scratch_path(folder, "m.s"), name, "%zmm");
        CHECK(tables > 0, "no line has %s", name);
    }
}

TESTS_MAIN(TEST(equal_bits), TEST(instructions))
