/* What printing goes by when nothing else is said. */
#ifndef ARRAY_PRINT_OPTIONS_H
#define ARRAY_PRINT_OPTIONS_H
#include <tyto/core.h>

/* Options without zeros: this thread's where zeros stood, precision 0 for none. */
ty_print_options print_options_fill(ty_print_options options);
#endif
