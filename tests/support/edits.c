#include "tests/support/edits.h"
#include <string.h>
#include "tests/support/harness.h"

/* Copy `text` to out with `gone` characters at `at` replaced by c, or removed if c is 0. */
static void edit(char *out, const char *text, size_t at, size_t gone, char c) {
    memcpy(out, text, at);
    size_t n = at;
    if (c) out[n++] = c;
    strcpy(out + n, text + at + gone);
}

int each_edit(const char *text, const char *alphabet, void (*visit)(void *context, const char *edited),
              void *context) {
    char edited[EDIT_LENGTH];
    size_t length = strlen(text);
    int count = 0;
    CHECK(length < EDIT_LENGTH - 1, "%s is too long to edit", text);
    for (size_t at = 0; at <= length; at++)
        for (const char *c = alphabet;; c++) { /* the final 0 stands for a deletion */
            for (size_t gone = *c ? 0 : 1; gone < 2; gone++) {
                if (gone && (at == length || text[at] == *c)) continue;
                edit(edited, text, at, gone, *c);
                visit(context, edited);
                count++;
            }
            if (!*c) break;
        }
    return count;
}
