/*
 * Regular expressions: the tree of a pattern becomes a program of a nondeterministic automaton (K. Thompson, "Regular
 * expression search algorithm", 1968), and a match follows all its states together.
 */
#include <string.h>
#include "base/error.h"
#include "onnx/ops/text/regex_tree.h"

/* Steps of a program, and nodes that are emitted, at most. */
enum { MOST_CODE = 20000 };

/* Arrays of a match, each as long as the program: two lists of states, two of places, and a stack of two. */
enum { PARTS = 6 };
enum code { READ, SPLIT, JUMP, CHECK, DONE };
struct step {
    enum code code;
    enum kind check;
    int x, y; /* next steps */
    int n;
    const struct range *ranges;
};
struct regex {
    int n;
    struct step *steps;
    int *memory; /* of matches */
};

/* ---- the program ---- */

struct builder {
    struct regex *regex;
    int work; /* nodes emitted, also those without instructions */
};

/* Append a step and return its number; -1 if there are too many. */
static int step_add(struct builder *b, struct step step) {
    if (b->regex->n == MOST_CODE) return -1;
    b->regex->steps[b->regex->n] = step;
    return b->regex->n++;
}
static bool emit(struct builder *b, const struct node *x);

/* Emit alternatives: each but the last begins with a split to the next one, and ends with a jump to the end. */
static bool emit_either(struct builder *b, const struct node *x) {
    int jumps = -1;
    struct step *steps = b->regex->steps;
    for (const struct node *child = x->first; child; child = child->next) {
        int split = child->next ? step_add(b, (struct step){.code = SPLIT, .x = b->regex->n + 1}) : 0;
        if (split < 0 || !emit(b, child)) return false;
        if (!child->next) break;
        int jump = step_add(b, (struct step){.code = JUMP, .x = jumps});
        if (jump < 0) return false;
        jumps = jump;
        steps[split].y = b->regex->n;
    }
    while (jumps >= 0) { /* jumps form a list until their target is known */
        int next = steps[jumps].x;
        steps[jumps].x = b->regex->n;
        jumps = next;
    }
    return true;
}
static bool emit_repeat(struct builder *b, const struct node *x) {
    struct step *steps = b->regex->steps;
    for (int i = 0; i < x->least; i++)
        if (!emit(b, x->first)) return false;
    if (x->most < 0) {
        int split = step_add(b, (struct step){.code = SPLIT, .x = b->regex->n + 1});
        if (split < 0 || !emit(b, x->first) || step_add(b, (struct step){.code = JUMP, .x = split}) < 0)
            return false;
        steps[split].y = b->regex->n;
        return true;
    }
    int splits = -1;
    for (int i = x->least; i < x->most; i++) {
        int split = step_add(b, (struct step){.code = SPLIT, .x = b->regex->n + 1, .y = splits});
        if (split < 0 || !emit(b, x->first)) return false;
        splits = split;
    }
    while (splits >= 0) {
        int next = steps[splits].y;
        steps[splits].y = b->regex->n;
        splits = next;
    }
    return true;
}
static bool emit(struct builder *b, const struct node *x) {
    if (b->work++ > MOST_CODE) return false;
    if (x->kind == EITHER) return emit_either(b, x);
    if (x->kind == REPEAT) return emit_repeat(b, x);
    if (x->kind == SET) return step_add(b, (struct step){.code = READ, .n = x->n, .ranges = x->ranges}) >= 0;
    if (x->kind != JOIN) return step_add(b, (struct step){.code = CHECK, .check = x->kind}) >= 0;
    for (const struct node *child = x->first; child; child = child->next)
        if (!emit(b, child)) return false;
    return true;
}
struct regex *regex_compile(struct arena *arena, const char *pattern, size_t n, struct fault *fault) {
    struct node *tree = regex_parse(arena, (const uint8_t *)pattern, n, fault);
    struct regex *regex = tree ? arena_alloc(arena, sizeof *regex) : NULL;
    if (regex) regex->steps = arena_array(arena, MOST_CODE, sizeof *regex->steps);
    if (!tree || !regex || !regex->steps) return fault_memory(fault, MOST_CODE * sizeof *regex->steps), NULL;
    struct builder b = {.regex = regex};
    if (!emit(&b, tree) || step_add(&b, (struct step){.code = DONE}) < 0)
        return fault_set(fault, E_LIMIT, "the regular expression needs more than %d steps", MOST_CODE), NULL;
    regex->memory = arena_array(arena, PARTS * (size_t)regex->n, sizeof *regex->memory);
    return regex->memory ? regex : (fault_memory(fault, PARTS * sizeof *regex->memory), NULL);
}

/* ---- matching ---- */

/* A place in the text: the characters before and after it; LAST + 1 at the ends. */
struct border {
    uint32_t before, after;
};
/* States at one place of the text, each once. */
struct states {
    int n, *list, *seen; /* seen[state]: number of the place, from 1 */
};

static bool holds(enum kind check, struct border at) {
    bool begin = at.before == LAST + 1, end = at.after == LAST + 1,
         border = ascii_is_word((int)at.before) != ascii_is_word((int)at.after);
    return check == BEGIN        ? begin
           : check == END        ? end
           : check == LINE_BEGIN ? begin || at.before == '\n'
           : check == LINE_END   ? end || at.after == '\n'
                                 : border == (check == BORDER);
}
/* Add a state and all that follow from it without reading; `stack` has room for all states. */
static void follow(const struct regex *regex, struct states *s, int *stack, int state, int place,
                   struct border at) {
    int depth = 0;
    stack[depth++] = state;
    while (depth) {
        state = stack[--depth];
        if (s->seen[state] == place) continue;
        s->seen[state] = place;
        const struct step *step = &regex->steps[state];
        if (step->code == JUMP) stack[depth++] = step->x;
        if (step->code == SPLIT) stack[depth++] = step->y, stack[depth++] = step->x;
        if (step->code == CHECK && holds(step->check, at)) stack[depth++] = state + 1;
        if (step->code == READ || step->code == DONE) s->list[s->n++] = state;
    }
}
bool regex_matches(struct regex *regex, const uint8_t *text, size_t n) {
    size_t room = (size_t)regex->n;
    int *memory = memset(regex->memory, 0, PARTS * room * sizeof *memory), place = 1;
    struct states now = {0, memory, memory + room}, next = {0, memory + 2 * room, memory + 3 * room};
    int *stack = memory + 4 * room;
    const uint8_t *at = text, *end = text + n, *ahead = at;
    struct border border = {LAST + 1, n ? character(&ahead, end) : LAST + 1};
    follow(regex, &now, stack, 0, place, border);
    while (at < end && now.n) {
        at = ahead, place++, next.n = 0;
        border = (struct border){border.after, at < end ? character(&ahead, end) : LAST + 1};
        for (int i = 0; i < now.n; i++) {
            const struct step *step = &regex->steps[now.list[i]];
            bool in = false;
            for (int k = 0; step->code == READ && k < step->n; k++)
                in |= border.before >= step->ranges[k].first && border.before <= step->ranges[k].last;
            if (in) follow(regex, &next, stack, now.list[i] + 1, place, border);
        }
        struct states swap = now;
        now = next, next = swap;
    }
    for (int i = 0; i < now.n; i++)
        if (at == end && regex->steps[now.list[i]].code == DONE) return true;
    return false;
}
