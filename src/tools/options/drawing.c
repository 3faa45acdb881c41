#include "tools/options/drawing.h"
#include <string.h>

static bool parse_drawing(const char *text, void *place) {
    const char *dot = strrchr(text, '.');
    *(const char **)place = text;
    return dot && dot > text && (!strcmp(dot, ".svg") || !strcmp(dot, ".png"));
}

const struct option_type option_drawing = {.argument = "FILE",
                                           .expected = "a name that ends in .svg or .png",
                                           .parse = parse_drawing,
                                           .written = true};
