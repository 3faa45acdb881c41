#include "tests/support/tree.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

char *tree_text(const char *path) {
    char whole[1024];
    snprintf(whole, sizeof whole, "%s/%s", TREE, path);
    FILE *file = fopen(whole, "rb");
    CHECK(file, "cannot open %s", whole);
    fseek(file, 0, SEEK_END);
    long bytes = ftell(file);
    rewind(file);
    char *text = bytes < 0 ? NULL : test_room((size_t)bytes + 1);
    size_t n = text ? fread(text, 1, (size_t)bytes, file) : 0;
    fclose(file);
    CHECK(text && n == (size_t)bytes, "cannot read %s", whole);
    return text;
}

static bool is_of_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

bool tree_has_word(const char *text, const char *name) {
    size_t n = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_of_word(at[-1])) && !is_of_word(at[n])) return true;
    return false;
}

char *tree_line(char **text) {
    char *line = *text;
    if (!*line) return NULL;
    *text += strcspn(line, "\n");
    if (**text) *(*text)++ = 0;
    return line;
}

char *tree_golden(char *line) {
    char *numpy = strstr(line, " | ");
    if (numpy) *numpy = 0;
    return *line && *line != '#' ? line : NULL;
}
