/* Interprets bytes as a contraction in JSON. It must either fail with a message, or pass all checks. Then
   it must survive being optimised, written, read again and run on operands of the least size. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/contraction.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Check that the written text reads back to the same text. */
static void check_round(const ty_contraction *c) {
    char *text = ty_contraction_json(c), *second = NULL;
    ty_contraction *again = text ? ty_contraction_read(text, strlen(text)) : NULL;
    if (again && !*ty_contraction_error(again)) second = ty_contraction_json(again);
    if (text && !second && !strstr(ty_contraction_error(again), "memory")) __builtin_trap();
    if (second && strcmp(text, second) != 0) __builtin_trap();
    ty_contraction_free(again);
    ty_free(text);
    ty_free(second);
}

/* True if the text of a configuration names a dtype of this class. */
static bool has_dtype(const char *text, ty_dtype first, ty_dtype last) {
    char name[16];
    for (int t = (int)first; text && t <= (int)last; t++) {
        snprintf(name, sizeof name, "\"%s\"", ty_dtype_name((ty_dtype)t));
        if (strstr(text, name)) return true;
    }
    return false;
}

enum { MOST_BYTES = 1 << 16, MOST_FLOPS = 1 << 17 };

/* Find the fewest bytes of each side that pass the check; false: too many bytes or too much work. */
static bool find_bytes(ty_contraction *c, int64_t bytes[3]) {
    for (int side = 0; side < 3; side++) bytes[side] = MOST_BYTES;
    if (ty_contraction_flops(c) > MOST_FLOPS || !ty_contraction_check(c, bytes)) return false;
    for (int side = 0; side < 3; side++) {
        int64_t low = 0;
        while (low < bytes[side]) {
            int64_t high = bytes[side];
            bytes[side] = low + (high - low) / 2;
            if (ty_contraction_check(c, bytes)) continue;
            low = bytes[side] + 1;
            bytes[side] = high;
        }
    }
    return ty_contraction_check(c, bytes);
}

/* Return the bytes of out after a run on values below `most`, owned by the caller; NULL: it did not run. */
static uint8_t *run_on(const ty_contraction *c, const int64_t bytes[3], int most) {
    uint8_t *side[3];
    ty_contraction_plan *plan = ty_contraction_compile(c);
    for (int s = 0; s < 3; s++) {
        side[s] = malloc(bytes[s] ? (size_t)bytes[s] : 1);
        for (int64_t i = 0; side[s] && i < bytes[s]; i++) side[s][i] = s == 2 ? 0 : (uint8_t)(i * 37 % most);
    }
    bool ran = plan && side[0] && side[1] && side[2] && ty_contraction_run(plan, side[0], side[1], side[2]);
    ty_contraction_plan_release(plan);
    free(side[0]);
    free(side[1]);
    if (ran) return side[2];
    free(side[2]);
    return NULL;
}

/* Check a valid configuration, before and after it is optimised. */
static void check_all(ty_contraction *c) {
    int64_t bytes[3];
    if (!ty_contraction_check(c, NULL)) __builtin_trap();
    char *text = ty_contraction_json(c);
    bool small = find_bytes(c, bytes), exact = text && !has_dtype(text, TY_F16, (ty_dtype)(TY_DTYPES - 1)),
         booleans = has_dtype(text, TY_BOOL, TY_BOOL); /* they are 0 or 1 */
    ty_free(text);
    if (!ty_contraction_check(c, NULL)) __builtin_trap();
    check_round(c);
    uint8_t *plain = small ? run_on(c, bytes, booleans ? 2 : 11) : NULL, *quick = NULL;
    if (ty_contraction_optimise(c, 3)) {
        if (!ty_contraction_check(c, NULL)) __builtin_trap();
        check_round(c);
        ty_free(ty_contraction_text(c));
        quick = small ? run_on(c, bytes, booleans ? 2 : 11) : NULL;
    }
    if (plain && quick && exact && !booleans && memcmp(plain, quick, (size_t)bytes[2]) != 0) __builtin_trap();
    free(plain);
    free(quick);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ty_contraction *c = ty_contraction_read((const char *)data, size);
    if (!*ty_contraction_error(c)) check_all(c);
    ty_contraction_free(c);
    return 0;
}
