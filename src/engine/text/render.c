/* Programs: a function for each nest of a list. */
#include <inttypes.h>
#include <string.h>

#include "array/dtype.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "engine/text/dialect.h"
#include "engine/text/render.h"
#include "engine/text/text.h"

/* ---- arguments ---- */

enum { SLOTS = 64 };
/* Name of a step: of equal length for all hashes. */
#define NAME "k%016" PRIx64 "_%d"

/* Add a slot to those of a kernel, unless it is there. */
static bool add_slot(int32_t slots[SLOTS], struct text_kernel *k, const ty_nest_access *a, bool writes) {
    if (a->slot < 0) return true;
    int i = 0;
    while (i < k->nslots && slots[i] != a->slot) i++;
    if (i == SLOTS) return false;
    slots[i] = a->slot;
    if (i == k->nslots) k->nslots++;
    if (writes) k->writes |= UINT64_C(1) << i;
    return true;
}
static bool collect_slots(const ty_nest *n, struct text_kernel *k, struct arena *arena, struct fault *fault) {
    int32_t slots[SLOTS];
    bool fits = true;
    for (int i = 0; i < n->nreads; i++) fits = fits && add_slot(slots, k, &n->reads[i], false);
    for (int i = 0; i < n->nwrites; i++) fits = fits && add_slot(slots, k, &n->writes[i].to, true);
    if (!fits || n->nreads > RENDER_READS)
        return fault_set(fault, E_UNSUPPORTED, "%s: a nest with more than %d operands or %d reads", n->name,
                         SLOTS, RENDER_READS);
    k->slots = arena_copy(arena, slots, (size_t)k->nslots * sizeof *slots);
    return k->slots || fault_memory(fault, (size_t)k->nslots * sizeof *slots);
}
/* Set the further arguments of a kernel: constants that vary, and the size. */
static bool collect_values(const ty_nest *n, struct text_kernel *k, struct arena *arena,
                           struct fault *fault) {
    uint64_t *values = arena_array(arena, (size_t)n->nreads + 2, sizeof *values);
    if (!values) return fault_memory(fault, ((size_t)n->nreads + 2) * sizeof *values);
    for (int i = 0; i < n->nreads; i++)
        if (n->reads[i].varies) values[k->nvalues++] = n->reads[i].constant[0];
    if (nest_is_flat(n)) values[k->nvalues++] = (uint64_t)n->dims[0].size;
    k->values = values;
    return true;
}
void render_cell(struct text *t, const struct text_kernel *k) {
    if (k->checks || k->stops)
        text_add(t, ", MEMORY %schar *cell_memory, u64 cell_offset", k->checks ? "" : "const ");
}
/* Append the parameters of a kernel. */
static void add_parameters(struct text *t, const ty_nest *n, const struct text_kernel *k) {
    const char *comma = "";
    for (int i = 0; i < k->nslots; i++, comma = ", ")
        text_add(t, "%sMEMORY %schar *m%d, u64 o%d", comma, k->writes >> i & 1 ? "" : "const ", k->slots[i],
                 k->slots[i]);
    render_cell(t, k);
    for (int i = 0; i < n->nreads; i++) {
        if (!n->reads[i].varies) continue;
        text_add(t, "%su64 c%d", comma, i);
        comma = ", ";
    }
    if (nest_is_flat(n)) {
        text_add(t, "%su64 size", comma);
        comma = ", ";
    }
    if (k->checks) text_add(t, "%su64 call", comma);
}
void render_look(struct text *t, const struct text_kernel *k) {
    if (k->checks)
        text_add(t, "MEMORY u32 *cell = (MEMORY u32 *)(cell_memory + cell_offset);\n"
                    "if (*cell != 0 && *cell != (u32)call) return;\n");
    else if (k->stops)
        text_add(t, "if (*(MEMORY const u32 *)(cell_memory + cell_offset) != 0) return;\n");
}
static bool writes_slot(const struct text_kernel *k, int slot) {
    for (int i = 0; i < k->nslots; i++)
        if (k->slots[i] == slot) return k->writes >> i & 1;
    return false;
}
/* Return access i of a nest: its reads come first. */
static const ty_nest_access *access_of(const ty_nest *n, int i) {
    return i < n->nreads ? &n->reads[i] : &n->writes[i - n->nreads].to;
}
/* Append the pointers of accesses from `first` on that have its dtype and may write or not as it may; seen[slot] are
   the dtypes of which there is a pointer. */
static void add_pointers(struct render *r, const struct text_kernel *k, int first, uint64_t *seen) {
    const ty_dtype dtype = access_of(r->nest, first)->dtype;
    const char *type = text_type(dtype), *constant = "", *comma = NULL;
    bool writes = writes_slot(k, access_of(r->nest, first)->slot);
    if (!writes) constant = "const ";
    for (int i = first; i < r->nest->nreads + r->nest->nwrites; i++) {
        const ty_nest_access *a = access_of(r->nest, i);
        int slot = 0;
        if (a->slot < 0 || a->dtype != dtype || writes_slot(k, a->slot) != writes) continue;
        while (k->slots[slot] != a->slot) slot++;
        if (seen[slot] >> dtype & 1) continue;
        seen[slot] |= UINT64_C(1) << dtype;
        if (comma)
            text_add(r->t, "%s", comma);
        else
            text_add(r->t, "MEMORY %s%s ", constant, type);
        comma = ", ";
        text_add(r->t, "*p%d_%s = (MEMORY %s%s *)(m%d + o%d)", a->slot, type, constant, type, a->slot,
                 a->slot);
    }
    if (comma) text_add(r->t, ";\n");
}

/* ---- bodies ---- */

/* Append FOLD loops with all that they contain, and the folds' registers. */
static void add_folds(struct render *r) {
    const ty_nest *n = r->nest;
    int outer = outer_dims(n);
    for (int f = 0; f < n->nfolds; f++) render_fold_begin(r, f);
    for (int d = outer; d < n->ndims; d++) render_loop(r, d);
    render_reads(r, true);
    render_instrs(r, n->before, n->nbefore, first_before(n));
    for (int f = 0; f < n->nfolds; f++) render_fold_term(r, f);
    for (int d = n->ndims - 1; d >= outer; d--) {
        text_add(r->t, "}\n");
        for (int f = 0; f < n->nfolds; f++) render_fold_loop_end(r, f, d);
    }
    for (int f = 0; f < n->nfolds; f++) render_fold_result(r, f);
}
/* Append what happens for each index of the PARALLEL dims. */
static void add_body(struct render *r, int parallel) {
    const ty_nest *n = r->nest;
    int outer = outer_dims(n);
    if (r->tile.lanes) {
        render_tile(r);
        return;
    }
    if (n->ndims && n->dims[n->ndims - 1].role == TY_NEST_RUN) {
        render_run(r);
        return;
    }
    for (int d = parallel; d < outer; d++) render_loop(r, d);
    render_reads(r, false);
    if (n->nfolds) {
        add_folds(r);
    } else {
        render_reads(r, true);
        render_instrs(r, n->before, n->nbefore, first_before(n));
    }
    render_instrs(r, n->after, n->nafter, first_after(n));
    render_writes(r);
    render_checks(r);
    for (int d = parallel; d < outer; d++) text_add(r->t, "}\n");
}
/* Append index i of dim d, whose value is `item`; in tiles also the number t of the tile, and its first index s. */
static void add_index(struct render *r, int d, const char *item) {
    int extent = tile_extent(&r->tile, d);
    int64_t size = r->nest->dims[d].size;
    if (extent == 1) {
        text_add(r->t, "const %s i%d = %s;\n", r->index, d, item);
        return;
    }
    text_add(r->t, "const %s t%d = %s, s%d = t%d * %d", r->index, d, item, d, d, extent);
    if (size % extent && nest_is_flat(r->nest))
        text_add(r->t, " < n0 - %d ? t%d * %d : n0 - %d", extent, d, extent, extent);
    else if (size % extent)
        text_add(r->t, " < %" PRId64 " ? t%d * %d : %" PRId64, size - extent, d, extent, size - extent);
    text_add(r->t, ", i%d = s%d;\n", d, d);
}
/* Return the dim that is work items' dimension 0: the last PARALLEL one.  In transposes it is the row, along which the
   elements read are contiguous, so that neighbouring items read neighbouring memory. */
static int first_item_dim(const struct render *r, int parallel) {
    bool square = r->tile.row >= 0 && !r->nest->nfolds;
    return square ? r->tile.row : parallel - 1;
}
/* Append indices of the PARALLEL dims, of which all but one share work items' dimension 1. */
static void add_items(struct render *r, const struct text_kernel *k, int parallel) {
    const char *outer = k->checks ? "INNER" : "ITEM", *inner = k->ndims == 2 ? "INNER" : outer;
    if (k->ndims == 2)
        text_add(r->t, "EACH_%s(%s, item1, 1, %" PRId64 ") {\n", outer, r->index, k->global[1]);
    int first = first_item_dim(r, parallel), extent = parallel ? tile_extent(&r->tile, first) : 1;
    if (nest_is_flat(r->nest))
        text_add(r->t, "const %s n0 = (%s)size;\nEACH_%s(%s, item0, 0, (n0 + %d) / %d) {\n", r->index,
                 r->index, inner, r->index, extent - 1, extent);
    else
        text_add(r->t, "EACH_%s(%s, item0, 0, %" PRId64 ") {\n", inner, r->index, k->global[0]);
    if (parallel) add_index(r, first, "item0");
    int64_t below = 1;
    for (int d = parallel - 1; d >= 0; d--) {
        int64_t count = tile_count(&r->tile, r->nest, d);
        char by[32] = "", rest[32] = "", item[80];
        if (d == first) continue;
        if (below > 1) text_print(by, sizeof by, " / %" PRId64, below);
        below *= count;
        if (below < k->global[1]) text_print(rest, sizeof rest, " %% %" PRId64, count);
        text_print(item, sizeof item, "item1%s%s", by, rest);
        add_index(r, d, item);
    }
}

/* ---- kernels ---- */

/* Return the largest absolute value of an offset of an access, saturated. */
static double reach(const ty_nest *n, const ty_nest_access *a) {
    double most = a->offset < 0 ? -(double)a->offset : (double)a->offset;
    for (int d = 0; d < n->ndims; d++) {
        double stride = a->strides[d] < 0 ? -(double)a->strides[d] : (double)a->strides[d];
        most += stride * (double)n->dims[d].size;
    }
    for (int i = 0; i < a->nterms; i++) {
        double stride = a->terms[i].stride < 0 ? -(double)a->terms[i].stride : (double)a->terms[i].stride;
        most += stride * (double)a->terms[i].bound;
    }
    return most;
}
/* True if all offsets and counts of items fit 32 bits, also those of tiles, blocks and groups behind the last one. */
static bool is_narrow(const ty_nest *n, const struct text_kernel *k) {
    double most = (double)k->global[0] > (double)k->global[1] ? (double)k->global[0] : (double)k->global[1];
    for (int i = 0; i < n->nreads + n->nwrites; i++) {
        double offset = reach(n, i < n->nreads ? &n->reads[i] : &n->writes[i - n->nreads].to);
        most = offset > most ? offset : most;
    }
    for (int d = 0; d < n->ndims; d++) most = (double)n->dims[d].size > most ? (double)n->dims[d].size : most;
    return most < 0x1p30;
}

/* Check that all dtypes and operators of a nest have a text on the device. */
static bool has_text(ty_dtype dtype, struct text_device device, struct text_uses *uses, struct fault *fault) {
    bool wide = dtype == TY_F64 || dtype == TY_C128;
    if (wide) uses->doubles = true;
    return !wide || device.f64 || fault_set(fault, E_UNSUPPORTED, "the device has no f64");
}
static bool have_text(const ty_nest_instr *instrs, int n, struct text_device device, struct text_uses *uses,
                      struct fault *fault) {
    for (int i = 0; i < n; i++) {
        const ty_nest_instr *in = &instrs[i];
        bool converts = !strcmp(in->name, "cast") || !strcmp(in->name, "view_as");
        bool known = render_is_random(in) || converts || text_row(in->name) < ROWS;
        if (!has_text(in->in, device, uses, fault) || !has_text(in->out, device, uses, fault)) return false;
        if (!known)
            return fault_set(fault, E_UNSUPPORTED, "%s of %s has no text yet", in->name,
                             dtype_table[in->in].name);
        bool doubles = render_is_random(in) ? in->out == TY_F64
                       : converts           ? !strcmp(in->name, "cast") && text_cast_doubles(in->in, in->out)
                                            : text_row_doubles(text_row(in->name), in->in);
        if (doubles && !device.f64)
            return fault_set(fault, E_UNSUPPORTED, "the device has no f64, in which %s of %s computes",
                             in->name, dtype_table[in->in].name);
    }
    return true;
}
static bool nest_has_text(const ty_nest *n, struct text_device device, struct text_uses *uses,
                          struct fault *fault) {
    for (int i = 0; i < n->nreads; i++)
        if (!has_text(n->reads[i].dtype, device, uses, fault)) return false;
    for (int i = 0; i < n->nfolds; i++)
        if (!has_text(n->folds[i].dtype, device, uses, fault)) return false;
    return have_text(n->before, n->nbefore, device, uses, fault) &&
           have_text(n->after, n->nafter, device, uses, fault);
}

/* True if an operator is a row with a text for vectors. */
static bool has_vectors(const ty_nest_instr *in) {
    return !render_is_random(in) && text_has_vectors(text_row(in->name), in->in);
}

/* Append a step from its parameters on, and describe it. */
static bool render_nest(struct text *t, const ty_nest *n, struct text_uses *uses, struct text_device device,
                        struct text_kernel *k, struct arena *arena, struct fault *fault) {
    int parallel = 0;
    while (parallel < n->ndims && n->dims[parallel].role == TY_NEST_PARALLEL) parallel++;
    if (!nest_has_text(n, device, uses, fault) || !collect_slots(n, k, arena, fault) ||
        !collect_values(n, k, arena, fault))
        return false;
    k->checks = n->nchecks > 0, k->stops = device.stops && !k->checks, k->nchecks = n->nchecks;
    k->ndims = parallel > 1 ? 2 : 1;
    struct render r = {
        .t = t, .nest = n, .uses = uses, .tile = tile_of(n, device.lanes, device.strips, has_vectors)};
    if (r.tile.lanes) uses->lanes[r.tile.dtype] |= r.tile.lanes;
    for (int i = 0; i < 3; i++) k->global[i] = 1;
    for (int d = 0; d < parallel; d++)
        k->global[d != first_item_dim(&r, parallel)] *= tile_count(&r.tile, n, d);
    k->items = k->global[0] * k->global[1];
    if (n->nchecks && (double)k->items * n->nchecks >= 0x1p32)
        return fault_set(fault, E_UNSUPPORTED, "%s: a nest with %.0f checks; expected fewer than 2^32",
                         n->name, (double)k->items * n->nchecks);
    r.index = device.wide_index || !is_narrow(n, k) ? "i64" : "i32";
    add_parameters(t, n, k);
    text_add(t, ") {\n");
    render_look(t, k);
    uint64_t seen[SLOTS] = {0};
    for (int i = 0; i < n->nreads + n->nwrites; i++) add_pointers(&r, k, i, seen);
    add_items(&r, k, parallel);
    add_body(&r, parallel);
    for (int d = 0; d < k->ndims; d++) text_add(t, "}\n");
    text_add(t, "}\n");
    return true;
}

/* Set the names of the functions, of which steps[at[i]] is the room for name i, from the hash of all of them. */
static void set_names(struct text *steps, const size_t *at, struct text_kernel *kernels, int n) {
    uint64_t hash = hash_bytes(steps->data, steps->length);
    for (int i = 0; i < n; i++) {
        text_print(kernels[i].name, sizeof kernels[i].name, NAME, hash, i);
        memcpy(steps->data + at[i], kernels[i].name, strlen(kernels[i].name));
    }
}

bool text_render(const struct ty_nests *nests, const struct text_dialect *dialect, struct text_device device,
                 struct arena *arena, struct text_program *program, struct fault *fault) {
    struct text steps = {0};
    size_t n = (size_t)nests->nsteps + 1;
    struct text_uses *uses = arena_alloc(arena, sizeof *uses);
    struct text_kernel *kernels = arena_array(arena, n, sizeof *kernels);
    size_t *at = arena_array(arena, n, sizeof *at);
    *program = (struct text_program){
        .options = dialect->options, .uses = uses, .kernels = kernels, .nkernels = nests->nsteps};
    bool good = (uses && kernels && at) || fault_memory(fault, sizeof *uses);
    for (int i = 0; good && i < nests->nsteps; i++) {
        const ty_nest_step *step = &nests->steps[i];
        text_add(&steps, "STEP ");
        at[i] = steps.length;
        text_add(&steps, NAME "(", UINT64_C(0), i);
        good = step->nest ? render_nest(&steps, step->nest, uses, device, &kernels[i], arena, fault)
                          : render_algorithm(&steps, step, uses, device, &kernels[i], arena, fault);
    }
    if (good && steps.failed) good = fault_memory(fault, steps.length);
    if (good && nests->nsteps) set_names(&steps, at, kernels, nests->nsteps);
    program->length = steps.length;
    if (good) program->steps = arena_copy(arena, steps.length ? steps.data : "", steps.length + 1);
    if (good && !program->steps) good = fault_memory(fault, steps.length);
    text_drop(&steps);
    return good;
}

void text_join(struct text *t, int n, const struct text_program *const *programs,
               const struct text_dialect *dialect, bool f64) {
    struct text_uses all = {0};
    for (int i = 0; i < n; i++)
        for (size_t b = 0; b < sizeof all; b++)
            ((uint8_t *)&all)[b] |= ((const uint8_t *)programs[i]->uses)[b];
    text_add_rows(t, &all, dialect, f64);
    render_algorithms(t, &all);
    for (int i = 0; i < n; i++) text_add_bytes(t, programs[i]->steps, programs[i]->length);
}

struct text_uses *text_uses_copy(const struct text_uses *uses) {
    struct text_uses *copy = mem_alloc(sizeof *copy);
    return copy ? memcpy(copy, uses, sizeof *copy) : NULL;
}
