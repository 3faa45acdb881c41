/*
 * Index items as text:
 *   text   = [item {"," item} [","]];
 *   item   = [integer] ":" [integer] [":" [integer]] | integer | "..." | "none" | "newaxis" | "true" |
 *            "false" | "@" integer;
 * Spaces may be anywhere between.  Words may begin with a capital letter, as in Python.
 */
#include <stdio.h>
#include <tyto/create.h>
#include "base/ascii.h"
#include "base/checked.h"
#include "ops/core/memory/give.h"
#include "ops/index/index_items.h"

struct items_reader {
    const char *text, *at;
    int n, ntensors;
    ty_tensor *const *tensors;
    ty_tensor *truths[2]; /* false, true: made on first use */
    ty_index items[INDEX_MAX_ITEMS];
    int columns[INDEX_MAX_ITEMS];
    char reason[200]; /* why reading failed */
    const char *where;
};

static bool fail(struct items_reader *r, const char *where, const char *reason) {
    r->where = where;
    snprintf(r->reason, sizeof r->reason, "%s", reason);
    return false;
}

static void skip(struct items_reader *r) {
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r') r->at++;
}

/* Consume `word` and blanks after it. False, with nothing consumed, if another text follows. */
static bool take(struct items_reader *r, const char *word) {
    size_t n = strlen(word);
    if (strncmp(r->at, word, n)) return false;
    r->at += n;
    skip(r);
    return true;
}

/* Consume `word`, in lower case except perhaps for its first letter, and blanks after it. False, with nothing
   consumed, if another word follows. */
static bool take_word(struct items_reader *r, const char *word) {
    size_t n = strlen(word);
    if (ascii_lower(*r->at) != *word || strncmp(r->at + 1, word + 1, n - 1)) return false;
    if (ascii_is_word(r->at[n])) return false;
    r->at += n;
    skip(r);
    return true;
}

static bool begins_integer(const struct items_reader *r) {
    return ascii_is_digit(*r->at) || ((*r->at == '-' || *r->at == '+') && ascii_is_digit(r->at[1]));
}

/* Read a decimal integer with an optional sign, and blanks after it, into *value. False, with the reader's
   reason set, if it does not fit in an int64_t. */
static bool integer(struct items_reader *r, int64_t *value) {
    const char *begin = r->at;
    bool negative = *r->at == '-', fits = true;
    if (*r->at == '-' || *r->at == '+') r->at++;
    for (*value = 0; ascii_is_digit(*r->at) && fits; r->at++)
        fits = checked_mul(*value, 10, value) &&
               checked_add(*value, negative ? '0' - *r->at : *r->at - '0', value);
    if (!fits) return fail(r, begin, "the number does not fit in 64 bits");
    skip(r);
    return true;
}

/* Read the rest of start:stop:step after its first colon into item->stop and item->step; missing parts keep
   what *item has. False, with the reader's reason set, if it is invalid. */
static bool range(struct items_reader *r, ty_index *item) {
    const char *step = r->at;
    if (begins_integer(r) && !integer(r, &item->stop)) return false;
    if (!take(r, ":")) return true;
    step = r->at;
    if (begins_integer(r) && !integer(r, &item->step)) return false;
    return item->step != 0 || fail(r, step, "the step must not be 0");
}

/* Read the number of a tensor, from 0, after "@", and make *item that tensor. False, with the reader's reason
   set, if there is no such tensor. */
static bool tensor(struct items_reader *r, ty_index *item) {
    const char *begin = r->at - 1;
    int64_t number;
    item->kind = TY_INDEX_TENSOR;
    if (!ascii_is_digit(*r->at)) return fail(r, r->at, "expected the number of a tensor after @");
    if (!integer(r, &number)) return false;
    if (number < r->ntensors) {
        item->tensor = r->tensors[number];
        return true;
    }
    char reason[100];
    snprintf(reason, sizeof reason,
             r->ntensors ? "tensor %lld is out of bounds; %d were given" : "no tensors were given",
             (long long)number, r->ntensors);
    return fail(r, begin, reason);
}

/* Make *item the 0-d bool tensor `which`, which all such items share (r->truths). Always true. */
static bool truth(struct items_reader *r, ty_index *item, bool which) {
    item->kind = TY_INDEX_TENSOR;
    if (!r->truths[which]) r->truths[which] = ty_scalar(TY_BOOL, which);
    item->tensor = r->truths[which];
    return true;
}

/* Read one item, with blanks after it, into *item. False, with the reader's reason set, if it is invalid. */
static bool item_read(struct items_reader *r, ty_index *item) {
    *item = TY_WHOLE;
    if (take(r, "...")) return item->kind = TY_INDEX_DOTS, true;
    if (take_word(r, "none") || take_word(r, "newaxis")) return item->kind = TY_INDEX_NEW, true;
    if (take_word(r, "true")) return truth(r, item, true);
    if (take_word(r, "false")) return truth(r, item, false);
    if (*r->at == '@') return r->at++, tensor(r, item);
    if (take(r, ":")) return range(r, item);
    if (!begins_integer(r))
        return fail(r, r->at, "expected an integer, a range, ..., none, true, false or @tensor");
    if (!integer(r, &item->start)) return false;
    if (take(r, ":")) return range(r, item);
    item->kind = TY_INDEX_AT;
    return true;
}

/* Read all items, separated by commas, with their columns, into the reader's arrays. False, with the reader's
   reason set, if the text is invalid. */
static bool items_read(struct items_reader *r) {
    r->at = r->text;
    skip(r);
    while (*r->at) {
        if (r->n == INDEX_MAX_ITEMS) return fail(r, r->at, "there are too many items");
        r->columns[r->n] = (int)(r->at - r->text) + 1;
        if (!item_read(r, &r->items[r->n++])) return false;
        if (*r->at && !take(r, ",")) return fail(r, r->at, "expected a comma or the end");
    }
    return true;
}

ty_tensor *items_by_text(const char *name, ty_tensor *x, const char *text, int n, ty_tensor *const *tensors,
                         ty_scatter_mode mode, ty_tensor *v) {
    struct items_reader r = {.text = text, .ntensors = n, .tensors = tensors};
    if (!ty_ok(x)) return tensor_share_in(name, x);
    if (!text) return refuse(name, 1, &x, E_ARGUMENT, "the text is NULL");
    ty_tensor *missing = refuse_missing(name, n, tensors, "tensors");
    if (missing) return missing;
    if (strlen(text) > INT32_MAX) return refuse(name, 1, &x, E_LIMIT, "the text is too long");
    ty_scope *scope = ty_open();
    if (!items_read(&r))
        return leave(scope, refuse(name, 1, &x, E_ARGUMENT, "column %d of \"%.120s\": %s",
                                   (int)(r.where - text) + 1, text, r.reason));
    struct item_list list = {name, r.n, r.items, text, r.columns};
    give_on(x);
    return leave(scope, v ? items_set(&list, x, mode, v) : items_get(&list, x));
}

ty_tensor *ty_at_with(ty_tensor *x, const char *text, int n, ty_tensor *const *tensors) {
    return items_by_text("at", x, text, n, tensors, TY_SCATTER_SET, NULL);
}

ty_tensor *ty_at(ty_tensor *x, const char *text) { return ty_at_with(x, text, 0, NULL); }

ty_tensor *ty_set_at_with(ty_tensor *x, const char *text, int n, ty_tensor *const *tensors,
                          ty_scatter_mode mode, ty_tensor *v) {
    return items_by_text("set_at", x, text, n, tensors, mode, tensor_of(v));
}

ty_tensor *ty_set_at(ty_tensor *x, const char *text, ty_tensor *v) {
    return ty_set_at_with(x, text, 0, NULL, TY_SCATTER_SET, v);
}
