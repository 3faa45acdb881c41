/* Lines of C: a statement each, indented by four columns, and cut before column 112. */
#include "base/ascii.h"
#include "export/plain/token.h"

enum { COLUMNS = 110, INDENT = 4 };
/* Kinds of braces: of statements, of members, of values, and of extern "C". */
enum { STATEMENTS = 's', MEMBERS = 'm', VALUES = 'v', LINKAGE = 'l' };

static void end_line(struct printer *l) {
    if (!l->fresh) text_add(l->t, "\n");
    l->fresh = true, l->column = 0, l->gap = 0;
}
/* True if two tokens without space between them would be read as others. */
static bool would_join(const struct token *a, const struct token *b) {
    if (!a->length) return false;
    char left = a->at[a->length - 1], right = b->at[0];
    if (ascii_is_word(left) && ascii_is_word(right)) return true;
    return strchr("+-&|<>=/*#.!%^", left) && strchr("+-&|<>=/*#.", right);
}
/* Return the kind of a brace that opens now. */
static char brace_kind(const struct printer *l) {
    if (l->last.kind == TOKEN_QUOTE) return LINKAGE;
    bool inner = l->depth && l->braces[l->depth - 1] == VALUES;
    bool expression = token_is(&l->last, "(") || token_is(&l->last, "=") || token_is(&l->last, "return");
    if (inner || expression || l->literal == 1) return VALUES;
    bool named = token_is(&l->last, "struct") || token_is(&l->last, "union") || token_is(&l->last, "enum") ||
                 token_is(&l->before, "struct") || token_is(&l->before, "union") ||
                 token_is(&l->before, "enum");
    return named ? MEMBERS : STATEMENTS;
}
/* True if two tokens have a space between them. */
static bool has_space(const struct printer *l, const struct token *t) {
    if (l->fresh || l->spaced) return false;
    if (would_join(&l->last, t)) return true;
    char left = l->last.length == 1 ? l->last.at[0] : 0, right = t->length == 1 ? t->at[0] : 0;
    return t->space && left != '(' && left != '[' && !(right && strchr(");,]", right));
}
/* Break the line at its last gap. */
static void break_line(struct printer *l) {
    size_t indent = (size_t)(l->level + 1) * INDENT, tail = l->t->length - l->gap - 1;
    text_pad(l->t, ' ', indent);
    if (l->t->failed) return;
    char *gap = l->t->data + l->gap;
    memmove(gap + 1 + indent, gap + 1, tail);
    memset(gap + 1, ' ', indent);
    *gap = '\n';
    l->column = (int)(indent + tail), l->gap = 0;
}
static void add_words(struct printer *l, const struct token *t) {
    if (l->fresh) {
        text_pad(l->t, ' ', (size_t)l->level * INDENT);
        l->column = l->level * INDENT;
    } else if (has_space(l, t)) {
        if (*t->at != '*') l->gap = l->t->length;
        text_add(l->t, " ");
        l->column++;
    }
    text_add_bytes(l->t, t->at, (size_t)t->length);
    l->column += t->length;
    l->fresh = l->spaced = false;
    if (l->column > COLUMNS && l->gap && !l->directive) break_line(l);
}
static void open_brace(struct printer *l, const struct token *t) {
    char kind = brace_kind(l);
    add_words(l, t);
    if (l->depth < BRACES) l->braces[l->depth] = kind, l->opened[l->depth] = l->t->length;
    l->depth++;
    if (kind == STATEMENTS || kind == MEMBERS) l->level++;
    if (kind != VALUES) end_line(l);
}
/* Join a block of one statement to the line of its brace, if it has room. */
static void join_block(struct printer *l) {
    if (l->t->failed || l->depth >= BRACES) return;
    char *open = l->t->data + l->opened[l->depth], *end = l->t->data + l->t->length - 1, *line = open,
         *from = open;
    while (line > l->t->data && line[-1] != '\n') line--;
    while (from < end && (*from == '\n' || *from == ' ')) from++;
    size_t n = (size_t)(end - from);
    if (from >= end || end[-1] != ';' || *from == '#' || memchr(from, '\n', n) || strchr("#", *line) ||
        (size_t)(open - line) + n + 3 > COLUMNS)
        return;
    *open = ' ';
    memmove(open + 1, from, n);
    l->t->length = (size_t)(open - l->t->data) + 1 + n;
    l->t->data[l->t->length] = 0;
    text_add(l->t, " ");
    l->fresh = false, l->spaced = true, l->gap = 0;
    l->column = (int)((size_t)(open - line) + n + 2);
}
static void close_brace(struct printer *l, const struct token *t, const struct token *next) {
    if (l->depth) l->depth--;
    char kind = l->depth < BRACES ? l->braces[l->depth] : STATEMENTS;
    if (kind == STATEMENTS || kind == MEMBERS) l->level -= l->level > 0;
    if (kind != VALUES) end_line(l);
    if (kind == STATEMENTS) join_block(l);
    add_words(l, t);
    bool goes_on = next && (token_is(next, "else") || token_is(next, "while"));
    if ((kind == STATEMENTS || kind == LINKAGE) && !goes_on) end_line(l);
}

void printer_add(struct printer *l, const struct token *t, const struct token *next) {
    if (t->kind == TOKEN_LINE) {
        if (t->at[0] == '#') {
            end_line(l);
            int level = l->level;
            l->level = 0, l->directive = true;
            add_words(l, t);
            l->level = level;
        } else {
            end_line(l);
            l->directive = false;
        }
    } else if (t->kind == TOKEN_QUOTE && t->at[0] == '/') {
        add_words(l, t);
        end_line(l);
    } else if (token_is(t, "{")) {
        open_brace(l, t);
    } else if (token_is(t, "}")) {
        close_brace(l, t, next);
    } else {
        add_words(l, t);
        l->parentheses += token_is(t, "(") - token_is(t, ")");
        if (token_is(t, ";") && !l->parentheses) end_line(l);
    }
    bool literal = t->length >= 7 && !memcmp(t->at + t->length - 7, "LITERAL", 7);
    if (literal)
        l->literal = l->parentheses + 2;
    else if (l->literal == l->parentheses + 2 && token_is(t, ")"))
        l->literal = 1;
    else if (l->literal == 1)
        l->literal = 0;
    l->before = l->last, l->last = *t;
}
