/* A short list of boxes with versions, in a variable's `attr`. When it is full, its two oldest boxes become one. */
#include "ops/core/changes.h"
#include "base/alloc.h"

enum { CHANGES = 8 };

/* The changes of a variable after version `since`, oldest first; they are all up to version `until`. */
struct changes {
    int64_t since, until;
    int n;
    struct change {
        int64_t version; /* the variable's after the change */
        struct box box;
    } list[CHANGES];
};

static void drop(void *changes) { mem_free(changes); }

/* Return the list of a variable, made if it has none. NULL if memory runs out. */
static struct changes *list_of(ty_tensor *variable) {
    if (!variable->attr) {
        variable->attr = mem_array(1, sizeof(struct changes));
        variable->attr_release = drop;
    }
    return variable->attr;
}

/* Make the two oldest boxes one. */
static void shorten(struct changes *c) {
    box_bound(&c->list[0].box, &c->list[1].box, &c->list[1].box);
    for (int i = 0; i < c->n - 1; i++) c->list[i] = c->list[i + 1];
    c->n--;
}

void changes_add(ty_tensor *variable, const struct box *b) {
    struct changes *c = list_of(variable);
    if (!c) return;
    if (c->until != variable->version - 1 || c->n == 0) *c = (struct changes){.since = variable->version - 1};
    c->until = variable->version;
    if (c->n == CHANGES) shorten(c);
    c->list[c->n++] = (struct change){variable->version, *b};
}

bool changes_since(const ty_tensor *variable, int64_t seen, struct boxes *to) {
    const struct changes *c = variable->attr;
    if (!c || c->until != variable->version || seen < c->since || seen > c->until) return false;
    for (int i = 0; i < c->n; i++)
        if (c->list[i].version > seen) boxes_add(to, &c->list[i].box);
    return true;
}
