/* Preparations as tables of text. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <tyto/graph.h>
#include "base/alloc.h"
#include "base/machine/floating.h"
#include "base/text.h"
#include "prepare/prepare.h"

enum { NAME_WIDTH = 24 }; /* longer names are cut, so that lines fit a terminal of 80 columns */

/* Append what becomes of a column. */
static void add_treatment(struct text *t, const struct treatment *c) {
    bool hot = c->encoding == TY_ENCODE_ONE_HOT;
    text_add(t, "%s", encoding_name((int)c->encoding));
    if (c->encoding == TY_ENCODE_DROP) return;
    if (hot && c->other) text_add(t, ", rare and unseen ones joined");
    if (!hot && c->missing) text_add(t, ", missing ones %.6g (%s)", c->filled, fill_name((int)c->fill));
    if (!hot && c->clipped) text_add(t, ", clipped to %.6g..%.6g", c->low, c->high);
    if (!hot && c->log) text_add(t, ", log(1 + x)");
    if (!hot && c->scaling != TY_SCALING_NONE) text_add(t, ", (x - %.6g) / %.6g", c->shift, c->scale);
    if (c->flagged) text_add(t, ", flag of missing ones");
}

/* Append the line of the target. */
static void add_target(struct text *t, const ty_preparation *p) {
    if (!p->target) return;
    text_add(t, "target ");
    text_add_visible(t, p->target);
    if (p->task == TY_TASK_CLASSES) {
        text_add(t, ": %" PRId64 " classes: ", p->classes->count);
        for (int64_t i = 0; i < p->classes->count && i < 10; i++) {
            text_add(t, i ? ", " : "");
            text_add_visible(t, words_at(p->classes, i));
        }
        if (p->classes->count > 10) text_add(t, ", ...");
    } else {
        text_add(t, ": regression, standardised by (y - %.6g) / %.6g", p->mean, p->deviation);
    }
    text_add(t, *p->why ? " (%s)\n" : "\n", p->why);
}

char *ty_preparation_to_string(const ty_preparation *preparation) {
    FLOATING_DEFAULT;
    const ty_preparation *p = preparation_of(preparation);
    struct text t = {0};
    if (p->fault.set) {
        text_add(&t, "error: %s", p->fault.text);
        return text_take(&t);
    }
    text_add_padded(&t, "column", NAME_WIDTH);
    text_add(&t, " kind    missing  features  treatment\n");
    for (int64_t i = 0; i < p->count; i++) {
        const struct treatment *c = &p->columns[i];
        text_add_padded(&t, c->name, NAME_WIDTH);
        text_add(&t, " %-6s %8" PRId64 " %9" PRId64 "  ", ty_column_kind_name(c->kind), c->missing,
                 treatment_features(c));
        add_treatment(&t, c);
        text_add(&t, *c->why ? " (%s)\n" : "\n", c->why);
    }
    add_target(&t, p);
    text_add(&t, "%" PRId64 " features from %" PRId64 " rows\n", p->features->count, p->rows);
    return text_take(&t);
}

bool ty_preparation_print(FILE *file, const ty_preparation *preparation) {
    char *text = ty_preparation_to_string(preparation);
    if (!file) errno = EINVAL;
    if (!text) errno = ENOMEM;
    bool done = file && text && fputs(text, file) >= 0 && !ferror(file);
    mem_free(text);
    return done;
}
