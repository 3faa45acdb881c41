/*
 * Kernel kind CONTRACT. The compiler (src/contract) turns labels into loops, contract_plan.c turns loops into a plan,
 * contract_run.c executes it. An output window becomes several contractions, run one after the other. A contraction
 * without a matrix product becomes a reduction (contract_flat.c).
 *
 * If the compiler cuts K into spans, any thread computes the sums of a span, and they are added in order.
 */
#include <math.h>
#include <string.h>
#include "base/machine/cache.h"
#include "base/machine/core.h"
#include "base/machine/levels.h"
#include "base/workspace.h"
#include "contract/cost.h"
#include "engine/cpu/contract/contract_flat.h"
#include "engine/cpu/contract/contract_order.h"
#include "engine/cpu/contract/contract_run.h"
#include "engine/cpu/elementwise/store.h"
#include "engine/engines.h"
#include "ops/core/kernel/work.h"
#include "ops/core/row_op.h"

struct loops_part {
    const ty_contraction *c;
    struct contract_plan *plan;
    int64_t out_start; /* for the body: elements from the first of out to the part's first */
    int width;
    size_t workspace, kept_at; /* kept_at: byte offset in the kernel's kept memory */
};
struct contract_way {
    struct kernel *flat; /* NULL: use parts */
    int nparts;
    struct loops_part *parts;
};

/* ---- spans ---- */

struct span_run {
    const struct contract_call *call;
    const char *sums;
};

/* Add the partial sums of all spans of K in order, and store the totals in the output. Task of parallel_for over
   tiles begin .. end-1 of the output; context is a struct span_run. */
static void add_spans(void *context, int64_t begin, int64_t end) {
    const struct span_run *run = context;
    const struct contract_call *call = run->call;
    const struct contract_plan *p = call->plan;
    struct contract_scratch s;
    contract_scratch_mine(call, &s);
    cpu_loop add = cpu_loop_find(ROW_OP(add), p->inner, p->inner);
    for (int64_t i = begin; i < end; i++) {
        int64_t start = i * cpu_tile, n = lesser(cpu_tile, p->span_elements - start);
        memcpy(s.gathered, run->sums + start * p->out_bytes, (size_t)(n * p->out_bytes));
        for (int64_t k = 1; k < p->spans; k++)
            add(n * p->parts, s.gathered, s.gathered, run->sums + k * p->span_bytes + start * p->out_bytes,
                NULL);
        const char *values = s.gathered;
        if (p->span_narrow) {
            p->span_narrow(n, s.narrowed, values, NULL, NULL);
            values = s.narrowed;
        }
        if (p->span_body)
            cpu_body_run(p->span_body, call->slots, s.body, values, call->out_start + start, n);
        else
            memcpy(call->out + start * p->stored_bytes, values, (size_t)(n * p->stored_bytes));
    }
}

/* ---- workspace ---- */

enum { ROOM_LEAST = 1 << 18 }; /* bytes; a thread with less is not worth waking */

/* The plan made to measure a contraction's workspace. It is reused as the final plan if it fits at once. */
struct early {
    struct arena *arena;
    const ty_contraction *of; /* NULL: no plan has been made */
    struct contract_plan *plan;
};

/* The operator that a contraction belongs to. */
struct use {
    struct cpu_body *body; /* processes finished sums; NULL: they are stored */
    bool windows;          /* the operator has windows, so it gets little workspace */
    bool apart;            /* there are several parts, whose elements may alternate in the result */
    struct layout out;     /* layout of the result as if dense */
    const struct kernel *kernel;
    struct early *early; /* NULL: nothing is reused */
};

/* Return the bytes of workspace that each of `width` threads gets by default: twice L2, or a quarter of its share
   of L3 if that is more. With windows, always twice L2. An operand transposed once into L3 is read back in order.
   (eafd,fbec and 1601 squared 1.04; twice as much gave 1.05 while L3 of that Zen 4 was idle, else 0.93 to 0.95.) */
static int64_t room_most(const struct use *use, int width) {
    int64_t second = 2 * level_bytes(LEVEL_SECOND), third = (int64_t)cache_share() / (4 * (int64_t)width);
    return use->windows ? second : greater(second, third);
}

/* Return the bytes of workspace for each of `width` threads: the default, or an equal share of the user's limit if
   that is less. */
static int64_t thread_room(const struct use *use, int width) {
    int64_t cap = workspace_most(), room = room_most(use, width);
    return cap && cap / width < room ? cap / width : room;
}

/* Return the part of `room` bytes that the compiler plans with: 7/8 of them. The rest is for row padding, which
   it ignores. */
static int64_t planned(int64_t room) { return room - room / 8; }

/* Return the number of threads, 1 to `width`, that get at least ROOM_LEAST bytes each of the workspace limit. */
static int roomy_width(int width) {
    int64_t cap = workspace_most();
    return cap && cap / ROOM_LEAST < width ? (int)greater(cap / ROOM_LEAST, 1) : width;
}

/* Return the bytes of workspace that all threads share: operands packed WHOLE (once, before the loops) and the sums
   of spans of K. */
static size_t common_bytes(const struct contract_plan *p) {
    return p->shared_bytes + (p->spans > 1 ? (size_t)(p->spans * p->span_bytes) : 0);
}

static size_t workspace_of(const struct contract_plan *p, int width) {
    return common_bytes(p) + (size_t)width * p->thread_bytes;
}

/* Return the number of threads that get a task, 1 to `width`. */
static int used_width(const struct contract_plan *p, int width) {
    return (int)lesser(width, greater(1, p->tasks * p->spans));
}

/* Make the plan of c for `width` threads in the arena. Under a workspace limit they share the bytes that are not
   common to all. Return NULL with a fault on error. */
static struct contract_plan *plan_for(const ty_contraction *c, const struct use *use, int width,
                                      struct arena *arena, struct fault *fault) {
    int64_t cap = workspace_most();
    struct contract_plan *p = contract_plan_make(c, use->body, thread_room(use, width), arena, fault);
    int64_t common = p ? (int64_t)common_bytes(p) : 0;
    if (!cap || !common || (int64_t)workspace_of(p, used_width(p, width)) <= cap) return p;
    return contract_plan_make(c, use->body, greater(cap - common, 0) / width, arena, fault);
}

/* Fill in *held, the workspace of c and its limit, by making the plan of c; the plan is kept if it fits.
   False if that fails. */
static bool machine_holds(const struct contract_machine *m, const ty_contraction *c,
                          struct contract_held *held) {
    const struct use *use = m->use;
    struct early *early = use->early && use->early->of == c ? use->early : NULL;
    struct arena arena = {0};
    struct fault fault = {0};
    struct contract_plan *p = plan_for(c, use, m->threads, early ? early->arena : &arena, &fault);
    if (early) early->of = NULL;
    if (p) {
        int width = used_width(p, m->threads);
        int64_t cap = workspace_most();
        *held = (struct contract_held){
            .workspace = (int64_t)workspace_of(p, width),
            .most = cap ? cap : (int64_t)common_bytes(p) + width * room_most(use, m->threads),
            .kept = (int64_t)p->kept_bytes};
        if (early && held->workspace <= held->most) early->plan = p;
    }
    arena_drop(&arena);
    return p != NULL;
}

/* Return the call of a part. left, right and out are the buffers of its operands and of the kernel's output; the
   part's offsets are added to them. kept: the part's kept memory; NULL: none. */
static struct contract_call call_of(const struct loops_part *part, const char *left, const char *right,
                                    char *out, char *workspace, char *kept) {
    const struct contract_plan *p = part->plan;
    const ty_contraction *c = part->c;
    return (struct contract_call){.plan = p,
                                  .left = left + c->offset[TY_LEFT] * p->side[CONTRACT_LEFT].element,
                                  .right = right + c->offset[TY_RIGHT] * p->side[CONTRACT_RIGHT].element,
                                  .out = out + c->offset[TY_OUT] * p->stored_bytes,
                                  .out_start = p->ordered ? 0 : part->out_start,
                                  .shared = workspace,
                                  .threads = (uintptr_t)workspace + common_bytes(p),
                                  .kept = kept};
}

/* Compute a part, on at most part->width threads: directly, or by spans of K that are then added. */
static void run_part(const struct loops_part *part, const struct contract_call *call) {
    const struct contract_plan *p = part->plan;
    if (p->tasks == 0) return;
    if (p->spans < 2) {
        contract_run(call, part->width);
        return;
    }
    char *sums = call->shared + p->shared_bytes;
    struct span_run run = {call, sums};
    struct contract_call apart = *call;
    apart.out = sums;
    contract_run(&apart, part->width);
    parallel_for(part->width, ceil_div(p->span_elements, cpu_tile), 1, add_spans, &run);
}

/* ---- description of the machine for the compiler ---- */

/* Set the cache sizes and the workspace of `machine` for that number of threads. A small L2 has L3 close behind:
   boxes a quarter larger than L2 ran at 0.94 to 1.3 of the speed of those that fit 512 KiB (Zen 3: efbad,cf 1.3,
   efcad,bf 1.25, gradients of 1x1 kernels 1.1). A box of right that is used many times may exceed L2; it comes from
   L3 in reading order, at 70 GB/s there. */
static void tell_caches(struct contract_machine *machine, const struct use *use, int threads) {
    const double small_reach = 1.5;
    machine->l1 = level_bytes(LEVEL_FIRST);
    machine->l2 = level_bytes(LEVEL_SECOND);
    machine->l2_way = level_bytes(LEVEL_SECOND_WAY);
    machine->l3 = (int64_t)cache_share();
    machine->room = planned(room_most(use, 1));
    machine->workspace = lesser(thread_room(use, threads), planned(room_most(use, threads)));
    machine->sums_room = contract_waiting_most() / 16 * 15;
    bool small = level_second_is_small();
    machine->reach = (int64_t)((double)machine->l2 * (small ? small_reach : core_current()->reach));
    if (small) machine->l2 += machine->l2 / 4;
}

/* Set the peak arithmetic and bandwidths of a core, for vectors of sums that have `held` bytes each. */
static void tell_rates(struct contract_machine *machine, const struct brgemm_types *types, int64_t held) {
    static const int vector_bytes[ISA_COUNT] = {[ISA_BASE] = 16, [ISA_AVX2] = 32, [ISA_AVX512] = 64};
    const struct core *core = core_current();
    enum isa isa = isa_current();
    machine->lanes = vector_bytes[isa] / (int)held;
    machine->flops = core->lane[isa] * machine->lanes * types->group;
    machine->read = core->read;
    machine->stream = core->stream;
    machine->l2_bytes = core->second;
    machine->l3_bytes = core->third;
    machine->streams = core->streams;
}

/* Describe the machine for c's dtypes and `threads` threads in *machine, for the compiler's cost model. */
static void machine_of(const ty_contraction *c, int threads, const struct use *use,
                       struct contract_machine *machine) {
    ty_dtype real = dtype_table[c->sums].real;
    ty_dtype held = dtype_is(real, CLASS_FLOAT)   ? dtype_table[real].computed
                    : dtype_table[real].size == 8 ? TY_I64
                                                  : TY_I32;
    struct brgemm_types types = brgemm_types_of(c->dtype[TY_LEFT], c->dtype[TY_RIGHT], held);
    contract_machine_usual(machine, c->sums, threads);
    tell_caches(machine, use, threads);
    tell_rates(machine, &types, (int64_t)dtype_table[held].size);
    if (!dtype_is(c->sums, CLASS_COMPLEX)) {
        machine->packed = (int)dtype_table[types.left].size;
        machine->summed = (int)dtype_table[held].size;
        for (int side = 0; side < 2; side++) machine->widens[side] = brgemm_widens(c->dtype[side], held);
    }
    machine->group = types.group;
    contract_usual_tile(&types, &machine->tile_rows, &machine->tile_columns);
    machine->holds = machine_holds;
    machine->use = use;
    machine->sums_apart = use->body || (dtype_is(c->dtype[TY_OUT], CLASS_FLOAT) && c->dtype[TY_OUT] != held);
}

/* ---- preparing ---- */

/* Make the part's plan and find the number of threads whose workspace keeps the user's limit. order: elements of the
   part; NULL: without an epilogue. False with the fault set on error. */
static bool prepare_part(struct loops_part *part, const struct use *use, int width,
                         const struct contract_order *order, struct arena *arena, struct fault *fault) {
    part->plan = use->early ? use->early->plan : NULL;
    if (!part->plan) part->plan = plan_for(part->c, use, width, arena, fault);
    if (!part->plan) return false;
    if (order && !contract_order_body(part->plan, use->kernel, &use->out, order, use->apart, arena, fault))
        return false;
    part->width = used_width(part->plan, width);
    size_t cap = (size_t)workspace_most();
    while (cap && part->width > 1 && workspace_of(part->plan, part->width) > cap) part->width--;
    part->workspace = workspace_of(part->plan, part->width);
    return true;
}

/* Check that both operands have the dtype that the kernel computes in, unless sums have their own. False with
   the fault set on error. */
static bool check_operands(const struct kernel *k, struct fault *fault) {
    const struct contract_attr *attr = k->attr;
    ty_dtype left = k->inputs[0].dtype, right = k->inputs[1].dtype;
    return attr->sums || (left == right && left == k->core_dtype) ||
           fault_set(fault, E_DTYPE,
                     "a contraction computes in one dtype, but has %s and %s for a sum in %s: cast first",
                     ty_dtype_name(left), ty_dtype_name(right), ty_dtype_name(k->core_dtype));
}

/* Make the body, the program that processes finished sums, in *body. Leave *body as it is if no epilogue exists and
   out is contiguous. A result that is a box of a larger block also needs a body; its sums are planned as for a
   dense result, so bits are equal. Return false with a fault on error. */
static bool make_body(struct kernel *k, struct cpu_body **body, struct arena *arena, struct fault *fault) {
    if (!k->program && layout_is_contiguous(&k->outputs[0].layout)) return true;
    *body = cpu_body_prepare(k->program, true, k->core_dtype, k->ninputs - k->ncore, k->inputs + k->ncore,
                             k->noutputs, k->outputs, arena, fault);
    return *body != NULL;
}

/* Compile the loops of contraction c by the machine's cost model, and plan it as a part of kernel k. False with
   the fault set on error. */
static bool compile_part(struct loops_part *part, struct kernel *k, const struct use *use, ty_contraction *c,
                         struct arena *arena, struct fault *fault) {
    struct contract_machine machine;
    struct contract_order order;
    part->out_start = c->offset[TY_OUT] - use->out.offset;
    bool ordered = use->body && contract_order_of(c, part->out_start, &order);
    *use->early = (struct early){.arena = arena, .of = c};
    int width = roomy_width(work_width(c->flops + c->bytes, parallel_width()));
    for (int side = 0; side < 2; side++) c->constant[side] = k->constant >> side & 1;
    machine_of(c, width, use, &machine);
    if (!contraction_optimise(c, &machine, fault)) return false;
    part->c = c;
    return prepare_part(part, use, width, ordered ? &order : NULL, arena, fault);
}

/* Lower kernel k to contractions, its parts, and prepare each; sum up their workspace and kept bytes. False with
   the fault set on error. */
static bool prepare_parts(struct contract_way *way, struct kernel *k, struct arena *arena,
                          struct fault *fault) {
    struct contraction_parts parts;
    struct layout_room dense;
    struct early early;
    struct use use = {.early = &early,
                      .kernel = k,
                      .windows = ((const struct contract_attr *)k->attr)->nwindows > 0,
                      .out = *cpu_whole_layout(k, &dense)};
    struct contract_operand operands[3] = {{k->inputs[0].dtype, &k->inputs[0].layout},
                                           {k->inputs[1].dtype, &k->inputs[1].layout},
                                           {k->core_dtype, &use.out}};
    use.out.offset = k->outputs[0].layout.offset;
    if (!check_operands(k, fault) || !contraction_lower(&parts, k->attr, operands, arena, fault))
        return false;
    if (!make_body(k, &use.body, arena, fault)) return false;
    way->parts = arena_array(arena, (size_t)parts.n + 1, sizeof *way->parts);
    if (!way->parts) return fault_memory(fault, (size_t)parts.n * sizeof *way->parts);
    way->nparts = parts.n;
    use.apart = parts.n > 1;
    k->width = 1;
    k->workspace = k->kept = 0;
    for (int i = 0; i < parts.n; i++) {
        struct loops_part *part = &way->parts[i];
        if (!compile_part(part, k, &use, &parts.items[i], arena, fault)) return false;
        if (part->width > k->width) k->width = part->width;
        if (part->workspace > k->workspace) k->workspace = part->workspace;
        part->kept_at = k->kept;
        k->kept += part->plan->kept_bytes;
    }
    return true;
}

/* Prepare a contraction kernel: as a reduction of products if it is flat, else in parts. False with the fault
   set on error. */
static bool prepare(struct kernel *kernel, struct arena *arena, struct fault *fault) {
    struct contract_way *way = arena_alloc(arena, sizeof *way);
    if (!way) return fault_memory(fault, sizeof *way);
    kernel->prepared = way;
    way->flat = contract_flat(kernel, arena, fault);
    if (fault->set) return false;
    return way->flat || prepare_parts(way, kernel, arena, fault);
}

/* Return the call of a part with the buffers slots[] of a kernel's launch. */
static struct contract_call kernel_call(const struct kernel *kernel, const struct loops_part *part,
                                        void *const *slots, char *workspace) {
    bool swapped = part->c->swapped;
    char *kept = kernel->kept ? (char *)slots[kernel->kept_slot] + part->kept_at : NULL;
    struct contract_call call =
        call_of(part, slots[kernel->inputs[swapped].slot], slots[kernel->inputs[!swapped].slot],
                slots[kernel->outputs[0].slot], workspace, kept);
    call.slots = slots;
    return call;
}

/* Return the only part of a kernel that can run in parts; NULL if it cannot: a reduction, several parts, or sums of
   spans, which are added at the end. */
static const struct loops_part *only_part(const struct kernel *kernel) {
    const struct contract_way *way = kernel->prepared;
    return way->flat || way->nparts != 1 || way->parts->plan->spans > 1 ? NULL : way->parts;
}

/* Enlarge boxes of the result to those that the plan computes. False if it computes only all of it. */
static bool round_boxes(const struct kernel *kernel, struct boxes *boxes) {
    const struct loops_part *part = only_part(kernel);
    return part && contract_round(part->plan, part->out_start, &kernel->outputs->layout, boxes);
}

/* Compute boxes of the result, which round_boxes has enlarged. Always true. */
static bool launch_part(const struct kernel *kernel, const struct boxes *boxes, void *const *slots,
                        void *workspace, struct fault *fault) {
    const struct loops_part *part = only_part(kernel);
    struct contract_call call = kernel_call(kernel, part, slots, workspace);
    struct contract_parts parts;
    (void)fault;
    if (contract_parts_of(part->plan, part->out_start, &kernel->outputs->layout, boxes, &parts))
        call.parts = &parts;
    run_part(part, &call);
    return true;
}

/* Compute a contraction kernel on the buffers slots[]. False with the fault set on error, which only a flat one
   may have. */
static bool launch(const struct kernel *kernel, void *const *slots, void *workspace, struct fault *fault) {
    const struct contract_way *way = kernel->prepared;
    if (way->flat) return cpu_reduce.launch(way->flat, slots, workspace, fault);
    for (int i = 0; i < way->nparts; i++) {
        struct contract_call call = kernel_call(kernel, &way->parts[i], slots, workspace);
        run_part(&way->parts[i], &call);
    }
    return true;
}

/* Pack the constant operands that a contraction keeps for all later runs. */
static void keep(const struct kernel *kernel, void *const *slots, void *workspace) {
    const struct contract_way *way = kernel->prepared;
    for (int i = 0; i < way->nparts; i++) {
        struct contract_call call = kernel_call(kernel, &way->parts[i], slots, workspace);
        contract_keep(&call, way->parts[i].width);
    }
}

/* Append a description of a contraction's loops to t. */
static void describe(const struct kernel *kernel, struct text *t) {
    const struct contract_way *way = kernel->prepared;
    if (way->flat) text_add(t, "  a reduction that multiplies what it adds up\n");
    for (int i = 0; i < way->nparts; i++) {
        if (way->nparts > 1) text_add(t, "  part %d of %d\n", i + 1, way->nparts);
        contraction_describe(way->parts[i].c, t);
    }
}

const struct cpu_kind cpu_contract = {.prepare = prepare,
                                      .launch = launch,
                                      .keep = keep,
                                      .describe = describe,
                                      .round = round_boxes,
                                      .launch_part = launch_part};

/* ---- contractions configured by users ---- */

static const struct use alone = {.body = NULL};

static void runner_machine(const ty_contraction *c, int threads, struct contract_machine *machine) {
    machine_of(c, roomy_width(threads), &alone, machine);
}

struct runner {
    struct loops_part part;
    char *workspace, *kept; /* kept: behind the workspace */
    bool packed;            /* the kept sides are packed */
};

/* Prepare contraction c for runner_run: make its plan and allocate its memory in the arena. Set *prepared to
   both, and *workspace to the bytes of scratch. False with the fault set on error. */
static bool runner_prepare(const ty_contraction *c, void **prepared, int64_t *workspace, struct arena *arena,
                           struct fault *fault) {
    struct runner *r = arena_alloc(arena, sizeof *r);
    if (!r) return fault_memory(fault, sizeof *r);
    r->part.c = c;
    if (!prepare_part(&r->part, &alone, roomy_width(parallel_width()), NULL, arena, fault)) return false;
    *workspace = (int64_t)r->part.workspace;
    size_t bytes = r->part.workspace + r->part.plan->kept_bytes;
    r->workspace = arena_data(arena, bytes);
    if (!r->workspace) return fault_memory(fault, bytes);
    r->kept = r->workspace + r->part.workspace;
    *prepared = r;
    return true;
}

/* Compute a prepared contraction on left and right into out; the first run packs constant operands. Always
   true. */
static bool runner_run(void *prepared, const void *left, const void *right, void *out, struct fault *fault) {
    struct runner *r = prepared;
    struct contract_call call = call_of(&r->part, left, right, out, r->workspace, r->kept);
    (void)fault;
    if (!r->packed) contract_keep(&call, r->part.width);
    r->packed = true;
    run_part(&r->part, &call);
    return true;
}

const struct contraction_runner cpu_contraction_runner = {"cpu", runner_machine, runner_prepare, runner_run};
