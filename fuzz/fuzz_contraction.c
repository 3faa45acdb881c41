/* Any bytes as a configuration in JSON: one that passes all checks, survives being optimised and written
   again, or a sentence. */
#include <string.h>
#include <tyto/contraction.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written is read again, to the same. */
static void check_round(ty_contraction *c) {
    static ty_contraction again;
    char *text = ty_contraction_json(c), *second = NULL;
    if (text && ty_contraction_read(&again, text, strlen(text))) second = ty_contraction_json(&again);
    if (text && !second && !strstr(again.error, "memory")) __builtin_trap();
    if (second && strcmp(text, second) != 0) __builtin_trap();
    ty_free(text);
    ty_free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ty_contraction c;
    bool ok = ty_contraction_read(&c, (const char *)data, size);
    if (ok == (c.error[0] != 0)) __builtin_trap();
    if (!ok) return 0;
    const int64_t bytes[3] = {1 << 20, 1 << 20, 1 << 20};
    if (!ty_contraction_check(&c, NULL)) __builtin_trap();
    ty_contraction_check(&c, bytes);
    c.error[0] = 0;
    check_round(&c);
    if (!ty_contraction_optimise(&c, 3)) return 0;
    if (!ty_contraction_check(&c, NULL)) __builtin_trap();
    check_round(&c);
    ty_free(ty_contraction_text(&c));
    return 0;
}
