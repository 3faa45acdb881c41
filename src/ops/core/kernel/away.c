/* A copy of an operand has the range of elements that the operand touches. */
#include "ops/core/kernel/away.h"
#include <string.h>
#include "base/alloc.h"
#include "base/context/context.h"
#include "base/context/stop.h"
#include "ops/core/guard.h"
#include "ops/core/kernel/cell.h"
#include "ops/core/kernel/operand.h"
#include "ops/core/kernel/prepared.h"

bool away_prepare(struct kernel *k, struct fault *fault) {
    struct kernel plain = *k;
    plain.device = NULL;
    plain.prepared = NULL;
    plain.constant = 0; /* nothing is kept on the host */
    k->away = prepared_for(engine_table[0], &plain, fault);
    k->workspace = 0;
    return k->away;
}

void away_drop(struct kernel *k) { prepared_release(k->away); }

void away_describe(const struct kernel *k, struct text *t) {
    if (k->away) text_add(t, "computed by %s, on copies of its operands\n", k->away->engine->name);
}

/* A copy of an operand.  Results whose ranges overlap, as those of a concatenation along an inner axis, share one: of
   two copies, the last to return would bring old bytes for the elements of the other. */
struct piece {
    char *data;   /* NULL: it has no elements, or another piece has its copy */
    char *remote; /* address of its first byte where the operand is */
    size_t bytes; /* from the first element that it touches to the last */
    bool reads;   /* its bytes are copied before the kernel is executed */
    int joined;   /* number of the operand whose piece includes it; its own: none */
};

/* Return the range of operand i of k, whose memory is at slots[], without a copy. */
static struct piece range_of(const struct kernel *k, int i, void *const *slots) {
    struct layout_room room;
    const struct operand *o = kernel_operand(k, i);
    const struct layout *inside = operand_inside(o, &room);
    int64_t low, high, size = (int64_t)dtype_table[o->dtype].size;
    layout_extent(inside, &low, &high);
    return (struct piece){.remote = (char *)slots[o->slot] + low * size,
                          .bytes = (size_t)((high - low) * size),
                          .reads =
                              i < k->ninputs || !layout_is_contiguous(inside), /* gaps keep their elements */
                          .joined = i};
}

/* Extend piece i to include piece j, if both share bytes. */
static void join(struct piece *pieces, int i, int j) {
    struct piece *p = &pieces[i], *q = &pieces[j];
    char *end = p->remote + p->bytes, *other = q->remote + q->bytes;
    if (q->joined != j || p->remote >= other || q->remote >= end) return;
    if (q->remote < p->remote) p->remote = q->remote;
    p->bytes = (size_t)((other > end ? other : end) - p->remote);
    p->reads = true;
    q->joined = i;
}

/* Set pieces[] to the ranges of k's operands, whose memory is at slots[]; none has a copy yet. */
static void find_ranges(const struct kernel *k, void *const *slots, struct piece *pieces) {
    for (int i = 0; i < k->ninputs + k->noutputs; i++) pieces[i] = range_of(k, i, slots);
    for (int i = k->ninputs; i < k->ninputs + k->noutputs; i++)
        for (int j = k->ninputs; j < i; j++) join(pieces, i, j);
}

/* Return true if piece i has a copy of its own. */
static bool has_copy(const struct piece *pieces, int i) { return pieces[i].joined == i && pieces[i].bytes; }

/* Set table[] to the addresses of k's operands in their copies. */
static void find_addresses(const struct kernel *k, void *const *slots, const struct piece *pieces,
                           void **table) {
    for (int i = 0; i < k->ninputs + k->noutputs; i++) {
        int at = i;
        char *first = operand_base(kernel_operand(k, i), slots);
        while (pieces[at].joined != at) at = pieces[at].joined;
        table[i] = has_copy(pieces, at) ? pieces[at].data + (first - pieces[at].remote) : first;
    }
}

/* Copy the operands of k to a->kernel with slots of their own.  False if memory runs out. */
static bool renumber(struct away *a, const struct kernel *k) {
    int n = k->ninputs + k->noutputs;
    struct operand *x = mem_array((size_t)n + 1, sizeof *x);
    a->kernel = *k;
    a->kernel.inputs = x;
    a->kernel.outputs = x + k->ninputs;
    a->kernel.device = NULL;
    for (int i = 0; x && i < n; i++) {
        x[i] = *kernel_operand(k, i);
        x[i].slot = i;
        x[i].layout.offset = 0;
    }
    return x;
}

bool away_open(struct away *a, const struct kernel *k, void *const *slots, struct fault *fault) {
    int n = k->ninputs + k->noutputs;
    *a = (struct away){.of = k, .from = slots};
    a->pieces = mem_array((size_t)n, sizeof *a->pieces);
    a->slots = mem_array((size_t)n + 1, sizeof *a->slots);
    bool done =
        (a->pieces && a->slots && renumber(a, k)) || fault_memory(fault, (size_t)n * sizeof *a->pieces);
    if (done) find_ranges(k, slots, a->pieces);
    for (int i = 0; i < n && done; i++) {
        struct piece *p = &a->pieces[i];
        if (!has_copy(a->pieces, i)) continue;
        p->data = mem_data_alloc(p->bytes);
        done = (p->data || fault_memory(fault, p->bytes)) &&
               (!p->reads || device_download(k->device, p->data, p->remote, p->bytes, fault));
    }
    if (done) find_addresses(k, slots, a->pieces, a->slots);
    return done;
}

bool away_deliver(const struct away *a, struct fault *fault) {
    for (int i = a->of->ninputs; i < a->of->ninputs + a->of->noutputs; i++) {
        const struct piece *p = &a->pieces[i];
        if (has_copy(a->pieces, i) && !device_upload(a->of->device, p->remote, p->data, p->bytes, fault))
            return false;
    }
    return true;
}

bool away_fetch_results(const struct away *a, struct fault *fault) {
    for (int i = a->of->ninputs; i < a->of->ninputs + a->of->noutputs; i++) {
        const struct piece *p = &a->pieces[i];
        if (has_copy(a->pieces, i) && !device_download(a->of->device, p->data, p->remote, p->bytes, fault))
            return false;
    }
    return true;
}

void away_close(struct away *a) {
    for (int i = 0; a->pieces && i < a->of->ninputs + a->of->noutputs; i++)
        mem_data_free(a->pieces[i].data, a->pieces[i].bytes);
    mem_free(a->kernel.inputs);
    mem_free(a->pieces);
    mem_free(a->slots);
}

/* Set *refused to whether the error cell of the run is set, and the kernel must do nothing then.  False, with the fault
   set, on failure. */
static bool find_refused(const struct kernel *k, bool *refused, struct fault *fault) {
    const struct device_cell *cell = context_thread.cell;
    char copy[DEVICE_CELL];
    int number = cell && cell->looks && cell->address ? cell_read(k->device, cell, copy, fault) : 0;
    *refused = number > 0;
    return number >= 0;
}

/* ---- operands at home, computing on a device ---- */

/* Make room on device d for piece p, whose bytes are in the host's memory, and copy them if it `reads`.  False, with
   the fault set, on failure. */
static bool send(struct device *d, struct piece *p, struct fault *fault) {
    p->data = device_allocate(d, p->bytes, fault);
    return p->data && (!p->reads || device_upload_new(d, p->data, p->remote, p->bytes, fault));
}

/* Execute p, of a device, for kernel k, whose operands are in the host's memory.  pieces and table: room for all
   operands.  False, with the fault set, on failure. */
static bool visit(const struct kernel *k, struct prepared *p, void *const *slots, struct piece *pieces,
                  void **table, struct fault *fault) {
    struct device *d = p->engine->device;
    size_t bytes = p->kernel.workspace;
    struct device_cell cell = {0};
    char copy[DEVICE_CELL];
    bool done = cell_open(d, &cell, fault);
    find_ranges(k, slots, pieces);
    for (int i = 0; i < k->ninputs + k->noutputs && done; i++)
        done = !has_copy(pieces, i) || send(d, &pieces[i], fault);
    if (done) find_addresses(k, slots, pieces, table);
    for (int i = 0; i < k->ninputs + k->noutputs; i++)
        if (!pieces[i].bytes) table[i] = NULL; /* the device knows no address of the host */
    void *workspace = done && bytes ? device_allocate(d, bytes, fault) : NULL;
    done = done && (workspace || !bytes);
    const struct device_cell *outer = context_thread.cell;
    cell.number = 1;
    context_thread.cell = &cell;
    done = done && prepared_start(p, table, workspace, fault);
    context_thread.cell = outer;
    int refused = done ? cell_read(d, &cell, copy, fault) : 0;
    if (refused > 0) d->family->refusal(d, &p->kernel, copy, fault);
    done = done && !refused;
    for (int i = k->ninputs; i < k->ninputs + k->noutputs && done; i++)
        done = !has_copy(pieces, i) ||
               device_download(d, pieces[i].remote, pieces[i].data, pieces[i].bytes, fault);
    for (int i = 0; i < k->ninputs + k->noutputs; i++) device_free(d, pieces[i].data);
    device_free(d, workspace);
    if (cell.address) cell_close(d, &cell);
    return done;
}

bool away_compute(const struct kernel *k, struct prepared *p, void *const *slots, void *workspace,
                  struct fault *fault) {
    size_t n = (size_t)(k->ninputs + k->noutputs);
    if (!p->engine->device) return prepared_start(p, slots, workspace, fault);
    struct piece *pieces = mem_array(n, sizeof *pieces);
    void **table = mem_array(n + 1, sizeof *table);
    bool done =
        pieces && table ? visit(k, p, slots, pieces, table, fault) : fault_memory(fault, n * sizeof *pieces);
    mem_free(pieces);
    mem_free(table);
    return done;
}

static bool launch_across(const struct kernel *k, void *const *slots, void *workspace, struct fault *fault) {
    return away_compute(k, k->away, slots, workspace, fault);
}
/* Engine of kernels in the host's memory that another engine computes. */
static const struct engine across = {
    .name = "across", .launch = launch_across, .describe = away_describe, .drop = away_drop};

struct prepared *away_prepared(const struct engine *at, const struct engine *by, const struct kernel *k,
                               struct fault *fault) {
    struct kernel plain = *k;
    plain.device = NULL;
    plain.prepared = NULL;
    plain.constant = 0;
    struct prepared *inner = prepared_for(by, &plain, fault);
    return inner ? prepared_around(at->device ? at : &across, &plain, inner, fault) : NULL;
}

/* ---- operands on a device ---- */

bool away_launch(const struct kernel *k, void *const *slots, struct fault *fault) {
    struct away a = {0};
    size_t bytes = k->away->engine->device ? 0 : k->away->kernel.workspace;
    bool refused;
    if (!find_refused(k, &refused, fault) || refused) return refused;
    void *workspace = bytes ? mem_data_alloc(bytes) : NULL;
    bool done = workspace || !bytes || fault_memory(fault, bytes);
    done = done && away_open(&a, k, slots, fault) &&
           away_compute(&a.kernel, k->away, a.slots, workspace, fault) && stop_end(fault) &&
           away_deliver(&a, fault);
    away_close(&a);
    mem_data_free(workspace, bytes);
    return done;
}
