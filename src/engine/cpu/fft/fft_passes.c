/* Passes: choice and order of radices, twiddle tables, execution. */
#include <math.h>
#include "base/checked.h"
#include "engine/cpu/fft/fft.h"

enum { GROUP_BYTES = 512 << 10, GROUPS_MOST = 4 };

static const struct fft_types *const tables[ISA_COUNT] = ISA_TABLE(&fft_);

const struct fft_loops *fft_loops_of(bool wide) {
    const struct fft_types *types = tables[isa_current()];
    return wide ? types->f64 : types->f32;
}

static const int64_t small_radix[] = {
    [FFT_2] = 2, [FFT_3] = 3, [FFT_4] = 4, [FFT_5] = 5, [FFT_7] = 7, [FFT_8] = 8, [FFT_9] = 9, [FFT_16] = 16};

static int64_t least_prime(int64_t n, int64_t from) {
    for (int64_t p = from; p <= n / p; p++)
        if (n % p == 0) return p;
    return n;
}

bool fft_has_passes(int64_t n) {
    for (int64_t p = 2; p <= FFT_ODD_MOST && n > 1; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

/* Return the approximate time of the passes for length n, in arbitrary units. */
static double fft_cost(int64_t n) {
    static const struct {
        int prime;
        double cost; /* time of a pass per element */
    } table[] = {{2, 1.1}, {3, 2.2}, {5, 3.4}, {7, 4.6}};
    double cost = 1, size = (double)n;
    for (int i = 0; i < 4; i++)
        for (; n % table[i].prime == 0; n /= table[i].prime) cost += table[i].cost;
    for (int64_t p = 11; n > 1; n /= p) {
        p = least_prime(n, p);
        cost += 1.2 * (double)p;
    }
    return cost * size;
}

int64_t fft_good(int64_t size) {
    int64_t best = 1;
    while (best < size) best *= 2;
    for (int64_t five = 1; five < best; five *= 5)
        for (int64_t three = five; three < best; three *= 3) {
            int64_t n = three;
            while (n < size) n *= 2;
            if (n < best && fft_cost(n) < fft_cost(best)) best = n;
        }
    return best;
}

/* ---- radices ---- */

/* Append a pass of this radix. Return false if there are too many. */
static bool add_pass(struct fft_passes *p, int64_t radix) {
    enum fft_radix kind = FFT_ODD;
    if (p->npasses == FFT_PASSES_MOST) return false;
    for (int k = 0; k < FFT_ODD; k++)
        if (small_radix[k] == radix) kind = (enum fft_radix)k;
    p->pass[p->npasses++] = (struct fft_pass){.kind = kind, .radix = radix};
    return true;
}

static bool add_while(struct fft_passes *p, int64_t *n, int64_t radix) {
    bool fits = true;
    for (; fits && *n % radix == 0; *n /= radix) fits = add_pass(p, radix);
    return fits;
}

/* Add passes for the powers of two in *n, as few as possible: of 8, with one of 4 or 2, or two of 4. *n becomes
   its odd part. Return false if there are too many passes. */
static bool add_twos(struct fft_passes *p, int64_t *n) {
    int twos = 0;
    while (*n % 2 == 0) *n /= 2, twos++;
    bool fits = true;
    if (twos % 3 == 1 && twos > 1) {
        fits = add_pass(p, 4) && add_pass(p, 4);
        twos -= 4;
    } else if (twos % 3 > 0) {
        fits = add_pass(p, twos % 3 == 1 ? 2 : 4);
        twos -= twos % 3;
    }
    for (; fits && twos > 0; twos -= 3) fits = add_pass(p, 8);
    return fits;
}

/* Choose the radices of p->n. For one line the first pass transposes vectors if its radix is 16 or 8 (`spread`).
   Otherwise the largest radices come first, so that few passes are narrow. Return false if there are too many
   passes. */
static bool choose_radices(struct fft_passes *p) {
    int64_t n = p->n, first = n % fft_block(p->wide) == 0 ? fft_block(p->wide) : 8;
    bool fits = true;
    if (p->lines == 1 && n % first == 0) {
        fits = add_pass(p, first);
        n /= first;
    }
    for (int64_t prime = FFT_ODD_MOST; fits && prime > 9; prime -= 2) fits = add_while(p, &n, prime);
    return fits && add_while(p, &n, 9) && add_while(p, &n, 7) && add_while(p, &n, 5) && add_twos(p, &n) &&
           add_while(p, &n, 3);
}

/* ---- tables ---- */

/* Return the twiddles of a wide pass in the arena, pairs for each i < m and k = 1 .. radix - 1. NULL if
   out of memory. */
static void *twiddles_wide(const struct fft_passes *p, const struct fft_pass *s,
                           const struct fft_roots *roots, struct arena *arena) {
    size_t size = p->wide ? sizeof(double) : sizeof(float);
    char *table = arena_data(arena, (size_t)(s->m * (s->radix - 1) + 1) * 2 * size);
    for (int64_t i = 0, at = 0; table && i < s->m; i++)
        for (int64_t k = 1; k < s->radix; k++, at++)
            fft_root(roots, i * k * s->s, p->wide, table + 2 * size * (size_t)at);
    return table;
}

/* Return the twiddles of a narrow pass in the arena: for each vector and k, a vector of real and one of imaginary
   parts. NULL if out of memory. */
static void *twiddles_narrow(const struct fft_passes *p, const struct fft_pass *s,
                             const struct fft_roots *roots, struct arena *arena) {
    size_t size = p->wide ? sizeof(double) : sizeof(float);
    int64_t lanes = p->loops->lanes, all = s->s * s->m, vectors = (all + lanes - 1) / lanes;
    char *table = arena_data(arena, (size_t)(vectors * (s->radix - 1) + 1) * 2 * (size_t)lanes * size),
         *to = table;
    for (int64_t v = 0; table && v < vectors; v++) {
        int64_t t = (v + 1) * lanes <= all || all < lanes ? v * lanes : all - lanes;
        for (int64_t k = 1; k < s->radix; k++, to += 2 * (size_t)lanes * size)
            for (int64_t lane = 0; lane < lanes; lane++) {
                double pair[2];
                int64_t i = t + lane < all ? (t + lane) / s->s : 0;
                fft_root(roots, i * k * s->s, p->wide, pair);
                memcpy(to + (size_t)lane * size, pair, size);
                memcpy(to + (size_t)(lanes + lane) * size, (char *)pair + size, size);
            }
    }
    return table;
}

/* Make the twiddles of a pass, its own roots if its radix is odd, and for a narrow one the places of its
   results. Return false if out of memory. */
static bool fill_pass(struct fft_passes *p, struct fft_pass *s, const struct fft_roots *roots,
                      struct arena *arena) {
    size_t size = p->wide ? sizeof(double) : sizeof(float);
    s->narrow = s->s * p->lines < p->loops->lanes;
    s->twiddles = s->narrow ? twiddles_narrow(p, s, roots, arena) : twiddles_wide(p, s, roots, arena);
    if (!s->twiddles) return false;
    if (s->kind == FFT_ODD) {
        char *own = arena_data(arena, (size_t)s->radix * 2 * size);
        for (int64_t j = 0; own && j < s->radix; j++)
            fft_root(roots, j * (p->n / s->radix), p->wide, own + 2 * size * (size_t)j);
        if (!(s->roots = own)) return false;
    }
    if (!s->narrow) return true;
    int32_t *places = arena_array(arena, (size_t)(s->s * s->m), sizeof *places);
    for (int64_t t = 0; places && t < s->s * s->m; t++)
        places[t] = (int32_t)(t / s->s * s->s * s->radix + t % s->s);
    s->places = places;
    return places != NULL;
}

int64_t fft_groups(bool wide, int64_t n) {
    int64_t part = wide ? sizeof(double) : sizeof(float),
            groups = GROUP_BYTES / (4 * part * fft_loops_of(wide)->lanes) / n;
    return groups < 1 ? 1 : groups > GROUPS_MOST ? GROUPS_MOST : groups;
}

bool fft_passes_make(struct fft_passes *p, bool wide, int64_t n, int64_t lines, int64_t groups,
                     struct arena *arena, struct fault *fault) {
    struct arena temporary = {0};
    struct fft_roots roots = {0};
    *p = (struct fft_passes){
        .loops = fft_loops_of(wide), .wide = wide, .n = n, .lines = lines, .most = lines * groups};
    size_t size = wide ? sizeof(double) : sizeof(float), parts;
    if (!checked_mul_size((size_t)n, (size_t)p->most, &parts) || parts > PTRDIFF_MAX / 64)
        return fault_memory(fault, SIZE_MAX);
    /* both parts start in different cache sets; vectors may read past the last element */
    p->half = (parts * size + 63) / 64 * (64 / size) + 320 / size;
    p->scratch = 4 * p->half * size + 64;
    bool made = choose_radices(p) && fft_roots_make(&roots, n, &temporary);
    int64_t s = 1;
    for (int i = 0; made && i < p->npasses; i++) {
        p->pass[i].s = s;
        p->pass[i].m = n / s / p->pass[i].radix;
        made = fill_pass(p, &p->pass[i], &roots, arena);
        s *= p->pass[i].radix;
    }
    arena_drop(&temporary);
    return made || fault_memory(fault, parts * size);
}

/* ---- running ---- */

/* Run one pass from buffer `from` to `to`; the first may read x and the last write the result, at ends->in
   and ends->out. */
static void one_pass(const struct fft_passes *p, const struct fft_pass *s, const struct fft_ends *ends,
                     bool first, bool last, char *from, char *to) {
    size_t size = p->wide ? sizeof(double) : sizeof(float);
    bool in = first && ends->in, out = last && ends->out, rows = p->lines > 1;
    struct fft_sweep sweep = {
        .re = from, .im = from + p->half * size, .out_re = to, .out_im = to + p->half * size};
    sweep.count = rows ? s->s : 1;
    sweep.width = !rows ? s->s : ends->lines ? ends->lines : p->lines;
    sweep.pitch = sweep.out_pitch = sweep.width;
    sweep.m = s->m;
    sweep.radix = s->radix;
    sweep.twiddles = s->twiddles;
    sweep.roots = s->roots;
    sweep.places = s->places;
    sweep.sign = ends->sign;
    sweep.scale = ends->scale;
    sweep.scale_im = ends->scale_im;
    if (in) sweep.re = ends->in;
    if (in && rows) sweep.pitch = ends->pitch;
    if (out) sweep.out_re = ends->out;
    if (out && rows) sweep.out_pitch = ends->out_pitch;
    const struct fft_loops *l = p->loops;
    (s->narrow ? l->narrow[s->kind][in] : l->wide[s->kind][in][out])(&sweep);
}

void *fft_passes_run(const struct fft_passes *p, const struct fft_ends *ends, void *scratch) {
    size_t size = p->wide ? sizeof(double) : sizeof(float);
    char *from = scratch, *to = from + 2 * p->half * size;
    for (int i = 0; i < p->npasses; i++) {
        one_pass(p, &p->pass[i], ends, i == 0, i == p->npasses - 1, from, to);
        char *made = to;
        to = from;
        from = made;
    }
    return from;
}
