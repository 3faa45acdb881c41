/* Declarations of the text: those that functions need, and their names in the file. */
#include "base/alloc.h"
#include "base/ascii.h"
#include "base/list.h"
#include "export/plain/plain.h"
#include "export/plain/token.h"

/* A declaration or a directive: tokens first .. end-1. */
struct unit {
    int first, end;
    bool kept, step;
    bool alias; /* typedef of words, which replace the name */
    int same;   /* an earlier step of equal text, -1: none */
    int branch; /* in which it lies, -1: none */
};
/* A name that a unit declares. */
struct declared {
    struct token name;
    struct token renamed;
    int unit;
    int other; /* an earlier declaration of this name, -1: none */
};
/* A branch of a condition that the compiler decides. */
struct branch {
    int outer;          /* the branch around its condition, -1: none */
    uint64_t condition; /* hash of its words */
    int number;
};
struct units {
    struct plain p;
    const struct plain_names *names;
    struct unit *units;
    struct declared *declared;
    int n, capacity, ndeclared, room;
    struct map numbers; /* hash of a name -> its last declaration */
    struct map taken;   /* hashes of names in the file */
    int *waiting;       /* units whose words are not followed yet */
    int nwaiting, waiting_room;
    struct branch *branches;
    int nbranches, branches_room, branch; /* the present one, -1: none */
    int nsteps;
};

/* ---- declarations ---- */

static struct token *at_of(struct units *u, int i) { return &u->p.out.items[i]; }
static struct declared *find(struct units *u, const struct token *name) {
    const int64_t *at = name->kind == TOKEN_WORD ? map_find(&u->numbers, token_hash(name)) : NULL;
    return at ? &u->declared[*at] : NULL;
}
static void declare(struct units *u, const struct token *name) {
    bool is_new;
    int64_t *at = map_put(&u->numbers, token_hash(name), u->ndeclared, &is_new);
    struct declared d = {.name = *name, .unit = u->n, .other = -1};
    if (at && !is_new) d.other = (int)*at;
    if (at) *at = u->ndeclared;
    if (!at || !list_append(u->declared, u->ndeclared, u->room, d)) u->p.failed = true;
}
/* True if the tokens are typedef, words, a name, and ";". */
static bool is_alias(struct units *u, int first, int end) {
    if (end - first < 4 || !token_is(at_of(u, first), "typedef")) return false;
    for (int i = first + 1; i < end - 1; i++)
        if (at_of(u, i)->kind != TOKEN_WORD || token_is(at_of(u, i), "struct") ||
            token_is(at_of(u, i), "union"))
            return false;
    return true;
}
/* Declare the tag or the constants of a struct, union or enum whose word is token i. */
static void declare_tag(struct units *u, int i, int end) {
    bool constants = token_is(at_of(u, i), "enum");
    if (i + 2 < end && token_is(at_of(u, i + 2), "{")) declare(u, at_of(u, i + 1));
    while (i < end && !token_is(at_of(u, i), "{")) i++;
    for (; constants && i + 1 < end && !token_is(at_of(u, i), "}"); i++)
        if ((token_is(at_of(u, i), "{") || token_is(at_of(u, i), ",")) && at_of(u, i + 1)->kind == TOKEN_WORD)
            declare(u, at_of(u, i + 1));
}
/* Declare the names of variables and types: words outside of braces before one of "[=;,". */
static void declare_variables(struct units *u, int first, int end) {
    int depth = 0;
    bool value = false; /* behind "=" */
    for (int i = first; i + 1 < end; i++) {
        struct token *t = at_of(u, i), *next = at_of(u, i + 1);
        depth += token_is(t, "{") - token_is(t, "}");
        if (!depth && token_is(t, ",")) value = false;
        if (!depth && token_is(t, "=")) value = true;
        if (!depth && !value && t->kind == TOKEN_WORD && next->length == 1 && strchr("[=;,", next->at[0]))
            declare(u, t);
    }
}
/* Return the token after an attribute at token i, or i if there is none. */
static int skip_attribute(struct units *u, int i, int end) {
    if (i >= end || !token_is(at_of(u, i), "__attribute__")) return i;
    int depth = 0;
    do {
        i++;
        depth += i < end ? token_is(at_of(u, i), "(") - token_is(at_of(u, i), ")") : 0;
    } while (i < end && depth);
    return i < end ? i + 1 : end;
}
/* Begin or end a branch at a directive of tokens first .. end-1. */
static void change_branch(struct units *u, int first, int end) {
    const struct token *word = at_of(u, first + 1);
    struct branch now = {.outer = u->branch}, *present = u->branch < 0 ? NULL : &u->branches[u->branch];
    if (token_is(word, "if"))
        for (int i = first + 2; i < end; i++)
            now.condition = hash_join(now.condition, token_hash(at_of(u, i)));
    else if (present && (token_is(word, "else") || token_is(word, "elif")))
        now = *present, now.number++;
    else {
        if (present && token_is(word, "endif")) u->branch = present->outer;
        return;
    }
    u->branch = u->nbranches;
    if (!list_append(u->branches, u->nbranches, u->branches_room, now)) u->p.failed = true, u->branch = -1;
}
/* True if the two branches exclude each other. */
static bool exclude(const struct units *u, int left, int right) {
    for (int a = left; a >= 0; a = u->branches[a].outer)
        for (int b = right; b >= 0; b = u->branches[b].outer)
            if (u->branches[a].condition == u->branches[b].condition &&
                u->branches[a].number != u->branches[b].number)
                return true;
    return false;
}
/* Add the unit of tokens first .. end-1. */
static void add_unit(struct units *u, int first, int end) {
    struct unit unit = {.first = first, .end = end, .same = -1, .branch = u->branch};
    struct token *t = at_of(u, first);
    int call = skip_attribute(u, first, end);
    while (call < end && !strchr("({=", at_of(u, call)->at[0])) call = skip_attribute(u, call + 1, end);
    if (t->kind == TOKEN_LINE) {
        bool defines = token_is(at_of(u, first + 1), "define");
        unit.kept = !defines;
        if (defines) declare(u, at_of(u, first + 2));
    } else if (is_alias(u, first, end)) {
        unit.alias = true;
        declare(u, at_of(u, end - 2));
    } else if (call < end && call > first && token_is(at_of(u, call), "(")) {
        struct token *name = at_of(u, call - 1);
        /* Functions of steps: "k", 16 digits of a hash, and a number (engine/text/render.c). */
        unit.step = name->length > 18 && name->at[0] == 'k' && name->at[17] == '_';
        declare(u, name);
    } else {
        for (int i = first; i < end; i++) {
            struct token *word = at_of(u, i);
            if (token_is(word, "struct") || token_is(word, "union") || token_is(word, "enum")) {
                declare_tag(u, i, end);
                break;
            }
        }
        declare_variables(u, first, end);
    }
    if (!list_append(u->units, u->n, u->capacity, unit)) u->p.failed = true;
}
/* Divide the text at the end of each function, declaration and directive. */
static void divide(struct units *u) {
    int depth = 0, first = 0;
    bool function = false; /* a parenthesis was last before the outermost brace */
    for (int i = 0; i < u->p.out.n && !u->p.failed; i++) {
        const struct token *t = at_of(u, i);
        bool directive = at_of(u, first)->kind == TOKEN_LINE;
        bool line = t->kind == TOKEN_LINE && t->at[0] == '\n', semicolon = t->at[0] == ';' && first == i;
        if (!depth && token_is(t, "{")) function = i > first && token_is(at_of(u, i - 1), ")");
        if (t->kind == TOKEN_SIGN && !directive) depth += (t->at[0] == '{') - (t->at[0] == '}');
        bool ends = line || (!directive && !depth && (t->at[0] == ';' || (t->at[0] == '}' && function)));
        if (depth || !ends) continue;
        if (!semicolon) add_unit(u, first, i + 1);
        if (line && first < i) change_branch(u, first, i);
        first = i + 1, function = false;
    }
}

/* Keep typedefs whose names have other declarations in other branches. */
static void keep_chosen_types(struct units *u) {
    for (int i = 0; i < u->ndeclared; i++) {
        int other = u->declared[i].other;
        if (other < 0 || u->units[u->declared[i].unit].branch < 0) continue;
        u->units[u->declared[i].unit].alias = u->units[u->declared[other].unit].alias = false;
    }
}

/* ---- use ---- */

/* Join a step to an earlier one of equal text. */
static void join_step(struct units *u, int i, struct map *seen) {
    struct unit *unit = &u->units[i];
    uint64_t h = 1;
    bool is_new, named = false;
    for (int k = unit->first; k < unit->end; k++) {
        struct declared *d = find(u, at_of(u, k));
        bool own = !named && d && d->unit == i;
        named = named || own;
        h = hash_join(h, own ? 0 : token_hash(at_of(u, k)));
    }
    int64_t *at = map_put(seen, h, i, &is_new);
    if (!at) u->p.failed = true;
    if (at && !is_new) unit->same = (int)*at;
}
static void keep_unit(struct units *u, int i) {
    while (u->units[i].same >= 0) i = u->units[i].same;
    if (u->units[i].kept) return;
    u->units[i].kept = true;
    if (!list_append(u->waiting, u->nwaiting, u->waiting_room, i)) u->p.failed = true;
}
/* Keep the declarations of a name that is used in a branch. */
static void keep_declared(struct units *u, const struct token *name, int branch) {
    for (struct declared *d = find(u, name); d; d = d->other < 0 ? NULL : &u->declared[d->other])
        if (!exclude(u, branch, u->units[d->unit].branch)) keep_unit(u, d->unit);
}
/* Keep all declarations that the functions use. */
static void keep_needed(struct units *u, const struct text *functions) {
    struct token t;
    const char *end = functions->data + functions->length;
    struct map seen = {0};
    for (int i = 0; i < u->n; i++)
        if (u->units[i].step) join_step(u, i, &seen);
    map_drop(&seen);
    for (const char *at = token_next(functions->data, end, &t); t.length; at = token_next(at, end, &t))
        keep_declared(u, &t, -1);
    for (int i = 0; i < u->n; i++) /* directives that stay, but for definitions */
        for (int k = u->units[i].first; u->units[i].kept && k < u->units[i].end; k++)
            keep_declared(u, at_of(u, k), u->units[i].branch);
    while (u->nwaiting && !u->p.failed) {
        const struct unit *unit = &u->units[u->waiting[--u->nwaiting]];
        for (int k = unit->first; k < unit->end; k++) keep_declared(u, at_of(u, k), unit->branch);
    }
}
/* Drop conditions of the compiler whose branches have become empty. */
static void drop_conditions(struct units *u) {
    int *opened = mem_array((size_t)u->n + 1, sizeof *opened), depth = 0;
    if (!opened) u->p.failed = true;
    for (int i = 0; opened && i < u->n; i++) {
        struct unit *unit = &u->units[i];
        const struct token *word = at_of(u, unit->first + 1);
        if (!unit->kept || at_of(u, unit->first)->kind != TOKEN_LINE) continue;
        if (token_is(word, "if")) opened[depth++] = i;
        if (!token_is(word, "endif") || !depth) continue;
        bool used = false;
        for (int k = opened[--depth] + 1; k < i; k++)
            used = used || (u->units[k].kept && !(at_of(u, u->units[k].first)->kind == TOKEN_LINE &&
                                                  (token_is(at_of(u, u->units[k].first + 1), "else") ||
                                                   token_is(at_of(u, u->units[k].first + 1), "elif"))));
        if (!used) u->units[opened[depth]].kept = unit->kept = false;
        for (int k = opened[depth]; !used && k < i; k++) u->units[k].kept = false;
    }
    mem_free(opened);
}

/* ---- names ---- */

static void take_words(struct units *u, const struct text *text) {
    struct token t;
    const char *end = text->data + text->length;
    for (const char *at = token_next(text->data, end, &t); t.length; at = token_next(at, end, &t))
        if (t.kind == TOKEN_WORD && !map_put(&u->taken, token_hash(&t), 1, NULL)) u->p.failed = true;
}
/* Set a declaration's name in the file to `words`, with as many "_" after it as make it unique. */
static void rename_to(struct units *u, struct declared *d, struct text *words) {
    bool is_new = false;
    while (!words->failed && !u->p.failed) {
        struct token t = {.at = words->data, .length = (int)words->length};
        if (!map_put(&u->taken, token_hash(&t), 1, &is_new)) u->p.failed = true;
        if (is_new) break;
        text_add(words, "_");
    }
    d->renamed.at = words->failed ? NULL : arena_copy(&u->p.arena, words->data, words->length + 1);
    d->renamed.length = (int)words->length;
    if (!d->renamed.at) u->p.failed = true;
}
/* Append the comment on a step, and set *word to the start of its name. */
static void describe(struct units *u, const struct declared *d, struct text *comment, const char **word) {
    char name[64] = "";
    int n = d->name.length < (int)sizeof name ? d->name.length : (int)sizeof name - 1;
    memcpy(name, d->name.at, (size_t)n);
    *word = "step";
    u->names->describe(u->names->context, name, comment, word);
}
/* Give names to kept declarations: a step's name is its operator and a number. */
static void rename_all(struct units *u) {
    struct text words = {0}, comment = {0};
    for (int i = 0; i < u->ndeclared && !u->p.failed; i++) {
        struct declared *d = &u->declared[i], *first = d;
        if (u->units[d->unit].alias || !u->units[d->unit].kept || u->units[d->unit].same >= 0) continue;
        while (first->other >= 0) first = &u->declared[first->other];
        if (first->renamed.at) continue;
        words.length = 0;
        const char *word = NULL;
        if (u->units[d->unit].step) describe(u, d, &comment, &word);
        if (word)
            text_add(&words, "%s_%s_%d", u->names->prefix, word, u->nsteps++);
        else
            text_add(&words, "%s_%.*s", u->names->prefix, d->name.length, d->name.at);
        rename_to(u, first, &words);
    }
    u->p.failed = u->p.failed || words.failed;
    text_drop(&words);
    text_drop(&comment);
}

/* ---- text ---- */

/* Return the declaration of a word in the text, NULL if the text does not declare it. */
static struct declared *meaning(struct units *u, const struct token *t) {
    struct declared *d = find(u, t);
    while (d && u->units[d->unit].same >= 0) {
        const struct unit *same = &u->units[u->units[d->unit].same];
        int k = same->first;
        struct declared *other = NULL;
        for (; k < same->end && !(other && other->unit == u->units[d->unit].same); k++)
            other = find(u, at_of(u, k));
        d = other;
    }
    return d;
}
/* Return the name of a declaration in the file, which all declarations of its name share; NULL: it keeps its own. */
static const struct token *new_name(struct units *u, const struct declared *d) {
    while (d && d->other >= 0) d = &u->declared[d->other];
    return d && d->renamed.at ? &d->renamed : NULL;
}
/* Append a token; names of typedefs are replaced by their types. */
static void add_token(struct units *u, struct printer *l, const struct token *t, const struct token *next) {
    struct declared *d = meaning(u, t);
    struct token now = *t;
    if (d && u->units[d->unit].alias) {
        const struct unit *unit = &u->units[d->unit];
        for (int k = unit->first + 1; k < unit->end - 2; k++) {
            now = *at_of(u, k);
            if (k == unit->first + 1) now.space = t->space;
            add_token(u, l, &now, next);
        }
        return;
    }
    const struct token *name = new_name(u, d);
    if (name) now.at = name->at, now.length = name->length;
    printer_add(l, &now, next);
}
static void add_comment(struct units *u, struct text *to, const struct unit *unit) {
    struct text comment = {0};
    const char *word;
    for (int k = unit->first; k < unit->end; k++) {
        struct declared *d = find(u, at_of(u, k));
        if (!d || &u->units[d->unit] != unit) continue;
        describe(u, d, &comment, &word);
        break;
    }
    if (comment.length) text_add(to, "/* %s */\n", comment.data);
    to->failed = to->failed || comment.failed;
    text_drop(&comment);
}
static void add_units(struct units *u, struct text *to) {
    for (int i = 0; i < u->n; i++) {
        const struct unit *unit = &u->units[i];
        if (!unit->kept || unit->same >= 0 || unit->alias) continue;
        struct printer l = {.t = to, .fresh = true};
        bool function = token_is(at_of(u, unit->end - 1), "}");
        size_t start = to->length;
        if (unit->step) add_comment(u, to, unit);
        for (int k = unit->first; k < unit->end; k++)
            add_token(u, &l, at_of(u, k), k + 1 < unit->end ? at_of(u, k + 1) : NULL);
        if (function && !to->failed && strchr(to->data + start, '\n')[1]) text_add(to, "\n");
    }
}
/* Append a token of the functions; called functions have their new names. */
static void add_named(struct units *u, struct printer *l, struct token t, const struct token *next) {
    const struct token *name = new_name(u, meaning(u, &t));
    if (name && next && token_is(next, "(")) t.at = name->at, t.length = name->length;
    printer_add(l, &t, next);
}
/* Append the functions. */
static void add_functions(struct units *u, struct text *to) {
    const struct text *from = u->names->functions;
    const char *end = from->data + from->length;
    struct printer l = {.t = to, .fresh = true};
    for (const char *at = from->data, *next; at < end; at = next) {
        next = memchr(at, '\n', (size_t)(end - at));
        next = next ? next + 1 : end;
        if (*at == '#') { /* a directive */
            text_add_bytes(to, at, (size_t)(next - at));
            continue;
        }
        while (next < end && *next != '#') {
            const char *line = memchr(next, '\n', (size_t)(end - next));
            next = line ? line + 1 : end;
        }
        struct token t, after;
        for (at = token_next(at, next, &t); t.length; t = after) {
            at = token_next(at, next, &after);
            add_named(u, &l, t, after.length ? &after : NULL);
        }
    }
}
bool plain_make(struct text *to, const char *from, const struct plain_names *names) {
    struct units u = {.names = names, .branch = -1};
    directive_process(&u.p, from);
    if (!u.p.failed) divide(&u);
    if (!u.p.failed) keep_chosen_types(&u);
    if (!u.p.failed) keep_needed(&u, names->functions);
    if (!u.p.failed) drop_conditions(&u);
    if (!u.p.failed) take_words(&u, names->functions);
    if (!u.p.failed) take_words(&u, names->header);
    if (!u.p.failed) rename_all(&u);
    if (!u.p.failed) add_units(&u, to);
    if (!u.p.failed) add_functions(&u, to);
    bool done = !u.p.failed && !to->failed;
    mem_free(u.units);
    mem_free(u.declared);
    mem_free(u.waiting);
    mem_free(u.branches);
    map_drop(&u.numbers);
    map_drop(&u.taken);
    plain_drop(&u.p);
    return done;
}
