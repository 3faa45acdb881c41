/* Interprets bytes as the text of an index, for a tensor whose shape the first bytes choose. Reading and
   replacing must return a tensor or a message, and reading must return the replaced values. */
#include <string.h>
#include <tyto/tyto.h>

enum { HEAD = 4, LONGEST = 200 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const ty_tensor *x) {
    if (!ty_ok(x) && !*ty_error(x)) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LONGEST + 1] = "";
    int64_t shape[HEAD], places[3] = {0, -1, 1};
    if (size < HEAD || size > HEAD + LONGEST) return 0;
    for (int i = 0; i < HEAD; i++) shape[i] = data[i] % 4;
    memcpy(text, data + HEAD, size - HEAD);
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_zeros(TY_U8, data[0] / 4 % (HEAD + 1), shape);
    ty_tensor *tensors[] = {ty_from(TY_I64, 1, &(int64_t){3}, places),
                            ty_ones(TY_BOOL, ty_rank(x) > 1 ? 2 : ty_rank(x), shape)};
    ty_tensor *got = ty_at_with(x, text, 2, tensors);
    ty_tensor *set = ty_set_at_with(x, text, 2, tensors, TY_SCATTER_SET, ty_num(7));
    check(got);
    check(set);
    if (ty_ok(got) && !ty_ok(set)) __builtin_trap();
    if (ty_ok(got) && ty_size(got) < 4096 && ty_ok(set)) {
        ty_tensor *again = ty_at_with(set, text, 2, tensors);
        if (!ty_ok(again) || ty_item(ty_all(ty_eq(again, ty_num(7)), TY_ALL)) != 1) __builtin_trap();
    }
    ty_close(scope);
    return 0;
}
