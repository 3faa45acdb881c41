/* Runs of functions of slices.  The axes that count slices are walked in row-major order, one line along the last of
   them after the other.  parallel_for divides the slices among threads, and into pieces of some milliseconds. */
#include <stdatomic.h>
#include <string.h>
#include "base/alloc.h"
#include "base/context/stop.h"
#include "base/threads/parallel.h"
#include "control/call.h"
#include "control/slices.h"
#include "control/user.h"

/* Operations as which parallel_for counts a slice.  It takes so many for its first piece, so that is one slice; the clock
   decides on further ones. */
static const double SLICE_WORK = 1 << 15;

/* One operand: the steps from slice to slice, and the layout of a slice. */
struct side {
    const char *data;           /* element with index 0 */
    size_t element;             /* bytes */
    int64_t steps[TY_MAX_RANK]; /* bytes, by axis that counts slices; 0: broadcast along it */
    struct layout_room slice;
    bool packs;      /* the elements of a slice have gaps */
    int64_t scratch; /* offset of the copy in the memory of a part, if it packs */
};

/* State of one part of the slices, which runs on one thread. */
struct part {
    int64_t failed; /* slice that failed; -1: none */
    struct fault fault;
    char *scratch;
    const void **x;      /* by operand: address of the present slice */
    const char **packed; /* by operand: address of the slice that was copied last */
    int64_t *at;         /* by operand: offset of the present line */
    ty_context *account; /* of the scratch memory */
};

struct pass {
    const struct call_attr *a;
    int n, rank;
    int line;                          /* the axis of lines; 0 if rank is 0 */
    int64_t shape[TY_MAX_RANK], count; /* axes that count slices, and the number of slices */
    struct side *sides;                /* n of them */
    const int64_t **steps;             /* their steps */
    int64_t *sizes;                    /* elements of a slice, by operand */
    char *y;
    int64_t y_step; /* bytes between results of neighbouring slices; 0: all calls get y */
    struct user_home home;
    atomic_llong least; /* least slice that failed so far; INT64_MAX: none */
    struct part *parts;
    int nparts;
    int64_t scratch; /* bytes of copies of slices in each part */
};

/* ---- layouts ---- */

/* Copy the axes of x that are in the mask (`inside`), or the others, to shape[] and strides[].  Return their number. */
static int pick_axes(const struct layout *x, int64_t mask, bool inside, int64_t *shape, int64_t *strides) {
    int n = 0;
    for (int i = 0; i < x->rank; i++) {
        if (((uint64_t)mask >> i & 1) != inside) continue;
        shape[n] = x->shape[i];
        strides[n++] = x->strides[i];
    }
    return n;
}

bool slices_count_shape(int n, const struct layout *const *x, const int64_t *masks, int *rank, int64_t *shape,
                        int *clash) {
    *rank = 0;
    for (int i = 0; i < n; i++) {
        int64_t sizes[TY_MAX_RANK], strides[TY_MAX_RANK];
        int axes = pick_axes(x[i], masks[i], false, sizes, strides), axis;
        *clash = i;
        if (!shape_broadcast(rank, shape, axes, sizes, &axis)) return false;
    }
    return true;
}

static inline __attribute__((always_inline)) void copy_each(char *to, const char *from, int64_t count,
                                                            int64_t step, size_t bytes) {
    for (int64_t i = 0; i < count; i++) memcpy(to + i * (int64_t)bytes, from + i * step, bytes);
}
/* Copy `count` elements of `bytes` bytes, `step` bytes apart, to neighbouring ones.  Compilers copy elements of constant
   size by one instruction. */
static void copy_line(char *to, const char *from, int64_t count, int64_t step, size_t bytes) {
    switch (bytes) {
    case 1:
        copy_each(to, from, count, step, 1);
        break;
    case 2:
        copy_each(to, from, count, step, 2);
        break;
    case 4:
        copy_each(to, from, count, step, 4);
        break;
    case 8:
        copy_each(to, from, count, step, 8);
        break;
    default:
        copy_each(to, from, count, step, bytes);
    }
}

/* Copy elements of a layout, whose element with index 0 is at `from`, to `to`, row-major. */
static void pack(char *to, const char *from, const struct layout *l, size_t bytes) {
    if (!shape_size(l->rank, l->shape)) return;
    if (!l->rank) {
        memcpy(to, from, bytes);
        return;
    }
    int last = l->rank - 1;
    int64_t at = 0, line = l->shape[last] * (int64_t)bytes;
    const int64_t *strides[] = {l->strides};
    struct odometer outer = {.rank = last, .shape = l->shape};
    do {
        copy_line(to, from + at * (int64_t)bytes, l->shape[last], l->strides[last] * (int64_t)bytes, bytes);
        to += line;
    } while (odometer_next(&outer, 1, strides, &at));
}

/* Describe operand `from`, whose slices have the axes of the mask.  Return the bytes that copies of its slices take. */
static int64_t side_make(struct pass *p, int i, const struct operand *from, void *const *slots,
                         int64_t mask) {
    struct side *s = &p->sides[i];
    int64_t shape[TY_MAX_RANK], strides[TY_MAX_RANK];
    int outer = pick_axes(&from->layout, mask, false, shape, strides);
    s->element = dtype_table[from->dtype].size;
    s->data = operand_base(from, slots);
    for (int k = 0; k < outer; k++)
        s->steps[p->rank - outer + k] = shape[k] == 1 ? 0 : strides[k] * (int64_t)s->element;
    struct layout *l = layout_room_init(&s->slice, from->layout.rank - outer);
    pick_axes(&from->layout, mask, true, l->shape, l->strides);
    p->sizes[i] = shape_size(l->rank, l->shape);
    s->packs = p->sizes[i] && !layout_is_contiguous(l);
    l->rank = s->packs ? layout_collapse(1, &l) : l->rank;
    return s->packs ? p->sizes[i] * (int64_t)s->element : 0;
}

/* ---- calls ---- */

/* Note that slice i failed: with the message of v->error, if the function has set it. */
static void note_failure(struct pass *p, struct part *part, int64_t i, const ty_visit *v) {
    const char *name = slices_name(p->a);
    struct fault own = {0};
    if (v->error && !ty_ok(v->error))
        fault_tensor(&own, v->error);
    else
        fault_set(&own, E_USER,
                  v->error ? "the function set `error` to a tensor that is not poisoned"
                           : "the function failed");
    fault_set(&part->fault, own.code, "%s: slice %lld: %s", name, (long long)i, own.text);
    part->failed = i;
    long long least = atomic_load(&p->least);
    while (i < least && !atomic_compare_exchange_weak(&p->least, &least, i)) {
    }
}

/* Return the address `bytes` behind y, which may be NULL for 0. */
static void *behind(void *y, int64_t bytes) { return (void *)((uintptr_t)y + (size_t)bytes); }

/* A line: neighbouring slices along p->line, the last axis that counts more than one. */
struct line {
    int64_t i, count; /* first slice, number of slices */
    int64_t *last;    /* index along the axis, that of the first slice */
    char *y;          /* result of the first slice */
};

/* Call the function for a line of one operand whose slices have no gaps, of a kind that neither filters nor scans.
   Return the number of calls that succeeded. */
static int64_t call_line_of_one(const struct pass *p, struct part *part, const struct line *l, ty_visit *v) {
    ty_slice_function f = p->a->slices.f;
    void *context = p->a->callee.context;
    int64_t step = p->sides[0].steps[p->line], y_step = p->y_step, *last = l->last, end = *last + l->count;
    const char *x = p->sides[0].data + part->at[0] + *last * step;
    const void **now = part->x;
    char *y = l->y;
    int64_t offset = l->i - *last;
    for (int64_t index = *last; index < end; index++) {
        v->i = offset + index;
        v->y = y;
        *now = x;
        *last = index;
        if (!f(context, v) || v->error) return index - (end - l->count);
        x += step;
        y = behind(y, y_step);
    }
    return l->count;
}

/* Return the address of a slice of operand k, whose elements begin at `at`, without gaps. */
static const char *without_gaps(const struct pass *p, struct part *part, int k, const char *at) {
    const struct side *s = &p->sides[k];
    if (!s->packs) return at;
    char *to = part->scratch + s->scratch;
    if (part->packed[k] != at) pack(to, at, &s->slice.layout, s->element);
    part->packed[k] = at;
    return to;
}

/* Call the function for a line, of any kind and operands.  Return the number of calls that succeeded. */
static int64_t call_line(const struct pass *p, struct part *part, const struct line *l, ty_visit *v) {
    bool filters = p->a->slices.kind == SLICES_FILTER, scans = p->a->slices.kind == SLICES_SCAN;
    int64_t first = *l->last, y_step = p->y_step;
    for (int64_t j = 0; j < l->count; j++) {
        char *y = behind(l->y, j * y_step);
        v->i = l->i + j;
        *l->last = first + j;
        for (int k = 0; k < p->n; k++)
            part->x[k] = without_gaps(
                p, part, k, p->sides[k].data + part->at[k] + (first + j) * p->sides[k].steps[p->line]);
        if (scans && v->i && y_step) memcpy(y, y - y_step, (size_t)y_step);
        v->y = filters ? NULL : y;
        bool done = p->a->slices.f(p->a->callee.context, v);
        if (filters && !v->error)
            *(bool *)(void *)y = done;
        else if (!done || v->error)
            return j;
    }
    return l->count;
}

/* Return true if call_line_of_one may call the function. */
static bool is_simple(const struct pass *p) {
    enum slices_kind kind = p->a->slices.kind;
    return p->n == 1 && !p->sides[0].packs && kind != SLICES_FILTER && kind != SLICES_SCAN;
}

/* Set the counter to the line of slice i, offsets at[] to those of the line, and the last index to that of the slice. */
static void find_line(const struct pass *p, int64_t i, struct odometer *lines, int64_t *at) {
    for (int k = p->rank - 1; k >= 0; k--) {
        lines->index[k] = i % p->shape[k];
        i /= p->shape[k];
    }
    for (int k = 0; k < p->n; k++) {
        at[k] = 0;
        for (int axis = 0; axis < lines->rank; axis++) at[k] += lines->index[axis] * p->steps[k][axis];
    }
}

/* Call the function for slices begin .. end-1, in order, until one fails. */
static void call_slices(struct pass *p, struct part *part, int64_t begin, int64_t end) {
    struct odometer lines = {.rank = p->line, .shape = p->shape};
    int64_t *last = &lines.index[p->line], length = p->rank ? p->shape[p->line] : 1;
    bool simple = is_simple(p);
    ty_visit v = {.index = lines.index, .rank = p->rank, .n = p->n, .x = part->x, .size = p->sizes};
    find_line(p, begin, &lines, part->at);
    for (int64_t i = begin; i < end;) {
        int64_t left = length - *last;
        struct line line = {i, left < end - i ? left : end - i, last, behind(p->y, i * p->y_step)};
        v.y = line.y;
        int64_t done = (simple ? call_line_of_one : call_line)(p, part, &line, &v);
        if (done < line.count) {
            note_failure(p, part, i + done, &v);
            return;
        }
        i += done;
        *last = 0;
        odometer_next(&lines, p->n, p->steps, part->at);
    }
}

/* Task of parallel_for: call the function for slices begin .. end-1, unless this part or an earlier slice has failed. */
static void run_part(void *context, int64_t begin, int64_t end) {
    struct pass *p = context;
    struct part *part = &p->parts[parallel_index()];
    struct user_settings settings;
    if (part->failed >= 0 || atomic_load(&p->least) < begin) return;
    ty_scope *scope = ty_open();
    user_enter(&settings, &p->home);
    call_slices(p, part, begin, end);
    if (!user_leave(&settings, slices_name(p->a), &part->fault) && part->failed < 0) part->failed = begin;
    ty_close(scope);
}

/* ---- the pass ---- */

/* Make a part, whose copies of slices take `bytes` bytes.  False if memory runs out. */
static bool part_make(const struct pass *p, struct part *part, int64_t bytes) {
    size_t n = (size_t)p->n;
    part->failed = -1;
    part->x = mem_array(n, sizeof *part->x);
    part->packed = mem_array(n, sizeof *part->packed);
    part->at = mem_array(n, sizeof *part->at);
    part->scratch = bytes ? account_near_alloc((size_t)bytes, &part->account) : NULL;
    return part->x && part->packed && part->at && (part->scratch || !bytes);
}

static void pass_drop(struct pass *p) {
    for (int i = 0; p->parts && i < p->nparts; i++) {
        mem_free(p->parts[i].x);
        mem_free(p->parts[i].packed);
        mem_free(p->parts[i].at);
        if (p->parts[i].scratch)
            account_near_free(p->parts[i].scratch, (size_t)p->scratch, p->parts[i].account);
    }
    mem_free(p->parts);
    mem_free(p->sides);
    mem_free(p->steps);
    mem_free(p->sizes);
}

/* Prepare the pass of kernel k, whose attributes are valid.  False if memory runs out; call pass_drop in any case. */
static bool pass_make(struct pass *p, const struct kernel *k, void *const *slots) {
    const int64_t *masks = call_masks(p->a);
    size_t n = (size_t)p->n;
    p->sides = mem_array(n, sizeof *p->sides);
    p->steps = mem_array(n, sizeof *p->steps);
    p->sizes = mem_array(n, sizeof *p->sizes);
    const struct layout **layouts = mem_array(n, sizeof *layouts);
    bool done = p->sides && p->steps && p->sizes && layouts;
    for (int i = 0, clash; done && i < p->n; i++) {
        layouts[i] = &k->inputs[i].layout;
        if (i + 1 == p->n) slices_count_shape(p->n, layouts, masks, &p->rank, p->shape, &clash);
    }
    for (int i = 0; done && i < p->n; i++) {
        p->steps[i] = p->sides[i].steps;
        p->sides[i].scratch = p->scratch;
        p->scratch += (side_make(p, i, &k->inputs[i], slots, masks[i]) + 63) / 64 * 64;
    }
    mem_free(layouts);
    p->count = shape_size(p->rank, p->shape);
    p->line = p->rank ? p->rank - 1 : 0;
    while (p->line > 0 && p->shape[p->line] == 1) p->line--;
    bool in_order = p->a->slices.kind == SLICES_FOLD || p->a->slices.kind == SLICES_SCAN;
    int width = p->a->slices.threads && !in_order ? parallel_width() : 1;
    p->nparts = p->count < 1 ? 1 : p->count < width ? (int)p->count : width;
    p->parts = done ? mem_array((size_t)p->nparts, sizeof *p->parts) : NULL;
    done = p->parts != NULL;
    for (int i = 0; done && i < p->nparts; i++) done = part_make(p, &p->parts[i], p->scratch);
    return done;
}

/* Copy the fault of the first slice that failed.  True if none did. */
static bool pass_result(const struct pass *p, struct fault *fault) {
    const struct part *first = NULL;
    for (int i = 0; i < p->nparts; i++)
        if (p->parts[i].failed >= 0 && (!first || p->parts[i].failed < first->failed)) first = &p->parts[i];
    return !first || fault_copy(fault, &first->fault);
}

/* Set y as it is before the calls, and the step between results. */
static void prepare_result(struct pass *p, const struct kernel *k, void *const *slots, void *y) {
    int64_t kind = p->a->slices.kind;
    ty_form form = call_form(p->a, 0);
    const struct operand *copied = kind == SLICES_EACH ? &k->inputs[0] : &k->inputs[p->n];
    size_t element = dtype_table[form.dtype].size;
    if (kind == SLICES_FOLD || (kind == SLICES_EACH && y) || (kind == SLICES_SCAN && p->count))
        pack(y, operand_base(copied, slots), &copied->layout, element);
    p->y = kind == SLICES_EACH ? NULL : y;
    bool one = kind == SLICES_EACH || kind == SLICES_FOLD;
    p->y_step = one ? 0 : shape_size(form.rank - p->rank, form.shape + p->rank) * (int64_t)element;
}

bool slices_run(const struct kernel *k, void *const *slots, void *y, struct fault *fault) {
    struct context_thread *t = thread_now();
    double work = t->work;
    struct pass p = {.a = k->attr, .n = (int)slices_operands(k->attr), .home = user_home()};
    atomic_init(&p.least, INT64_MAX);
    bool done = pass_make(&p, k, slots) || fault_memory(fault, sizeof *p.parts);
    if (done) {
        prepare_result(&p, k, slots, y);
        t->work = SLICE_WORK * (double)p.count;
        parallel_for(p.nparts, p.count, 1, run_part, &p);
        t->work = work;
        done = pass_result(&p, fault);
    }
    pass_drop(&p);
    return done;
}
