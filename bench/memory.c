/*
 * Memory that each public function allocates besides its result: bytes for each element of a vector x, counted by the
 * library's allocator.
 *
 *   ./dev bench memory [PART OF A NAME]
 * Each function is called as f(x), f(x, x), ...: with the first list of arguments that it accepts. "grows" marks a
 * function that needs over 1/16 byte per element more at four times the length. "ragged" measures gradient steps over
 * batches of ever new sizes instead.
 */
#include "base/memory/blocks.h"
#include "tests/support/ragged.h"
#include "tests/support/samples/beside.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEW = 1 << 20, MANY = 4 * FEW, NAME = 64, TEXT = 256 };

static const char *const uses[] = {
#define BESIDE(text, of_u8, of_f32) text,
#include "tests/support/samples/beside.def"
};

static const char *const lists[] = {
#include "tests/support/call_lists.def"
};

static struct beside measure(ty_dtype dtype, int64_t n, const char *text) {
    ty_tensor *x[BESIDE_NAMES];
    ty_scope *scope = ty_open();
    beside_operands(dtype, n, x);
    struct beside b = beside_of(text, x);
    ty_close(scope);
    return b;
}

static void print_row(const char *text) {
    printf("%-44s", text);
    for (int i = 0; i < 2; i++) {
        ty_dtype dtype = i ? TY_F32 : TY_U8;
        struct beside few = measure(dtype, FEW, text), many = measure(dtype, MANY, text);
        if (few.error || many.error) {
            printf("  %6s %6s %6s %-5s", "-", "-", "-", "");
            continue;
        }
        double grows = (double)(many.peak - few.peak) / (MANY - FEW);
        printf("  %6.2f %6.2f %6.2f %-5s", (double)many.result / MANY, (double)few.peak / FEW,
               (double)many.peak / MANY, grows > 1.0 / 16 ? "grows" : "");
    }
    printf("\n");
    fflush(stdout);
}

/* Write the first call of f that succeeds to text; false if none does. */
static bool find_call(const char *f, char text[TEXT]) {
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        snprintf(text, TEXT, "%s(%s)", f, lists[i]);
        if (!measure(TY_F32, 2 * BESIDE_COLUMNS, text).error) return true;
    }
    return false;
}

/* Return true if memory grows at most linearly; others (outer products) are left out. */
static bool is_linear(const char *text) {
    struct beside few = measure(TY_F32, 2 * BESIDE_COLUMNS, text),
                  many = measure(TY_F32, 4 * BESIDE_COLUMNS, text);
    return (many.result + many.peak) * 2 <= (few.result + few.peak) * 5;
}

static void print_functions(const char *part) {
    char name[NAME], text[TEXT];
    int left = 0, steep = 0;
    const char *signature;
    for (int i = 0; (signature = ty_expression_function(i)); i++) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(signature, "("), signature);
        if (!strstr(name, part)) continue;
        if (!find_call(name, text))
            left++;
        else if (is_linear(text))
            print_row(text);
        else
            steep++;
    }
    printf("%d functions take none of these lists of arguments, %d take more than linear memory\n", left,
           steep);
}

/* Print the peak of live and kept blocks of gradient steps over batches of a fixed size and of ever new ones. */
static void print_ragged(void) {
    enum { STEPS = 1500 };
    int64_t peaks[2];
    for (int i = 0; i < 2; i++) {
        ty_trim();
        blocks_peak_begin();
        if (ragged_steps(i ? STEPS : 3, i ? RAGGED_LEAST : RAGGED_MOST, RAGGED_MOST)) return;
        peaks[i] = (int64_t)blocks_state().peak;
    }
    printf("gradient steps over %d to %d rows: %.1f MB of blocks, %.1f MB for the largest alone\n",
           RAGGED_LEAST, RAGGED_MOST, 1e-6 * (double)peaks[1], 1e-6 * (double)peaks[0]);
}

int main(int argc, char **argv) {
    const char *part = argc > 1 ? argv[1] : "";
    if (strstr("ragged", part)) print_ragged();
    mem_watch();
    printf("bytes beside the result for each element of x, of %d and of %d elements\n%-44s  %-27s%s\n%-44s",
           FEW, MANY, "", "u8", "f32", "");
    for (int i = 0; i < 2; i++) printf("  %6s %6s %6s %-5s", "result", "few", "many", "");
    printf("\n");
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (strstr(uses[i], part)) print_row(uses[i]);
    print_functions(part);
    return 0;
}
