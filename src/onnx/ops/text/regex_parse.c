/* The parser of regular expressions: recursive descent, one function for each level of the grammar. */
#include <string.h>
#include "base/error.h"
#include "onnx/ops/text/regex_tree.h"

/* Limits: repetitions, as in RE2; depth of groups, and ranges of a class. */
enum { MOST_REPEAT = 1000, MOST_DEPTH = 200, MOST_RANGES = 256 };

struct parser {
    struct arena *arena;
    struct fault *fault;
    const uint8_t *at, *end;
    int depth;
    bool fold, dot_all, lines; /* flags i, s, m */
};

static void *refuse(struct parser *p, const char *words) {
    fault_set(p->fault, E_FORMAT, "the regular expression has %s at its byte %d from the end", words,
              (int)(p->end - p->at));
    return NULL;
}
static struct node *node(struct parser *p, enum kind kind) {
    struct node *made = arena_alloc(p->arena, sizeof *made);
    if (!made) return fault_memory(p->fault, sizeof *made), NULL;
    made->kind = kind;
    return made;
}
/* Add a child to a parent, which is returned; NULL if there is none. */
static struct node *with_child(struct node *parent, struct node *child) {
    if (!parent || !child) return NULL;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    return parent;
}
/* Make a set of n ranges, or of all other characters; with the flag i also letters of the other case. */
static struct node *set(struct parser *p, int n, const struct range *ranges, bool others) {
    struct range all[3 * MOST_RANGES], *out;
    int count = 0;
    for (int i = 0; i < n; i++) {
        all[count++] = ranges[i];
        for (int upper = 0; p->fold && upper < 2; upper++) {
            uint32_t from = upper ? 'A' : 'a', first = ranges[i].first, last = ranges[i].last;
            first = first < from ? from : first, last = last > from + 25 ? from + 25 : last;
            uint32_t apart = upper ? 32 : (uint32_t)-32;
            if (first <= last) all[count++] = (struct range){first + apart, last + apart};
        }
    }
    struct node *made = node(p, SET);
    out = made ? arena_array(p->arena, (size_t)count + 1, sizeof *out) : NULL;
    if (!out) return fault_memory(p->fault, sizeof all), NULL;
    made->ranges = out;
    if (!others) {
        memcpy(out, all, (size_t)count * sizeof *out);
        made->n = count;
        return made;
    }
    for (uint32_t from = 0; from <= LAST;) { /* gaps between the ranges, in order */
        uint32_t next = LAST + 1, after = from;
        for (int i = 0; i < count; i++) {
            if (all[i].first <= from && all[i].last >= after) after = all[i].last + 1;
            if (all[i].first > from && all[i].first < next) next = all[i].first;
        }
        if (after > from) {
            from = after;
            continue;
        }
        out[made->n++] = (struct range){from, next - 1};
        from = next;
    }
    return made;
}

/* Classes of one letter: \d \s \w, and those of [:name:]. */
static const struct {
    const char *name;
    int n;
    struct range ranges[4];
} classes[] = {
    {"d", 1, {{'0', '9'}}},
    {"s", 3, {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}},
    {"w", 4, {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"alnum", 3, {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", 2, {{'A', 'Z'}, {'a', 'z'}}},
    {"ascii", 1, {{0, 127}}},
    {"blank", 2, {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", 2, {{0, 31}, {127, 127}}},
    {"digit", 1, {{'0', '9'}}},
    {"graph", 1, {{'!', '~'}}},
    {"lower", 1, {{'a', 'z'}}},
    {"print", 1, {{' ', '~'}}},
    {"punct", 4, {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", 2, {{'\t', '\r'}, {' ', ' '}}},
    {"upper", 1, {{'A', 'Z'}}},
    {"word", 4, {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"xdigit", 3, {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};
/* Return the class of a name of n bytes; -1: there is none. */
static int class_named(const uint8_t *name, size_t n) {
    for (int i = 0; i < (int)(sizeof classes / sizeof *classes); i++)
        if (strlen(classes[i].name) == n && !memcmp(classes[i].name, name, n)) return i;
    return -1;
}
/* Add a class, or all other characters, to ranges; false if there are too many. */
static bool add_class(struct range *ranges, int *n, int class, bool others) {
    uint32_t from = 0;
    if (*n + 8 > MOST_RANGES) return false;
    for (int i = 0; i < classes[class].n; i++) {
        struct range r = classes[class].ranges[i];
        if (!others) ranges[(*n)++] = r;
        if (others && r.first > from) ranges[(*n)++] = (struct range){from, r.first - 1};
        from = r.last + 1;
    }
    if (others) ranges[(*n)++] = (struct range){from, LAST};
    return true;
}

/* Read hexadecimal digits of \x41 or \x{1F600}; -1: there are none. */
static int64_t hexadecimal(struct parser *p) {
    bool braces = p->at < p->end && *p->at == '{';
    int64_t value = 0;
    int digits = 0;
    for (p->at += braces; p->at < p->end && digits < (braces ? 8 : 2); p->at++, digits++) {
        uint8_t c = *p->at;
        int digit = c >= '0' && c <= '9'                 ? c - '0'
                    : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                         : -1;
        if (digit < 0) break;
        value = value * 16 + digit;
    }
    if (!digits || value > (int64_t)LAST || (braces && (p->at == p->end || *p->at++ != '}'))) return -1;
    return value;
}
/* Read what follows a backslash: a character, or -1 and *class, with *others for a capital; -2: it is neither. */
static int64_t escape(struct parser *p, int *class, bool *others) {
    static const char names[] = "aftnrv", values[] = "\a\f\t\n\r\v";
    if (p->at == p->end) return -2;
    uint8_t c = *p->at;
    uint8_t small = c | 32;
    *class =
        c == 'd' || c == 's' || c == 'w' || c == 'D' || c == 'S' || c == 'W' ? class_named(&small, 1) : -1;
    *others = c < 'a';
    if (*class >= 0) return p->at++, -1;
    const char *name = c ? strchr(names, c) : NULL;
    if (name) return p->at++, values[name - names];
    if (c == 'x') {
        p->at++;
        int64_t value = hexadecimal(p);
        return value < 0 ? -2 : value;
    }
    if (c < 0x80 && ascii_is_word((int)c)) return -2;
    return character(&p->at, p->end);
}

/* Read a character or a class of a bracket. */
static bool bracket_item(struct parser *p, struct range *ranges, int *n, int64_t *c) {
    int class = -1;
    bool others = false;
    *c = -1;
    if (p->end - p->at > 3 && p->at[0] == '[' && p->at[1] == ':') {
        const uint8_t *name = p->at + 2, *stop = name;
        while (stop < p->end && *stop != ':') stop++;
        others = *name == '^';
        class = p->end - stop > 1 && stop[1] == ']'
                    ? class_named(name + others, (size_t)(stop - name) - others)
                    : -1;
        if (class < 0) return refuse(p, "an unknown class"), false;
        p->at = stop + 2;
    } else if (*p->at == '\\') {
        p->at++;
        *c = escape(p, &class, &others);
        if (*c == -2) return refuse(p, "an unknown escape"), false;
    } else {
        *c = character(&p->at, p->end);
    }
    return class < 0 || add_class(ranges, n, class, others) || (refuse(p, "too many ranges"), false);
}
static struct node *bracket(struct parser *p) {
    struct range ranges[MOST_RANGES];
    int n = 0;
    bool others = p->at < p->end && *p->at == '^', first = true;
    for (p->at += others; p->at < p->end && (first || *p->at != ']'); first = false) {
        int64_t c, last;
        if (!bracket_item(p, ranges, &n, &c)) return NULL;
        if (c < 0) continue;
        last = c;
        if (p->end - p->at > 1 && p->at[0] == '-' && p->at[1] != ']') {
            p->at++;
            if (!bracket_item(p, ranges, &n, &last)) return NULL;
        }
        if (last < c || n + 8 > MOST_RANGES) return refuse(p, "a wrong range");
        ranges[n++] = (struct range){(uint32_t)c, (uint32_t)last};
    }
    if (p->at == p->end) return refuse(p, "a class without an end");
    p->at++;
    return set(p, n, ranges, others);
}

static struct node *either(struct parser *p);

/* Read the flags of (?flags) or (?flags: ...), or a name; true if a group begins. */
static bool group_head(struct parser *p, bool *group) {
    bool on = true;
    *group = true;
    if (p->end - p->at < 2 || *p->at != '?') return true;
    p->at++;
    if (*p->at == 'P' || *p->at == '<') { /* (?P<name> or (?<name> */
        while (p->at < p->end && *p->at != '>') p->at++;
        return p->at < p->end ? (p->at++, true) : (refuse(p, "a group without a name"), false);
    }
    for (; p->at < p->end; p->at++) {
        uint8_t c = *p->at;
        if (c == ':' || c == ')') {
            *group = c == ':';
            p->at++;
            return true;
        }
        if (c == '-')
            on = false;
        else if (c == 'i')
            p->fold = on;
        else if (c == 's')
            p->dot_all = on;
        else if (c == 'm')
            p->lines = on;
        else if (c != 'U')
            break;
    }
    refuse(p, "an unknown flag");
    return false;
}
static struct node *group(struct parser *p) {
    struct parser before = *p;
    bool opens;
    if (++p->depth > MOST_DEPTH) return refuse(p, "too many groups inside each other");
    if (!group_head(p, &opens)) return NULL;
    p->depth--;
    if (!opens) return node(p, JOIN); /* flags hold to the end of the group around */
    p->depth++;
    struct node *inner = either(p);
    if (!inner) return NULL;
    if (p->at == p->end || *p->at++ != ')') return refuse(p, "a group without an end");
    p->fold = before.fold, p->dot_all = before.dot_all, p->lines = before.lines, p->depth--;
    return inner;
}
static struct node *one_character(struct parser *p, uint32_t c) {
    return set(p, 1, &(struct range){c, c}, false);
}

/* Read one character, class, group or assertion. */
static struct node *atom(struct parser *p) {
    int class;
    bool others;
    uint8_t c = *p->at;
    if (c == '(') return p->at++, group(p);
    if (c == '[') return p->at++, bracket(p);
    if (c == '.') return p->at++, set(p, p->dot_all ? 0 : 1, &(struct range){'\n', '\n'}, true);
    if (c == '^' || c == '$')
        return p->at++, node(p, (c == '^' ? BEGIN : END) + (p->lines ? LINE_BEGIN - BEGIN : 0));
    if (c == '*' || c == '+' || c == '?') return refuse(p, "a repetition of nothing");
    if (c != '\\') return one_character(p, character(&p->at, p->end));
    static const char checks[] = "AzbB";
    static const enum kind kinds[] = {BEGIN, END, BORDER, NO_BORDER};
    const char *check = ++p->at < p->end && *p->at ? strchr(checks, *p->at) : NULL;
    if (check) return p->at++, node(p, kinds[check - checks]);
    int64_t value = escape(p, &class, &others);
    if (value == -2) return refuse(p, "an unknown escape");
    if (value >= 0) return one_character(p, (uint32_t)value);
    struct range ranges[MOST_RANGES];
    int n = 0;
    add_class(ranges, &n, class, others);
    return set(p, n, ranges, false);
}
/* Read {n}, {n,} or {n,m}; false: the brace is a character. */
static bool braces(struct parser *p, int *least, int *most) {
    const uint8_t *at = p->at + 1;
    int value[2] = {0, -1}, which = 0;
    bool digits = false;
    for (; at < p->end && *at != '}'; at++) {
        if (*at == ',' && digits && !which) {
            which = 1;
        } else if (ascii_is_digit(*at)) {
            value[which] = (value[which] < 0 ? 0 : value[which]) * 10 + *at - '0';
            digits = true;
            if (value[which] > MOST_REPEAT) value[which] = MOST_REPEAT + 1;
        } else {
            return false;
        }
    }
    if (at == p->end || !digits) return false;
    p->at = at + 1;
    *least = value[0], *most = which ? value[1] : value[0];
    return true;
}
static struct node *repeated(struct parser *p) {
    struct node *x = atom(p), *made;
    if (!x || p->at == p->end) return x;
    int least = *p->at == '+', most = *p->at == '?' ? 1 : -1;
    if (*p->at == '*' || *p->at == '+' || *p->at == '?')
        p->at++;
    else if (*p->at != '{' || !braces(p, &least, &most))
        return x;
    if (least > MOST_REPEAT || most > MOST_REPEAT || (most >= 0 && most < least))
        return refuse(p, "a wrong number of repetitions");
    if (p->at < p->end && *p->at == '?') p->at++; /* lazy: the same strings match as a whole */
    if (p->at < p->end && (*p->at == '*' || *p->at == '+' || *p->at == '?'))
        return refuse(p, "a repetition of a repetition");
    if ((made = node(p, REPEAT))) made->least = least, made->most = most;
    return with_child(made, x);
}
static struct node *joined(struct parser *p) {
    struct node *all = node(p, JOIN);
    while (all && p->at < p->end && *p->at != '|' && *p->at != ')') all = with_child(all, repeated(p));
    return all;
}
static struct node *either(struct parser *p) {
    struct node *all = with_child(node(p, EITHER), joined(p));
    while (all && p->at < p->end && *p->at == '|') {
        p->at++;
        all = with_child(all, joined(p));
    }
    return all;
}

struct node *regex_parse(struct arena *arena, const uint8_t *pattern, size_t n, struct fault *fault) {
    struct parser p = {.arena = arena, .fault = fault, .at = pattern, .end = pattern + n};
    struct node *tree = either(&p);
    return tree && p.at < p.end ? refuse(&p, "a parenthesis that closes no group") : tree;
}
