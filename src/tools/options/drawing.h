/* Pictures that commands write. */
#ifndef TOOLS_OPTIONS_DRAWING_H
#define TOOLS_OPTIONS_DRAWING_H
#include "tools/command.h"

/* Type of an output file that ends in .svg or .png: const char *. */
extern const struct option_type option_drawing;
#endif
