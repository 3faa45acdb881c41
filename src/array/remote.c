/* Copies of buffers in device memory. */
#include "array/remote.h"
#include <pthread.h>
#include <string.h>
#include "array/form.h"
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/threads/lock.h"

struct copy {
    struct copy *next;
    struct device *device;
    char *address;
    bool valid;
};

/* Copies of a buffer in device memory, and its memory of the host.  The lock is held while elements are copied. */
struct remote {
    pthread_mutex_t lock;
    struct copy *copies;
    char *home;            /* the buffer's memory of the host, valid or not; NULL: none yet */
    bool owned;            /* `home` was allocated here */
    struct ticket *ticket; /* to settle before the elements are used; NULL: none */
    ty_context *account;
};

/* A fork waits while the lock is held, so that the child finds it free. */
static void enter(struct remote *r) {
    fork_hold_off();
    pthread_mutex_lock(&r->lock);
}
static void leave(struct remote *r) {
    pthread_mutex_unlock(&r->lock);
    fork_allow();
}

/* Address of no elements. */
static char nothing[64];

/* ---- making ---- */

static struct remote *remote_new(char *home) {
    struct remote *r = mem_alloc(sizeof *r);
    if (!r) return NULL;
    pthread_mutex_init(&r->lock, NULL);
    r->home = home;
    return r;
}

static void remote_free(struct remote *r) {
    pthread_mutex_destroy(&r->lock);
    mem_free(r);
}

/* Return what b has in device memory, made now if there is nothing.  NULL, with the fault set, if memory runs out. */
static struct remote *remote_of(struct buffer *b, struct fault *fault) {
    struct remote *r = __atomic_load_n(&b->remote, __ATOMIC_ACQUIRE), *none = NULL;
    if (r) return r;
    r = remote_new(b->data);
    if (!r) return fault_memory(fault, sizeof *r), NULL;
    if (__atomic_compare_exchange_n(&b->remote, &none, r, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return r;
    remote_free(r); /* another thread was faster */
    return none;
}

/* Return the copy on d; NULL: there is none. */
static struct copy *copy_on(const struct remote *r, const struct device *d) {
    struct copy *c = r->copies;
    while (c && c->device != d) c = c->next;
    return c;
}

/* Add a copy on d without valid elements.  NULL, with the fault set, on failure. */
static struct copy *copy_new(struct remote *r, struct device *d, size_t bytes, struct fault *fault) {
    struct copy *c = mem_alloc(sizeof *c);
    if (!c) return fault_memory(fault, sizeof *c), NULL;
    *c = (struct copy){.next = r->copies, .device = d, .address = device_allocate(d, bytes, fault)};
    if (c->address) return r->copies = c;
    mem_free(c);
    return NULL;
}

struct buffer *buffer_new_on(struct device *d, size_t bytes, struct fault *fault) {
    struct buffer *b = mem_alloc(sizeof *b);
    if (!b) return fault_memory(fault, sizeof *b), NULL;
    atomic_init(&b->refs, 1);
    b->bytes = bytes;
    b->remote = remote_new(NULL);
    struct copy *c = b->remote ? copy_new(b->remote, d, bytes, fault) : NULL;
    if (c) {
        c->valid = true;
        return b;
    }
    if (!b->remote) fault_memory(fault, sizeof *b->remote);
    if (b->remote) remote_free(b->remote);
    mem_free(b);
    return NULL;
}

struct ty_tensor *tensor_new_value_on(struct device *d, ty_dtype dtype, int rank, const int64_t *shape,
                                      struct fault *fault) {
    struct ty_tensor *x =
        d && shape_size(rank, shape) ? tensor_new(dtype, rank, 0, 0) : tensor_new_value(dtype, rank, shape);
    if (!x) return form_fault(fault, dtype, rank, shape), NULL;
    if (x->buffer) return x;
    for (int i = 0; i < rank; i++) x->layout.shape[i] = shape[i];
    shape_row_major(rank, shape, x->layout.strides);
    if ((x->buffer = buffer_new_on(d, tensor_bytes(x), fault))) return x;
    tensor_free_one_reference(x);
    return NULL;
}

/* ---- copying ---- */

/* Return a copy with valid elements; NULL: none is valid. */
static const struct copy *valid_copy(const struct remote *r) {
    const struct copy *c = r->copies;
    while (c && !c->valid) c = c->next;
    return c;
}

/* Replace the ticket of r; NULL: by none. */
static void set_ticket(struct remote *r, struct ticket *t) {
    if (t) ticket_retain(t);
    ticket_release(r->ticket);
    r->ticket = t;
}

void buffer_depends(struct buffer *b, struct ticket *t) {
    if (!b->remote) return; /* it has no elements */
    enter(b->remote);
    set_ticket(b->remote, t);
    leave(b->remote);
}

/* Wait for the ticket of r, if it has one.  False, with the fault set, if the elements are not valid. */
static bool settle(struct remote *r, struct fault *fault) {
    if (!r->ticket) return true;
    if (!r->ticket->settle(r->ticket, fault)) return false;
    set_ticket(r, NULL);
    return true;
}

/* Let r have memory of the host.  False, with the fault set, if memory runs out. */
static bool make_home(struct remote *r, size_t bytes, struct fault *fault) {
    if (r->home) return true;
    if (account_charge(bytes, &r->account)) {
        r->home = mem_data_alloc(bytes);
        if (!r->home) account_credit(bytes, r->account);
    }
    r->owned = r->home;
    return r->home || fault_memory(fault, bytes);
}

/* Bring the elements of b home.  The lock must be held. */
static char *bring_home(struct buffer *b, struct remote *r, struct fault *fault) {
    if (b->data) return b->data;
    const struct copy *c = valid_copy(r);
    if (!settle(r, fault)) return NULL;
    if (!make_home(r, b->bytes, fault) || !device_download(c->device, r->home, c->address, b->bytes, fault))
        return NULL;
    __atomic_store_n(&b->data, r->home, __ATOMIC_RELEASE);
    return r->home;
}

char *buffer_home(struct buffer *b, struct fault *fault) {
    char *data = __atomic_load_n(&b->data, __ATOMIC_ACQUIRE);
    if (data) return data;
    struct remote *r = b->remote;
    if (!r) return nothing; /* borrowed memory of no elements */
    enter(r);
    data = bring_home(b, r, fault);
    leave(r);
    return data;
}

ty_tensor *at_home(ty_tensor *x) {
    struct fault fault;
    fault_clear(&fault);
    if (!ty_ok(x) || x->promise || !x->buffer || tensor_home(x, &fault)) return x;
    return tensor_fault(&fault);
}

static atomic_llong unread;
int64_t remote_unread(void) { return atomic_load(&unread); }

char *buffer_fetch(struct buffer *b) {
    struct fault fault;
    fault_clear(&fault);
    char *data = buffer_home(b, &fault);
    if (data || !b->remote) return data;
    struct remote *r = b->remote;
    atomic_fetch_add(&unread, 1);
    enter(r);
    if (make_home(r, b->bytes, &fault)) data = memset(r->home, 0, b->bytes);
    leave(r);
    return data;
}

char *buffer_address(const struct buffer *b) {
    char *data = __atomic_load_n(&b->data, __ATOMIC_ACQUIRE);
    if (data || !b->remote) return data;
    enter(b->remote);
    data = b->remote->home;
    leave(b->remote);
    return data;
}

/* Let copy c have the elements of b.  The lock must be held. */
static bool bring(struct buffer *b, struct remote *r, struct copy *c, bool is_new, struct fault *fault) {
    const struct copy *from = b->data ? NULL : valid_copy(r);
    if (c->valid && !buffer_may_change(b)) return true;
    if (c->valid && from) return true;
    if (from && !bring_home(b, r, fault)) return false;
    c->valid = is_new ? device_upload_new(c->device, c->address, b->data, b->bytes, fault)
                      : device_upload(c->device, c->address, b->data, b->bytes, fault);
    return c->valid;
}

char *buffer_copy_at(struct buffer *b, struct device *d, struct fault *fault) {
    if (!d) return buffer_home(b, fault);
    if (!b->bytes) return nothing;
    struct remote *r = remote_of(b, fault);
    if (!r) return NULL;
    enter(r);
    struct copy *c = copy_on(r, d);
    bool is_new = !c;
    if (is_new) c = copy_new(r, d, b->bytes, fault);
    char *address = c && settle(r, fault) && bring(b, r, c, is_new, fault) ? c->address : NULL;
    leave(r);
    return address;
}

/* ---- changes ---- */

/* Free the copies of r except the one on device `keep`; NULL: all. */
static void drop_copies(struct remote *r, const struct device *keep) {
    struct copy **c = &r->copies;
    while (*c) {
        struct copy *one = *c;
        if (one->device == keep) {
            c = &one->next;
            continue;
        }
        *c = one->next;
        device_free(one->device, one->address);
        mem_free(one);
    }
}

void buffer_written_on(struct buffer *b, struct device *d) {
    struct remote *r = b->remote;
    if (!b->bytes) return;
    enter(r);
    drop_copies(r, d);
    set_ticket(r, NULL);
    r->copies->valid = true;
    __atomic_store_n(&b->data, NULL, __ATOMIC_RELEASE);
    leave(r);
}

void buffer_forget_copies(struct buffer *b) {
    enter(b->remote);
    drop_copies(b->remote, NULL);
    set_ticket(b->remote, NULL);
    leave(b->remote);
}

struct device *buffer_device(const struct buffer *b) {
    if (__atomic_load_n(&b->data, __ATOMIC_ACQUIRE) || !b->remote) return NULL;
    enter(b->remote);
    const struct copy *c = b->data ? NULL : valid_copy(b->remote);
    leave(b->remote);
    return c ? c->device : NULL;
}

void remote_end(struct buffer *b) {
    struct remote *r = b->remote;
    drop_copies(r, NULL);
    set_ticket(r, NULL);
    if (r->owned) {
        mem_data_free(r->home, b->bytes);
        account_credit(b->bytes, r->account);
        b->data = NULL;
    } else {
        b->data = r->home;
    }
    b->remote = NULL;
    remote_free(r);
}
