/* All variables of the environment, and what is wrong with their values. */
#include "base/environment.h"
#include <stdio.h>
#include <stdlib.h>
#include <tyto/tyto.h>
#include "contract/contraction.h"
#include "engine/cpu/jit_brgemm.h"

static const struct environment_row *const rows[] = {&environment_debug,   &environment_isa,
                                                     &environment_threads, &environment_workspace,
                                                     &environment_jit,     &environment_passes};

enum { ROWS_OF_ALL = sizeof rows / sizeof *rows, LINE = 384, SHOWN = 64 /* of a value */ };

const char *ty_environment_error(void) {
    static _Thread_local char lines[ROWS_OF_ALL * LINE];
    size_t n = 0;
    lines[0] = 0;
    for (int i = 0; i < ROWS_OF_ALL; i++) {
        const char *value = getenv(rows[i]->name);
        if (!value || !*value || rows[i]->allows(value)) continue;
        int more = snprintf(lines + n, LINE, "%s%s is \"%.*s\", but means something only as %s",
                            n ? "\n" : "", rows[i]->name, SHOWN, value, rows[i]->values);
        n += more > 0 && more < LINE ? (size_t)more : 0;
    }
    return lines;
}
