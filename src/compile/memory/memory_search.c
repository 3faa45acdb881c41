/*
 * Branch and bound over packings in which every region rests on another or on the ground; an optimal packing
 * of this form exists. Regions are placed from the ground up. At the lowest level where a region can still
 * rest, one column is chosen. The alternatives are the regions that may cover it there, or none. They exclude
 * each other, and everything below the level is final.
 *
 * Pruned are: columns whose remaining bytes exceed their free space (section inference of MiniMalloc: Moffitt
 * 2023, where regions are ordered by position); regions that could be wholly below the level, which leaves a
 * useless gap; permutations of equal regions (twins, or two with the same columns on top of each other).
 * Columns that no unplaced region crosses separate the problem into parts. If a part cannot be solved, its
 * siblings are skipped and the choice that made it is revised.
 *
 * There is no recursion: choices are on a stack, at most one per region. All numbers are integers and exact
 * halves, so results are the same on every machine.
 */
#include "compile/memory/memory_search.h"
#include "array/progress.h"
#include "base/context/stop.h"

/* ---- placement ---- */

/* True if boxes a and b share a column, that is, are alive at once. */
static bool crosses(const struct memory_box *a, const struct memory_box *b) {
    return a->first <= b->last && b->first <= a->last;
}

static void swap_items(struct memory_search *s, int i, int j) {
    int item = s->items[i];
    s->items[i] = s->items[j];
    s->items[j] = item;
}

/* Place box number `rank`, of the part p, at its lowest position, its `low`, and raise boxes above it. True
   if no unplaced box of the part shares its columns. */
static bool place(struct memory_search *s, const struct memory_part *p, int rank) {
    struct memory_box *b = &s->boxes[rank];
    int64_t end = b->low + b->bytes;
    bool is_last = true;
    b->placed = true;
    for (int c = b->first; c <= b->last; c++) {
        s->owners[s->nheights] = s->owner[c];
        s->heights[s->nheights++] = s->height[c];
        s->owner[c] = rank;
        s->height[c] = end;
        s->rest[c] -= b->bytes;
        s->cuts[c] -= c < b->last;
    }
    for (int i = p->from; i < p->to; i++)
        if (s->items[i] == rank) swap_items(s, i, p->to - 1);
    for (int i = p->from; i < p->to - 1; i++) {
        struct memory_box *other = &s->boxes[s->items[i]];
        if (!crosses(other, b)) continue;
        is_last = false;
        if (other->low < end) other->low = end;
    }
    s->looks -= p->to - p->from + b->last - b->first;
    return is_last;
}

/* Recompute the lowest position b->low of b, a box that is not placed, from the heights of its columns. */
static void lower(struct memory_search *s, struct memory_box *b) {
    b->low = 0;
    for (int c = b->first; c <= b->last; c++)
        if (s->height[c] > b->low) b->low = s->height[c];
    s->looks -= b->last - b->first;
}

/* Remove the box that a choice has placed, if any, and the parts that it made pending. */
static void take_away(struct memory_search *s, struct memory_choice *choice) {
    s->npending = choice->pending;
    if (choice->placed < 0) return;
    struct memory_box *b = &s->boxes[choice->placed];
    s->nheights -= b->last - b->first + 1;
    for (int c = b->first, i = s->nheights; c <= b->last; c++, i++) {
        s->owner[c] = s->owners[i];
        s->height[c] = s->heights[i];
        s->rest[c] += b->bytes;
        s->cuts[c] += c < b->last;
    }
    for (int i = choice->part.from; i < choice->part.to; i++) {
        struct memory_box *other = &s->boxes[s->items[i]];
        if (!other->placed && other->low == b->low + b->bytes && crosses(other, b)) lower(s, other);
    }
    b->placed = false;
    choice->placed = -1;
    s->looks -= choice->part.to - choice->part.from;
}

/* Undo a choice completely: its box and its bans. */
static void undo(struct memory_search *s, struct memory_choice *choice) {
    take_away(s, choice);
    while (s->nbans > choice->bans) {
        const struct ban *ban = &s->bans[--s->nbans];
        s->banned[ban->column] = ban->before;
    }
}

/* ---- bounds ---- */

/* True if no box may start at position `level` in one of b's columns. */
static bool is_banned(const struct memory_search *s, const struct memory_box *b, int64_t level) {
    for (int c = b->first; c <= b->last; c++)
        if (s->banned[c] == level) return true;
    return false;
}

/* Compute lower bounds (`least`) of the positions of the part's boxes. A box that may not rest at its lowest
   position must rest on another one. False if a box does not fit, or would leave a gap that it fits into. */
static bool bound_regions(struct memory_search *s, const struct memory_part *p, int64_t level) {
    for (int i = p->from; i < p->to; i++) {
        struct memory_box *b = &s->boxes[s->items[i]];
        if (b->low + b->bytes <= level) return false;
        bool must_rise = b->low < level || (b->low == level && is_banned(s, b, level));
        b->least = must_rise ? level + b->step : b->low;
        if (b->least + b->bytes > s->capacity) return false;
        s->looks -= b->last - b->first + 1;
    }
    return true;
}

/* Find in each column the two lowest ends that unplaced boxes of part p can have, s->top[] and s->second[],
   and the box of the lowest, s->topmost[]. */
static void find_tops(struct memory_search *s, const struct memory_part *p) {
    for (int c = p->lo; c < p->hi; c++) s->top[c] = s->second[c] = INT64_MAX;
    for (int i = p->from; i < p->to; i++) {
        const struct memory_box *b = &s->boxes[s->items[i]];
        int64_t end = b->least + b->bytes;
        for (int c = b->first; c <= b->last; c++)
            if (end < s->top[c]) {
                s->second[c] = s->top[c];
                s->top[c] = end;
                s->topmost[c] = s->items[i];
            } else if (end < s->second[c]) {
                s->second[c] = end;
            }
        s->looks -= b->last - b->first + 1;
    }
}

/* Raise the bounds of boxes of the part that must rise to the lowest end of another box. False if one does
   not fit then. */
static bool raise_regions(struct memory_search *s, const struct memory_part *p) {
    for (int i = p->from; i < p->to; i++) {
        int rank = s->items[i];
        struct memory_box *b = &s->boxes[rank];
        if (b->least == b->low) continue;
        int64_t end = INT64_MAX;
        for (int c = b->first; c <= b->last; c++) {
            int64_t other = s->topmost[c] == rank ? s->second[c] : s->top[c];
            if (other < end) end = other;
        }
        if (end > s->capacity - b->bytes) return false;
        if (end > b->least) b->least = end;
        s->looks -= b->last - b->first + 1;
    }
    return true;
}

/* Return the lowest position that a box of the part may take; -1 if the boxes left in a column do not fit. */
static int64_t bound_columns(struct memory_search *s, const struct memory_part *p) {
    int64_t level = INT64_MAX;
    for (int c = p->lo; c < p->hi; c++) s->least[c] = INT64_MAX;
    for (int i = p->from; i < p->to; i++) {
        const struct memory_box *b = &s->boxes[s->items[i]];
        for (int c = b->first; c <= b->last; c++)
            if (b->least < s->least[c]) s->least[c] = b->least;
        if (b->least < level) level = b->least;
        s->looks -= b->last - b->first + 1;
    }
    for (int c = p->lo; c < p->hi; c++)
        if (s->rest[c] && s->least[c] > s->capacity - s->rest[c]) return -1;
    return level;
}

/* ---- choosing column and region ---- */

static bool may_lie(const struct memory_box *b, int64_t level) {
    return b->low == level && b->least == level;
}

/* Return the priority of a column at position `level`, least first: little spare space and few options. Rules
   0 and 2 compare the number of options first, rule 1 their product with the space. */
static double column_cost(const struct memory_search *s, int column, int64_t level) {
    double spare = (double)(s->capacity - level - s->rest[column]), options = s->options[column];
    if (s->rule == 1) return spare * (options + 1);
    return (options + (spare > 0)) * (double)s->capacity + spare;
}

/* Set choice->column to the column to decide; by rule 2 among the columns of the first box that may lie at
   the lowest position. -1 if no box may. */
static void choose_column(struct memory_search *s, struct memory_choice *choice) {
    const struct memory_part *p = &choice->part;
    int lo = p->lo, hi = p->hi, first = s->n;
    for (int c = lo; c < hi; c++) s->options[c] = 0;
    for (int i = p->from; i < p->to; i++) {
        const struct memory_box *b = &s->boxes[s->items[i]];
        if (!may_lie(b, p->level)) continue;
        if (s->items[i] < first) first = s->items[i];
        for (int c = b->first; c <= b->last; c++) s->options[c]++;
        s->looks -= b->last - b->first;
    }
    if (s->rule == 2 && first < s->n) {
        lo = s->boxes[first].first;
        hi = s->boxes[first].last + 1;
    }
    double least = 0;
    choice->column = choice->rank = -1;
    for (int c = lo; c < hi; c++) {
        double cost = s->options[c] ? column_cost(s, c, p->level) : 0;
        if (!s->options[c] || (choice->column >= 0 && cost >= least)) continue;
        choice->column = c;
        least = cost;
    }
}

/* Update bounds, lowest position and column of a choice until they do not change. False if it is a dead end. */
static bool look(struct memory_search *s, struct memory_choice *choice) {
    struct memory_part *p = &choice->part;
    for (int64_t level = -1; level != p->level;) {
        level = p->level;
        if (!bound_regions(s, p, level)) return false;
        find_tops(s, p);
        if (!raise_regions(s, p)) return false;
        p->level = bound_columns(s, p);
        if (p->level < 0) return false;
    }
    choose_column(s, choice);
    return choice->column >= 0;
}

/* Return a score of how well box b fits its lowest position: each side at a wall or higher neighbour counts
   1, an end level with a neighbour 2. */
static int fit(const struct memory_search *s, const struct memory_part *p, const struct memory_box *b) {
    bool left = b->first > p->lo, right = b->last < p->hi - 1;
    int64_t end = b->low + b->bytes, before = left ? s->height[b->first - 1] : 0,
            behind = right ? s->height[b->last + 1] : 0;
    return (!left || before > b->low) + (!right || behind > b->low) +
           2 * ((left && before == end) + (right && behind == end));
}

/* True if placing box number `rank` now repeats an equivalent permutation that has been tried, or will be. */
static bool is_repeated(const struct memory_search *s, int rank) {
    const struct memory_box *b = &s->boxes[rank];
    if (b->twin >= 0 && !s->boxes[b->twin].placed) return true;
    int below = s->owner[b->first];
    if (below < rank || s->height[b->first] != b->low) return false;
    return s->boxes[below].first == b->first && s->boxes[below].last == b->last;
}

/* Return the rank of the next box to try for the choice's column, best fit first, then by rank; -1 if there
   is none. Boxes tried before are passed by. */
static int next_region(struct memory_search *s, struct memory_choice *choice) {
    const struct memory_part *p = &choice->part;
    int best = -1, best_fit = 0;
    for (int i = p->from; i < p->to; i++) {
        int rank = s->items[i];
        const struct memory_box *b = &s->boxes[rank];
        if (b->low != p->level || b->first > choice->column || b->last < choice->column) continue;
        int fits = fit(s, p, b);
        if (choice->rank >= 0 && (fits > choice->fit || (fits == choice->fit && rank <= choice->rank)))
            continue;
        if (best >= 0 && (fits < best_fit || (fits == best_fit && rank > best))) continue;
        if (is_banned(s, b, p->level) || is_repeated(s, rank)) continue;
        best = rank;
        best_fit = fits;
    }
    s->looks -= p->to - p->from;
    choice->rank = best;
    choice->fit = best_fit;
    return best;
}

/* ---- the search ---- */

/* Split the boxes items[from .. to-1] and columns lo .. hi-1 of p into parts that no box crosses, and push
   them as pending. */
static void cut(struct memory_search *s, struct memory_part p) {
    for (int hi = p.hi, to = p.to; p.from < to; p.from = p.to, p.lo = p.hi) {
        for (p.hi = p.lo + 1; p.hi < hi && s->cuts[p.hi - 1]; p.hi++) continue;
        p.to = p.from;
        for (int i = p.from; i < to; i++)
            if (s->boxes[s->items[i]].first < p.hi) swap_items(s, i, p.to++);
        if (p.to > p.from) s->pending[s->npending++] = p;
        s->looks -= to - p.from;
    }
}

/* Advance a choice: place the next box and push the rest as pending parts, or ban the column's position when
   all boxes were tried, and go on with another. False if it is exhausted. */
static bool advance(struct memory_search *s, struct memory_choice *choice) {
    while (!choice->last) {
        int rank = next_region(s, choice);
        if (rank >= 0) {
            choice->last = place(s, &choice->part, rank);
            choice->placed = rank;
            struct memory_part rest = choice->part;
            rest.to--;
            rest.parent = (int)(choice - s->choices);
            cut(s, rest);
            return true;
        }
        if (s->nbans == s->nspans) {
            s->looks = -1;
            return false;
        }
        s->bans[s->nbans++] = (struct ban){choice->column, s->banned[choice->column]};
        s->banned[choice->column] = choice->part.level;
        choice->last = !look(s, choice);
    }
    return false;
}

/* Reset the search: no box is placed, and all are pending. */
static void start(struct memory_search *s) {
    s->npending = s->nchoices = s->nbans = s->nheights = 0;
    for (int c = 0; c < s->ncolumns; c++) {
        s->height[c] = 0;
        s->banned[c] = s->owner[c] = -1;
        s->rest[c] = s->load[c];
        s->cuts[c] = s->over[c];
    }
    for (int i = 0; i < s->n; i++) {
        s->items[i] = i;
        s->boxes[i].low = 0;
        s->boxes[i].placed = false;
    }
    cut(s, (struct memory_part){0, s->n, 0, s->ncolumns, -1, 0});
}

/* Advance the newest choice that has an alternative, after undoing later ones. False if none has one, or the
   budget is spent. */
static bool go_back(struct memory_search *s) {
    while (s->nchoices && s->looks >= 0 && !stop_cut()) {
        struct memory_choice *choice = &s->choices[s->nchoices - 1];
        progress_occasion(NULL);
        if (advance(s, choice)) return true;
        int parent = choice->part.parent;
        while (s->nchoices > parent + 1) undo(s, &s->choices[--s->nchoices]);
        if (parent < 0) return false;
        take_away(s, &s->choices[parent]); /* its exclusions remain */
    }
    return false;
}

enum search_end search_run(struct memory_search *s) {
    start(s);
    while (s->npending) {
        struct memory_part part = s->pending[--s->npending];
        s->choices[s->nchoices] = (struct memory_choice){part, -1, -1, 0, -1, s->npending, s->nbans, false};
        struct memory_choice *choice = &s->choices[s->nchoices++];
        choice->last = !look(s, choice);
        if (!go_back(s)) return s->looks < 0 ? SEARCH_STOPPED : SEARCH_NONE;
    }
    return s->looks < 0 ? SEARCH_STOPPED : SEARCH_FOUND;
}
