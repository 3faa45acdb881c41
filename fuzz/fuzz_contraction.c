/* Interprets bytes as a contraction in JSON. It must either fail with a message, or pass all checks. Then
   it must survive being optimised, written, read again and run on operands of the least size. */
#include <stdlib.h>
#include <string.h>
#include <tyto/contraction.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Check that the written text reads back to the same text. */
static void check_round(ty_contraction *c) {
    static ty_contraction again;
    char *text = ty_contraction_json(c), *second = NULL;
    if (text && ty_contraction_read(&again, text, strlen(text))) second = ty_contraction_json(&again);
    if (text && !second && !strstr(again.error, "memory")) __builtin_trap();
    if (second && strcmp(text, second) != 0) __builtin_trap();
    ty_free(text);
    ty_free(second);
}

enum { MOST_BYTES = 1 << 16, MOST_WORK = 1 << 16 };

/* Find the fewest bytes of each side that pass the check; false: too many bytes or too much work. */
static bool find_bytes(ty_contraction *c, int64_t bytes[3]) {
    double work = 1;
    for (int d = 0; d < c->ndims; d++) work *= (double)(c->dims[d].size ? c->dims[d].size : 1);
    for (int side = 0; side < 3; side++) bytes[side] = MOST_BYTES;
    if (work > MOST_WORK || !ty_contraction_check(c, bytes)) return false;
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

/* Return the bytes of out after a run, owned by the caller; NULL: it did not run. */
static uint8_t *run_on(const ty_contraction *c, const int64_t bytes[3]) {
    uint8_t *side[3];
    ty_contraction_plan *plan = ty_contraction_compile(c);
    int most = 11; /* booleans are 0 or 1 */
    for (int s = 0; s < 3; s++)
        if (c->dtype[s] == TY_BOOL) most = 2;
    for (int s = 0; s < 3; s++) {
        side[s] = malloc(bytes[s] ? (size_t)bytes[s] : 1);
        for (int64_t i = 0; side[s] && i < bytes[s]; i++)
            side[s][i] = s == TY_OUT ? 0 : (uint8_t)(i * 37 % most);
    }
    bool ran = plan && side[0] && side[1] && side[2] &&
               ty_contraction_run(plan, side[TY_LEFT], side[TY_RIGHT], side[TY_OUT]);
    ty_contraction_plan_release(plan);
    free(side[TY_LEFT]);
    free(side[TY_RIGHT]);
    if (ran) return side[TY_OUT];
    free(side[TY_OUT]);
    return NULL;
}

static bool is_exact(ty_dtype dtype) { return dtype > TY_BOOL && dtype < TY_F16; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static ty_contraction c;
    bool ok = ty_contraction_read(&c, (const char *)data, size);
    if (ok == (c.error[0] != 0)) __builtin_trap();
    if (!ok) return 0;
    int64_t bytes[3];
    if (!ty_contraction_check(&c, NULL)) __builtin_trap();
    bool small = find_bytes(&c, bytes),
         exact = is_exact(c.dtype[0]) && is_exact(c.dtype[1]) && is_exact(c.sums) && is_exact(c.dtype[2]);
    c.error[0] = 0;
    check_round(&c);
    uint8_t *plain = small ? run_on(&c, bytes) : NULL, *quick = NULL;
    if (ty_contraction_optimise(&c, 3)) {
        if (!ty_contraction_check(&c, NULL)) __builtin_trap();
        check_round(&c);
        ty_free(ty_contraction_text(&c));
        quick = small ? run_on(&c, bytes) : NULL;
    }
    if (plain && quick && exact && memcmp(plain, quick, (size_t)bytes[TY_OUT]) != 0) __builtin_trap();
    free(plain);
    free(quick);
    return 0;
}
