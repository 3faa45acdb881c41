/* Interprets text as an expression over three small tensors, eager and recorded: the result is values or a
   message with a column, within limits of operations and memory. */
#include <string.h>
#include <tyto/expression.h>
#include <tyto/tyto.h>
#include "fuzz/limits.h"

enum { LONGEST = 160, MOST = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void evaluate(const char *text, ty_tensor *const *values) {
    static const char *const names[] = {"x", "i", "c"};
    ty_tensor *results[MOST];
    ty_expression_limits limits = {.operations = 1e7};
    int n = ty_expressions_within(limits, text, 3, names, values, MOST, results);
    if (n < 1 || n > MOST) __builtin_trap();
    for (int i = 0; i < n; i++)
        if (!ty_ok(results[i]) && strncmp(ty_error(results[i]), "column ", 7) &&
            !strstr(ty_error(results[i]), "memory"))
            __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LONGEST + 1] = "";
    if (size > LONGEST || memchr(data, 0, size)) return 0;
    if (size) memcpy(text, data, size);
    fuzz_limits();
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_reshape(ty_steps(TY_F32, -3, 1, 6), TY_SHAPE(2, 3)), *i = ty_arange(TY_I64, 0, 3, 1);
    ty_tensor *c = ty_mul(ty_ones(TY_C64, TY_SHAPE(3)), ty_complex(1, 2));
    evaluate(text, (ty_tensor *[]){x, i, c});
    evaluate(text, (ty_tensor *[]){ty_lazy(x), i, ty_lazy(c)});
    ty_close(scope);
    return 0;
}
