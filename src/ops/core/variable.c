/* Variables shared by threads.  A run takes the buffers of all variables that it reads at one moment and claims
   those that it updates, until it ends.  It waits if one to update is claimed by another run, or one to read is
   written in place. */
#include "ops/core/variable.h"
#include "base/context/context.h"
#include "base/threads/cancel.h"
#include "array/scope.h"
#include "base/threads/lock.h"
#include "ops/core/changes.h"
#include "ops/core/op.h"

LOCK(lock) /* guards buffer, offset, claim and version of lazy variables, `current` of eager ones */
/* Signalled when a claim ends.  Nobody waits for it during a fork, since waiters are in runs, which a fork waits
   for. */
static pthread_cond_t given = PTHREAD_COND_INITIALIZER;
static int waiting;

/* ---- taking ---- */

static bool must_wait(int n, const struct variable_use *uses) {
    for (int i = 0; i < n; i++)
        if (uses[i].leaf->claim > (uses[i].updates ? CLAIM_NONE : CLAIM_UPDATE)) return true;
    return false;
}

/* Claim the leaf of `use` for an update: set its claim, and use->in_place. It is in place if no other tensor
   shares the leaf's buffer and the buffer is not borrowed. The lock must be held. */
static void claim(struct variable_use *use) {
    struct buffer *b = use->leaf->buffer;
    use->in_place = b && atomic_load(&b->refs) == 1 && !b->done;
    use->leaf->claim = use->in_place ? CLAIM_IN_PLACE : CLAIM_UPDATE;
}

/* Store buffer, address and version of the variable's present value in *use; retain the buffer. */
static void take(struct variable_use *use) {
    const ty_tensor *leaf = use->leaf;
    use->buffer = leaf->buffer ? buffer_retain(leaf->buffer) : NULL;
    use->offset = dtype_bytes(leaf->dtype, leaf->layout.offset);
    use->data = leaf->buffer ? __atomic_load_n(&leaf->buffer->data, __ATOMIC_ACQUIRE) : NULL;
    if (use->data) use->data += use->offset;
    use->version = leaf->version;
}

/* Take the buffers of n variables' leaves into uses[n], and claim those to be updated, all at one moment;
   waits for conflicting runs. Leaves are claimed first, because taking adds the run's own references. False, and
   nothing is taken, if it would have to wait but this thread must not, or `waits` is false. */
static bool take_all(int n, struct variable_use *uses, bool waits) {
    lock_take(&lock);
    while (must_wait(n, uses)) {
        if (!waits || context_thread.held) return lock_give(&lock), false;
        waiting++;
        int cancel = cancel_hold_off();
        pthread_cond_wait(&given, &lock.mutex);
        cancel_restore(cancel);
        waiting--;
    }
    for (int i = 0; i < n; i++)
        if (uses[i].updates) claim(&uses[i]);
    for (int i = 0; i < n; i++) take(&uses[i]);
    lock_give(&lock);
    return true;
}

bool variables_take(int n, struct variable_use *uses) { return !n || take_all(n, uses, true); }

bool variables_take_part(struct variable_use *use) { return take_all(1, use, !thread_now()->runs); }

/* ---- giving up ---- */

/* Give the variable buffer b, from element `offset` on, taking over the caller's reference, and count up its
   version. The old buffer is added to *dead if nothing else uses it. */
static void replace(ty_tensor *variable, struct buffer *b, int64_t offset, struct buffer **dead) {
    buffer_drop(variable->buffer, dead);
    variable->buffer = b;
    variable->layout.offset = offset;
    variable->version++;
}

/* End the use of one leaf: drop its claim and references, and store the new value use->fresh in it if `done`.
   If another value was assigned since, so that the buffer changed, that one stays. Buffers without references
   are added to the list *dead. */
static void give(struct variable_use *use, bool done, struct buffer **dead) {
    if (use->updates) use->leaf->claim = CLAIM_NONE;
    if (use->in_place) use->leaf->version++;
    if (use->fresh && done && use->leaf->buffer == use->buffer)
        replace(use->leaf, use->fresh, 0, dead);
    else
        buffer_drop(use->fresh, dead);
    buffer_drop(use->buffer, dead);
    use->fresh = use->buffer = NULL;
}

/* End n uses of leaves: drop all claims and, if `done`, store the new values. Buffers without references are
   added to the list *dead, which the caller frees. Takes no lock if no leaf is updated, since readers hold no
   claims. */
void variables_give(int n, struct variable_use *uses, bool done, struct buffer **dead) {
    bool claims = false;
    for (int i = 0; i < n; i++) claims |= uses[i].updates;
    if (claims) lock_take(&lock);
    for (int i = 0; i < n; i++) give(&uses[i], done, dead);
    if (claims && waiting) pthread_cond_broadcast(&given);
    if (claims) lock_give(&lock);
}

/* ---- parts ---- */

void variables_give_part(struct variable_use *use, bool done, const struct box *b, struct buffer **dead) {
    lock_take(&lock);
    ty_tensor *leaf = use->leaf;
    bool same = leaf->buffer == use->buffer; /* else it was assigned meanwhile */
    give(use, done, dead);
    if (done && same && b) changes_add(leaf, b);
    if (waiting) pthread_cond_broadcast(&given);
    lock_give(&lock);
}

bool variable_changes(const ty_tensor *variable, int64_t seen, struct boxes *to) {
    lock_take(&lock);
    bool known = changes_since(variable, seen, to);
    lock_give(&lock);
    return known;
}

/* ---- assigning ---- */

/* Make *leaf the value of the variable. Afterwards *leaf is the reference that the caller must release: the
   old leaf, or the new one, whose buffer the variable then shares. Buffers without references are added to
   *dead. The lock must be held. */
static void assign(ty_tensor *variable, ty_tensor **leaf, struct buffer **dead) {
    ty_tensor *old = variable->current;
    if (old) {
        __atomic_store_n(&variable->current, *leaf, __ATOMIC_RELAXED);
        *leaf = old;
        return;
    }
    replace(variable, buffer_retain((*leaf)->buffer), (*leaf)->layout.offset, dead);
    if (variable->claim == CLAIM_IN_PLACE)
        variable->claim = CLAIM_UPDATE; /* the old buffer belongs to the run alone now */
}

void variables_assign(int n, ty_tensor *const *variables, ty_tensor **leaves) {
    struct buffer *dead = NULL;
    lock_take(&lock);
    for (int i = 0; i < n; i++) assign(variables[i], &leaves[i], &dead);
    if (waiting) pthread_cond_broadcast(&given);
    lock_give(&lock);
    buffers_end(dead);
    for (int i = 0; i < n; i++) tensor_free_one_reference(leaves[i]);
}

/* ---- reading eager variables ---- */

ty_tensor *variable_value(ty_tensor *variable) {
    lock_take(&lock);
    ty_tensor *now = ty_retain(variable->current);
    lock_give(&lock);
    if (!scope_hold(now)) tensor_free_one_reference(now);
    return now;
}
