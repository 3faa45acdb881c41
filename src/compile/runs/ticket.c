#include "compile/runs/ticket.h"
#include "base/alloc.h"
#include "base/ring.h"
#include "base/threads/lock.h"
#include "ops/core/kernel/cell.h"
#include "ops/core/kernel/prepared.h"

/* The ticket of a run.  The ring of tickets holds a reference until it is settled. */
struct run_ticket {
    struct ticket ticket;
    struct ring others;
    int64_t owner; /* id of the program */
    struct device *device;
    struct device_cell cell;
    void *event;
    int n;
    struct prepared **kernels; /* by number from 0; NULL: it never refuses */
    bool settled;
    struct fault fault;
    pthread_mutex_t lock; /* held while it is settled */
};

LOCK(lock)
static struct ring unsettled;

static void end(struct ticket *ticket) {
    struct run_ticket *t = (struct run_ticket *)(void *)ticket;
    for (int i = 0; i < t->n; i++)
        if (t->kernels[i]) prepared_release(t->kernels[i]);
    if (t->event && !atomic_load(&t->device->orphan)) t->device->family->event_release(t->device, t->event);
    if (t->cell.address) cell_close(t->device, &t->cell);
    pthread_mutex_destroy(&t->lock);
    mem_free(t->kernels);
    mem_free(t);
}

/* Remove a ticket from the ring, if it is there, and drop the ring's reference. */
static void leave(struct run_ticket *t) {
    lock_take(&lock);
    bool inside = t->owner;
    if (inside) ring_remove(&t->others);
    t->owner = 0;
    lock_give(&lock);
    if (inside) ticket_release(&t->ticket);
}

/* Read the cell after the kernels of the run, beside those of later runs. */
static void read_cell(struct run_ticket *t) {
    char copy[DEVICE_CELL];
    bool ended =
        device_usable(t->device, &t->fault) && t->device->family->wait(t->device, t->event, &t->fault);
    int number = ended ? cell_read_ended(t->device, &t->cell, copy, &t->fault) : -1;
    if (number > 0 && (number > t->n || !t->kernels[number - 1]))
        cell_wrong(t->device, number, t->n, &t->fault);
    else if (number > 0)
        t->device->family->refusal(t->device, &t->kernels[number - 1]->kernel, copy, &t->fault);
    t->settled = true;
}

static bool settle(struct ticket *ticket, struct fault *fault) {
    struct run_ticket *t = (struct run_ticket *)(void *)ticket;
    ticket_retain(ticket);
    fork_hold_off();
    pthread_mutex_lock(&t->lock);
    if (!t->settled) read_cell(t);
    pthread_mutex_unlock(&t->lock);
    fork_allow();
    leave(t);
    bool well = !t->fault.set || fault_copy(fault, &t->fault);
    ticket_release(ticket);
    return well;
}

/* ---- giving ---- */

/* Retain the preparations of kernels that may refuse.  False if memory runs out. */
static bool hold_kernels(struct run_ticket *t, const struct flow *f) {
    t->kernels = mem_array((size_t)f->nkernels + 1, sizeof *t->kernels);
    if (!t->kernels) return false;
    t->n = f->nkernels;
    for (int k = 0; k < t->n; k++)
        if (f->kernels[k].shared && kernel_may_refuse(f, &f->kernels[k]))
            t->kernels[k] = prepared_retain(f->kernels[k].shared);
    return true;
}

bool ticket_give(struct ty_program *p, struct device_cell *cell, struct fault *fault) {
    struct run_ticket *t = mem_alloc(sizeof *t);
    if (!t) return fault_memory(fault, sizeof *t);
    t->ticket = (struct ticket){.settle = settle, .end = end};
    atomic_init(&t->ticket.refs, 1);
    pthread_mutex_init(&t->lock, NULL);
    t->device = p->device;
    bool held = hold_kernels(t, &p->flow) || fault_memory(fault, sizeof *t);
    t->event = held ? p->device->family->record(p->device, p->device->stream, fault) : NULL;
    if (!t->event) {
        ticket_release(&t->ticket);
        return false;
    }
    t->cell = *cell;
    for (int b = 0; b < p->flow.nblocks; b++)
        if (p->results[b]) buffer_depends(p->results[b]->buffer, &t->ticket);
    lock_take(&lock);
    t->owner = p->id;
    ring_add(&unsettled, &t->others);
    lock_give(&lock);
    return true;
}

/* ---- looking ---- */

/* Return a ticket of the ring, with a reference: of the program `owner`, or if that is 0 of device d; if `ended`, only
   one whose run has ended.  NULL: there is none. */
static struct run_ticket *find(int64_t owner, const struct device *d, bool ended) {
    struct run_ticket *found = NULL;
    lock_take(&lock);
    for (struct ring *r = ring_newest(&unsettled); r && !found; r = ring_next(&unsettled, r)) {
        struct run_ticket *t = RING_ITEM(r, struct run_ticket, others);
        if (owner ? t->owner != owner : t->device != d) continue;
        if (!ended || atomic_load(&t->device->orphan) ||
            t->device->family->state(t->device, t->event) != DEVICE_PENDING)
            found = t;
    }
    if (found) ticket_retain(&found->ticket);
    lock_give(&lock);
    return found;
}

/* Settle all tickets that `find` finds.  False, with the fault set, if a kernel has refused values. */
static bool settle_all(int64_t owner, const struct device *d, struct fault *fault) {
    bool well = true;
    for (struct run_ticket *t; (t = find(owner, d, owner != 0));) {
        well = settle(&t->ticket, fault) && well;
        ticket_release(&t->ticket);
    }
    return well;
}

void tickets_forget(const struct ty_program *p) {
    for (struct run_ticket *t; (t = find(p->id, NULL, false));) {
        leave(t);
        ticket_release(&t->ticket);
    }
}

bool tickets_look(struct ty_program *p) { return settle_all(p->id, NULL, &p->fault); }
bool tickets_wait(const struct device *d, struct fault *fault) { return settle_all(0, d, fault); }
