/* Cells of tables of text. */
#include "base/text_column.h"

/* Return true at the first byte of a character. */
static bool begins(char c) { return ((unsigned char)c & 0xc0) != 0x80; }

int text_column_width(const char *name) {
    struct text shown = {0};
    int characters = 0;
    text_add_visible(&shown, name);
    for (size_t i = 0; i < shown.length; i++) characters += begins(shown.data[i]);
    text_drop(&shown);
    return characters;
}

void text_add_column(struct text *t, const char *name, int width) {
    struct text shown = {0};
    text_add_visible(&shown, name);
    int characters = 0, kept = 0;
    size_t cut = 0; /* bytes of the first width - 2 characters */
    for (size_t i = 0; i < shown.length; i++) {
        if (!begins(shown.data[i])) continue;
        if (characters == width - 2) cut = i, kept = characters;
        characters++;
    }
    bool whole = characters <= width;
    text_add_bytes(t, shown.data ? shown.data : "", whole ? shown.length : cut);
    if (!whole) text_add(t, "..");
    text_pad(t, ' ', (size_t)(width - (whole ? characters : kept + 2)));
    t->failed = t->failed || shown.failed;
    text_drop(&shown);
}
