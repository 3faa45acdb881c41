/* Interprets bytes as an equation or a tree, for operands whose number, ranks and sizes the first bytes
   choose. The result is a tensor or a message of one line, the same for values, promises and plans. */
#include <string.h>
#include <tyto/tyto.h>

enum { MOST = 5, HEAD = 1 + MOST * 2, LONGEST = 160, AXES = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const ty_tensor *x) {
    if (ty_ok(x)) return;
    if (!*ty_error(x) || strchr(ty_error(x), '\n')) __builtin_trap();
}

/* Trap unless two tensors are equal or both are poisoned; failed allocations do not count. */
static void agree(ty_tensor *x, ty_tensor *y) {
    check(x);
    check(y);
    if (strstr(ty_error(x), "memory") || strstr(ty_error(y), "memory")) return;
    if (ty_ok(x) != ty_ok(y)) __builtin_trap();
    if (ty_ok(x) && ty_item(ty_all(ty_eq(x, y), TY_ALL)) != 1) __builtin_trap();
}

/* Return the product of all operands' sizes, to skip inputs that would take hours. */
static double work_of(int n, ty_tensor *const *x) {
    double work = 1;
    for (int k = 0; k < n; k++) work *= (double)(ty_size(x[k]) > 0 ? ty_size(x[k]) : 1);
    return work;
}

static void contract(const char *text, int n, ty_tensor **x, const ty_einsum_operand *operands) {
    ty_einsum_options greedy = {.strategy = TY_EINSUM_GREEDY}, limited = {.memory = 64};
    ty_tensor *y = ty_einsum_of(text, n, x, (ty_einsum_options){0}), *promises[MOST];
    agree(y, ty_einsum_of(text, n, x, greedy));
    check(ty_einsum_of(text, n, x, limited));
    for (int k = 0; k < n; k++) promises[k] = ty_lazy(x[k]);
    agree(y, ty_eval(ty_einsum_of(text, n, promises, (ty_einsum_options){0})));
    ty_einsum_plan *plan = ty_einsum_plan_new(text, TY_I64, n, operands, (ty_einsum_options){0});
    agree(y, ty_einsum_plan_run(plan, n, x));
    ty_free(ty_einsum_plan_text(plan));
    ty_einsum_plan_free(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LONGEST + 1] = "";
    int64_t shapes[MOST][AXES];
    ty_tensor *x[MOST];
    ty_einsum_operand operands[MOST];
    if (size < HEAD || size > HEAD + LONGEST) return 0;
    int n = 1 + data[0] % MOST;
    memcpy(text, data + HEAD, size - HEAD);
    ty_scope *scope = ty_open();
    for (int k = 0; k < n; k++) {
        int rank = data[1 + 2 * k] % (AXES + 1);
        for (int i = 0; i < AXES; i++) shapes[k][i] = data[2 + 2 * k] >> (2 * i) & 3;
        x[k] = ty_add(ty_iota(TY_I64, rank, shapes[k], rank - 1), ty_scalar(TY_I64, k));
        operands[k] = (ty_einsum_operand){rank, shapes[k], data[1 + 2 * k] & 128 ? x[k] : NULL};
    }
    if (work_of(n, x) <= 1e6) contract(text, n, x, operands);
    ty_close(scope);
    return 0;
}
