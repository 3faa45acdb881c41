/*
 * Memory that each public function allocates besides its result: bytes for each element of a vector x, counted by the
 * library's allocator.
 *
 *   ./dev bench memory [PART OF A NAME]
 * The rows of tests/support/samples/beside.def come first; "grows" marks those that need over 1/16 byte per element more
 * at four times the length. Then each function is called as f(x), f(x, x), ...: with the first list of arguments that it
 * accepts. "over" marks those above their limit in tests/support/samples/bytes.def, which make the command fail.
 * "ragged" measures gradient steps over batches of ever new sizes instead.
 */
#include "base/memory/blocks.h"
#include "tests/support/ragged.h"
#include "tests/support/samples/beside.h"
#include "tests/support/samples/function_bytes.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEW = 1 << 20, MANY = 4 * FEW, NAME = 64 };

static const char *const uses[] = {
#define BESIDE(text, of_u8, of_f32) text,
#include "tests/support/samples/beside.def"
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

/* Print the bytes of all functions whose name has this part. Return the number of those above their limits. */
static int print_functions(const char *part) {
    char name[NAME];
    int left = 0, over = 0;
    const char *signature;
    printf("bytes for each element of x, f32: of the result, beside it, beside a destination\n");
    for (int i = 0; (signature = ty_expression_function(i)); i++) {
        struct function_bytes b;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(signature, "("), signature);
        if (!strstr(name, part)) continue;
        if (!function_bytes(name, &b)) {
            left++;
            continue;
        }
        printf("%-44s  %8.2f %8.2f %8.2f  %s%s\n", b.text, b.result, b.beside, b.into,
               b.steep ? "steep " : "", b.over ? "over" : "");
        fflush(stdout);
        over += b.over;
    }
    printf("%d functions take none of these lists of arguments, or long; %d are above their limits\n", left,
           over);
    return over;
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
    return print_functions(part) ? 1 : 0;
}
