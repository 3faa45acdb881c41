/* Kernel kind MATRIX: chooses methods, plans memory, divides the work. */
#include "engine/cpu/linalg/linalg.h"
#include <math.h>
#include <stdatomic.h>
#include "base/checked.h"
#include "base/threads/lock.h"
#include "engine/cpu/elementwise/dense.h"
#include "engine/cpu/linalg/lapack.h"
#include "engine/cpu/linalg/linalg_group.h"
#include "ops/core/kernel/kernel_lower.h"

const struct matrix_table *linalg_table(void) {
    static const struct matrix_table *const tables[ISA_COUNT] = ISA_TABLE(&linalg_);
    return tables[isa_current()];
}

enum matrix_fault matrix_lost(struct matrix_job *job) {
    const struct matrix_plan *p = job->p;
    int64_t reals = p->length * (int64_t)(p->out_size / p->real_size);
    linalg_table()->loops[p->real_size == 8].fill(reals, job->out, (double)NAN);
    return MATRIX_FINE;
}

/* ---- room per matrix: squares of its sides, lines, bytes of an element ---- */

/* Computing dtype: the operand's; f64 or c128, as it is real or complex; or c128. */
enum wide { WIDE_NOT, WIDE_ALIKE, WIDE_COMPLEX };
/* Method and room for a kind. */
struct need {
    matrix_run *run;
    enum wide wide;
    int64_t products; /* least side for which it makes products; 0: none */
    size_t least;     /* minimum bytes of an element */
    int squares;      /* of the first operand's greater side; svd and qr use mn and nn */
    /* m n, min(m, n)^2, n k, greatest side, panels of it, lists of sweeps */
    int mn, nn, nk, lines, panels, turns;
};

static const struct need needs[MATRIX_KINDS] = {
    [MATRIX_LU] = {cpu_lu, .products = PANEL + 1, .least = 8, .lines = 4, .panels = 1},
    [MATRIX_CHOLESKY] = {cpu_cholesky, .products = PANEL + 1, .panels = 1},
    [MATRIX_SOLVE] = {cpu_solve, .products = PANEL + 1, .least = 8, .squares = 2, .lines = 4, .panels = 1},
    [MATRIX_TRIANGULAR] = {cpu_triangular, .products = PANEL + 1, .squares = 1, .nk = 1, .lines = 1},
    [MATRIX_INVERSE] = {cpu_inverse, .products = PANEL + 1, .least = 8, .squares = 2, .lines = 4,
                        .panels = 1},
    [MATRIX_QR] = {cpu_qr, .products = 1, .mn = 1, .lines = 4, .panels = 4},
    [MATRIX_EIGH] = {spectral_eigh, .products = 1, .least = 8, .squares = 2, .lines = 64, .panels = 6,
                     .turns = 1},
    [MATRIX_SVD] = {spectral_svd, .products = 1, .least = 8, .mn = 2, .nn = 2, .lines = 120, .panels = 6,
                    .turns = 2},
    [MATRIX_EIG] = {schur_eig, .wide = WIDE_ALIKE, .products = 1, .squares = 5, .lines = 20, .panels = 6},
    [MATRIX_SCHUR] = {schur_schur, .wide = WIDE_ALIKE, .products = 1, .squares = 3, .lines = 8, .panels = 6},
    [MATRIX_HESSENBERG] = {schur_hessenberg, .wide = WIDE_ALIKE, .products = 1, .squares = 3, .lines = 8,
                           .panels = 6},
    [MATRIX_QZ] = {schur_qz, .wide = WIDE_ALIKE, .squares = 4, .lines = 4},
    [MATRIX_SYLVESTER] = {cpu_sylvester, .wide = WIDE_COMPLEX, .products = 1, .squares = 7, .lines = 8,
                          .panels = 6},
    [MATRIX_EXP] = {cpu_expm, .products = 1, .least = 8, .squares = 9, .lines = 4, .panels = 1},
    [MATRIX_LOG] = {cpu_logm, .wide = WIDE_COMPLEX, .products = 1, .squares = 5, .lines = 8, .panels = 6},
    [MATRIX_SQRT] = {cpu_sqrtm, .wide = WIDE_COMPLEX, .products = 1, .squares = 5, .lines = 8, .panels = 6},
};

/* Methods with LAPACK. */
static const struct need lapack_needs[MATRIX_KINDS] = {
    [MATRIX_EIGH] = {lapack_eigh, .least = 8, .squares = 5, .lines = 150},
    [MATRIX_SVD] = {lapack_svd, .least = 8, .mn = 3, .nn = 11, .lines = 160},
    [MATRIX_EIG] = {lapack_eig, .least = 8, .squares = 2, .lines = 80},
    [MATRIX_SCHUR] = {lapack_schur, .least = 8, .squares = 2, .lines = 80},
    [MATRIX_HESSENBERG] = {lapack_hessenberg, .least = 8, .squares = 1, .lines = 80},
    [MATRIX_QZ] = {lapack_qz, .least = 8, .squares = 4, .lines = 110},
};

static const struct need *need_of(const struct matrix_plan *p) {
    return p->lapack ? &lapack_needs[p->attr->kind] : &needs[p->attr->kind];
}

/* Add count * a * b * size to *bytes. Return false on overflow or if the sum is too large; *bytes is then not
   valid. */
static bool add(size_t *bytes, int64_t count, int64_t a, int64_t b, size_t size) {
    int64_t all;
    size_t more;
    return checked_mul(a, b, &all) && checked_mul(all, count, &all) &&
           checked_mul_size((size_t)all, size, &more) && checked_add_size(*bytes, more, bytes) &&
           *bytes < PTRDIFF_MAX / 4;
}

/* Compute the bytes of scratch that the plan's method needs, in p->room. Return false if they overflow. */
static bool plan_room(struct matrix_plan *p) {
    const struct need *need = need_of(p);
    size_t size = p->size > need->least ? p->size : need->least;
    if (need->wide) size = need->wide == WIDE_COMPLEX || p->complex_values ? 16 : 8;
    int64_t least = p->m < p->n ? p->m : p->n, square = p->attr->kind == MATRIX_SYLVESTER ? p->side : p->n;
    int64_t whole = p->attr->kind == MATRIX_SVD && p->attr->mode == MATRIX_FULL ? p->side : 0;
    p->room = 4096; /* each part begins at a cache line */
    return add(&p->room, need->turns, TURN_SWEEPS, 1, sizeof(struct turn_sweep)) &&
           add(&p->room, 1, whole, whole, size) && add(&p->room, need->squares, square, square, size) &&
           add(&p->room, need->mn, p->m, p->n, size) && add(&p->room, need->nn, least, least, size) &&
           add(&p->room, need->nk, p->n, p->k, size) && add(&p->room, need->lines, p->side, 1, size) &&
           add(&p->room, need->panels, p->side, PANEL, size) &&
           add(&p->room, need->panels > 1, (least + PANEL) * PANEL, 1, size);
}

/* ---- preparation ---- */

/* Choose between vector lanes for small matrices, LAPACK for large ones and this engine's own loops. */
static void plan_way(struct matrix_plan *p) {
    const struct matrix_table *table = linalg_table();
    int type = (p->complex_values ? 2 : 0) + (p->real_size == 8);
    p->loops = &table->loops[type];
    bool small = p->m <= LANES_MOST && p->n <= LANES_MOST && p->k <= LANES_MOST && p->m > 0 && p->n > 0;
    if (small && !p->complex_values && matrix_groups[p->attr->kind]) p->lanes = table->lanes[type];
    p->lapack = !p->lanes && lapack_needs[p->attr->kind].run && p->side >= LAPACK_LEAST && p->m > 0 &&
                p->n > 0 && lapack_wanted();
    p->group = p->lanes ? p->lanes->lanes : 1;
}

/* Set the plan's sizes m, n and k, its dtypes and the layout of its result. */
static void plan_sizes(struct matrix_plan *p, const struct kernel *kernel) {
    const struct layout *a = &kernel->inputs[0].layout, *last = &kernel->inputs[kernel->ncore - 1].layout;
    int rank = a->rank;
    p->attr = kernel->attr;
    p->dtype = kernel->inputs[0].dtype;
    p->out_dtype = kernel->core_dtype;
    p->complex_values = dtype_is(p->dtype, CLASS_COMPLEX);
    p->size = dtype_table[p->dtype].size;
    p->out_size = dtype_table[p->out_dtype].size;
    p->real_size = p->complex_values ? p->size / 2 : p->size;
    p->m = a->shape[rank - 2];
    p->n = a->shape[rank - 1];
    p->k = last->shape[rank - 1];
    p->inputs = kernel->ncore;
    p->matrices = shape_size(rank - 2, a->shape);
    p->side = p->m > p->n ? p->m : p->n;
    if (p->k > p->side) p->side = p->k;
    if (p->side < 1) p->side = 1;
    matrix_form_of(p->attr, p->m, p->n, p->k, &p->form);
    p->length = matrix_length(&p->form);
}

/* Make p->wide, the plan of the same work in f64 or c128, if the method needs one. Return false with a fault if out
   of memory. */
static bool plan_wide(struct matrix_plan *p, struct arena *arena, struct fault *fault) {
    enum wide how = need_of(p)->wide;
    if (how == WIDE_NOT || p->lanes) return true;
    struct matrix_plan *wide = arena_alloc(arena, sizeof *wide);
    if (!wide) return fault_memory(fault, sizeof *wide);
    *wide = *p;
    wide->complex_values = p->complex_values || how == WIDE_COMPLEX;
    wide->dtype = wide->complex_values ? TY_C128 : TY_F64;
    wide->real_size = sizeof(double);
    wide->size = (wide->complex_values ? 2 : 1) * sizeof(double);
    wide->loops = &linalg_table()->loops[wide->complex_values ? 3 : 1];
    p->wide = wide;
    return true;
}

static size_t set_of(const struct matrix_plan *p) {
    return p->room + p->packed + p->left * (size_t)p->sharing;
}

/* Prepare a matrix operator: sizes, method, scratch and number of threads. Return false with a fault on error,
   also if a size exceeds LAPACK's integers. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct matrix_plan *p = arena_alloc(arena, sizeof *p);
    if (!p) return fault_memory(fault, sizeof *p);
    *p = (struct matrix_plan){0};
    kernel->prepared = p;
    if (!cpu_whole_prepare(&p->whole, kernel, kernel->core_dtype, arena, fault)) return false;
    plan_sizes(p, kernel);
    plan_way(p);
    if (p->lapack && p->side > INT32_MAX / 256)
        return fault_set(fault, E_SHAPE, "%s: a size of %lld exceeds LAPACK's integers", kernel->op->name,
                         (long long)p->side);
    bool fits = true;
    if (p->lanes)
        p->room = matrix_group_room(p);
    else
        fits = plan_room(p);
    p->room = (p->room + 63) / 64 * 64;
    int64_t groups = (p->matrices + p->group - 1) / p->group;
    int width = parallel_width();
    if (groups < width) width = groups > 1 ? (int)groups : width;
    p->sharing = groups > 1 ? 1 : width;
    int64_t from = need_of(p)->products;
    bool products = from && !p->lanes && p->side >= from;
    size_t real = need_of(p)->wide ? sizeof(double) : p->real_size;
    p->packed = products ? (size_t)BAND * DEPTH * real : 0;
    p->left = products ? (size_t)BLOCK_ROWS * DEPTH * real : 0;
    size_t all;
    if (!fits || !checked_mul_size(set_of(p), groups > 1 ? (size_t)width : 1, &all) ||
        !cpu_reserve(kernel, all, &p->whole_bytes))
        return fault_set(fault, E_MEMORY, "%s: the workspace exceeds the address space", kernel->op->name);
    if (kernel->width < width) kernel->width = width;
    p->width = width;
    return plan_wide(p, arena, fault);
}

/* ---- work ---- */

struct matrix_work {
    const struct matrix_plan *p;
    const struct kernel *kernel;
    void *const *slots;
    char *out, *sets;
    _Atomic int64_t number; /* number of the first matrix refused; INT64_MAX: none */
};

/* Record that matrix `number` (0-based) is refused. The lowest such number is reported, whichever thread finds
   it first. */
static void refuse_matrix_number(struct matrix_work *w, int64_t number) {
    int64_t first = atomic_load(&w->number);
    while (number < first && !atomic_compare_exchange_weak(&w->number, &first, number)) {
    }
}

/* Set in[i] to a view of operand i of matrix `number`, counted row-major over the batch axes from 0. */
static void find(const struct matrix_work *w, int64_t number, struct matrix_view *in) {
    int64_t index[TY_MAX_RANK];
    const struct layout *a = &w->kernel->inputs[0].layout;
    cpu_unrank(a->rank - 2, a->shape, number, index);
    for (int i = 0; i < w->p->inputs; i++) {
        const struct operand *o = &w->kernel->inputs[i];
        int64_t at = 0, *strides = o->layout.strides;
        for (int k = 0; k < a->rank - 2; k++) at += index[k] * strides[k];
        in[i] = (struct matrix_view){operand_base(o, w->slots) + at * (int64_t)w->p->size,
                                     strides[a->rank - 2], strides[a->rank - 1], false};
    }
}

static char *result(const struct matrix_work *w, int64_t number) {
    return w->out + (size_t)(number * w->p->length) * w->p->out_size;
}

/* Compute matrix `number` in the scratch `set`; `shares`: threads divide its products. Return a fault or
   MATRIX_FINE, and set *at to the index that a fault reports. */
static enum matrix_fault run_one(const struct matrix_work *w, int64_t number, char *set, bool shares,
                                 int64_t *at) {
    const struct matrix_plan *p = w->p;
    struct matrix_job job = {.p = p, .l = p->loops, .out = result(w, number), .room = set, .shares = shares};
    job.packed = set + p->room;
    job.left = job.packed + p->packed;
    find(w, number, job.in);
    enum matrix_fault why = MATRIX_FINE;
    if (p->attr->kind == MATRIX_SVD && (p->m == 0 || p->n == 0)) { /* no values, any vectors */
        int64_t ku = p->form.n > 1 ? p->form.part[1].columns : 0,
                kv = p->form.n > 1 ? p->form.part[2].rows : 0;
        p->loops->identity(p->m, ku, job.out, ku);
        p->loops->identity(kv, p->n, job.out + (size_t)(p->m * ku) * p->size, p->n);
    } else {
        why = need_of(p)->run(&job);
    }
    *at = job.at;
    return why;
}

/* Compute the group of small matrices that begins at *number, in the scratch `set`. Return MATRIX_FINE, or the
   fault of the first refused matrix, with its number in *number and the reported index in *at. */
static enum matrix_fault run_group(const struct matrix_work *w, int64_t *number, char *set, int64_t *at) {
    const struct matrix_plan *p = w->p;
    struct matrix_group g = {.p = p, .next = set};
    int64_t first = *number;
    g.count = p->matrices - first < p->group ? p->matrices - first : p->group;
    for (int64_t lane = 0; lane < GROUP_MOST; lane++) g.at[lane] = -1;
    for (int64_t lane = 0; lane < g.count; lane++) {
        find(w, first + lane, g.in[lane]);
        g.out[lane] = result(w, first + lane);
    }
    enum matrix_fault why = matrix_groups[p->attr->kind](&g);
    for (int64_t lane = 0; lane < g.count && why; lane++)
        if (g.at[lane] >= 0) {
            *number = first + lane;
            *at = g.at[lane];
            return why;
        }
    return MATRIX_FINE;
}

static enum matrix_fault run_any(const struct matrix_work *w, int64_t group, char *set, bool shares,
                                 int64_t *number, int64_t *at) {
    *number = group * w->p->group;
    return w->p->lanes ? run_group(w, number, set, at) : run_one(w, *number, set, shares, at);
}

/* Compute groups begin .. end-1, and record refused matrices. Task of parallel_for; context is a struct
   matrix_work. */
static void run_groups(void *context, int64_t begin, int64_t end) {
    struct matrix_work *w = context;
    char *set = w->sets + (size_t)parallel_index() * set_of(w->p);
    int64_t number, at;
    for (int64_t group = begin; group < end; group++)
        if (run_any(w, group, set, false, &number, &at)) refuse_matrix_number(w, number);
}

/* Compute a refused matrix again, to set the fault that names it and the index of its failure. Always return false. */
static bool refused(const struct matrix_work *w, int64_t number, struct fault *fault) {
    int64_t at = 0, first = number / w->p->group;
    enum matrix_fault why = run_any(w, first, w->sets, false, &number, &at);
    return matrix_refused(fault, w->kernel->op, why ? why : MATRIX_NO_CONVERGENCE, at, number,
                          w->p->matrices);
}

/* Compute all matrices of a kernel. Return false, with a fault, if one is refused. */
static bool compute(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct matrix_plan *p = kernel->prepared;
    struct matrix_work w = {.p = p, .kernel = kernel, .slots = slots, .number = INT64_MAX};
    if (p->whole.count == 0) return true;
    w.sets = (char *)workspace + p->whole_bytes;
    w.out = cpu_whole_begin(&p->whole, slots, workspace);
    int64_t groups = (p->matrices + p->group - 1) / p->group, number = 0, at = 0;
    if (groups == 1) {
        enum matrix_fault why = run_any(&w, 0, w.sets, true, &number, &at);
        if (why) return matrix_refused(fault, kernel->op, why, at, number, p->matrices);
    } else {
        parallel_for(p->width, groups, 1, run_groups, &w);
        number = atomic_load(&w.number);
        if (number != INT64_MAX) return refused(&w, number, fault);
    }
    cpu_whole_end(&p->whole, kernel, slots, workspace);
    return true;
}

/* Compute all matrices of a kernel. Return false with a fault if one is refused or LAPACK cannot be opened.
   OpenBLAS's global state is consistent only between calls, so a fork waits for them. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct matrix_plan *p = kernel->prepared;
    if (!p->lapack) return compute(kernel, slots, workspace, fault);
    if (!lapack_open(kernel->op->name, fault)) return false;
    fork_hold_off();
    bool done = compute(kernel, slots, workspace, fault);
    fork_allow();
    return done;
}

const struct cpu_kind cpu_matrix = {.prepare = prepare, .launch = launch};
