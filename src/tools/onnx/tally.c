#include "tools/onnx/tally.h"
#include <stdlib.h>
#include <string.h>
#include "base/alloc.h"
#include "base/list.h"
#include "base/text.h"
#include "onnx/resolve.h"
#include "tools/options/result.h"

void tally_add(struct tally *t, const struct proto_node *node, double amount) {
    struct tally_row row = {onnx_domain(node->domain), node->op_type ? node->op_type : "", 0};
    int64_t k = 0;
    while (k < t->n && (strcmp(t->items[k].name, row.name) || strcmp(t->items[k].domain, row.domain))) k++;
    if (k == t->n && !list_append(t->items, t->n, t->capacity, row)) t->failed = true;
    if (t->failed) return;
    t->items[k].amount += amount;
    t->all += amount;
}

static int by_amount(const void *a, const void *b) {
    const struct tally_row *x = a, *y = b;
    if (x->amount != y->amount) return x->amount < y->amount ? 1 : -1;
    int domains = strcmp(x->domain, y->domain);
    return domains ? domains : strcmp(x->name, y->name);
}
void tally_sort(struct tally *t) {
    if (t->n) qsort(t->items, (size_t)t->n, sizeof *t->items, by_amount);
}

void tally_say(const char *domain, const char *name) {
    struct text t = {0};
    text_add_visible(&t, domain);
    if (*domain) text_add(&t, ".");
    text_add_visible(&t, name);
    char *words = text_take(&t);
    say("%s", words ? words : "");
    mem_free(words);
}
