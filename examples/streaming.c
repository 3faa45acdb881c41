/* A stream of sound, of which a ring keeps the last samples: a causal convolution and a sliding mean of the power. Each
   block of new samples is assigned to a part of the ring, and a run computes only what depends on it. */
#include <stdio.h>
#include <tyto/tyto.h>

enum { RING = 1 << 16, BLOCK = 256, TAPS = 32, FILTERS = 8, WINDOW = 64, BLOCKS = 300 };

/* Return x of n samples with the last `before` ones in front: the past of the ring's first samples. */
static ty_tensor *with_past(ty_tensor *x, int64_t before) {
    ty_tensor *parts[] = {ty_slice(x, 0, RING - before, RING, 1), x};
    return ty_concat(2, parts, 0);
}

/* Return the responses [RING, FILTERS] of filters w[TAPS, 1, FILTERS]: sample t of each depends on samples
   t-TAPS+1 .. t. */
static ty_tensor *responses(ty_tensor *ring, ty_tensor *w) {
    ty_tensor *x = ty_reshape(with_past(ring, TAPS - 1), TY_SHAPE(1, RING + TAPS - 1, 1));
    return ty_reshape(ty_conv1d(x, w, (ty_conv){0}), TY_SHAPE(RING, FILTERS));
}

/* Return the mean power of the last WINDOW samples at each sample. */
static ty_tensor *power(ty_tensor *ring) {
    ty_tensor *squares = ty_mul(ring, ring);
    return ty_mean(ty_window(with_past(squares, WINDOW - 1), 0, WINDOW, 1, 1), (ty_axes){.mask = 2});
}

static ty_tensor *block(int i) {
    return ty_mul(ty_normal(TY_F32, TY_SHAPE(BLOCK), ty_key((uint64_t)i)), ty_num(1 + i % 7));
}

/* Return true if the program's outputs are those of the promises, computed anew. */
static bool agrees(ty_program *p, ty_tensor *const *y) {
    bool equal = true;
    for (int i = 0; i < 2; i++)
        equal = equal && ty_item(ty_all(ty_eq(ty_eval(y[i]), ty_output(p, i)), TY_ALL)) == 1;
    return equal;
}

int main(void) {
    ty_scope *scope = ty_open();
    ty_tensor *ring = ty_var(ty_zeros(TY_F32, TY_SHAPE(RING)), "ring");
    ty_tensor *w = ty_lazy(ty_normal(TY_F32, TY_SHAPE(TAPS, 1, FILTERS), ty_key(0)));
    ty_tensor *y[] = {responses(ring, w), power(ring)}, *error = NULL;
    ty_program *p =
        ty_compile(2, y, (ty_compile_options){.incremental = true, .changing = &ring, .nchanging = 1});
    ty_report r;
    if (!ty_run(p)) return printf("%s\n", ty_program_error(p)), 1;
    ty_program_report(p, &r);
    int64_t all = r.computed, most = 0;
    for (int i = 0; i < BLOCKS; i++) {
        ty_scope *now = ty_open();
        int64_t at = (int64_t)i * BLOCK % RING;
        ty_index part = TY_RANGE(at, at + BLOCK, 1);
        if (!ty_assign_items(ring, 1, &part, block(i), &error)) return printf("%s\n", ty_error(error)), 1;
        if (!ty_run(p)) return printf("%s\n", ty_program_error(p)), 1;
        ty_program_report(p, &r);
        if (r.computed > most) most = r.computed;
        /* the results of the new samples are rows at .. at+BLOCK-1 of the outputs */
        ty_tensor *loudest = ty_amax(ty_slice(ty_output(p, 1), 0, at, at + BLOCK, 1), TY_ALL);
        if (i % 100 == 0) printf("block %d: power up to %.2f\n", i, ty_item(loudest));
        if (i % 100 == 99 && !agrees(p, y)) return printf("block %d differs\n", i), 1;
        ty_close(now);
    }
    printf("a run computed at most %.1f %% of the elements\n", 100.0 * (double)most / (double)all);
    ty_program_free(p);
    ty_close(scope);
    return most * 10 < all ? 0 : 1;
}
