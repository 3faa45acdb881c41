/* tyto info: what this build would run on. */
#include "tools/command.h"
#include <stdio.h>
#include <stdlib.h>
#include <tyto/tyto.h>

static int run(const void *settings) {
    (void)settings;
    printf("version       %s\n", ty_version());
    printf("engine        %s\n", ty_engine_name());
    printf("instructions  %s\n", ty_isa());
    printf("threads       %d\n", ty_threads());
    printf("dtypes       ");
    for (int d = 0; d < TY_DTYPES; d++) printf(" %s", ty_dtype_name((ty_dtype)d));
    printf("\n");
    return EXIT_SUCCESS;
}

static const struct option options[] = {{0}};
const struct command command_info = {.name = "info",
                                     .doc = "Shows engine, instruction set, threads.",
                                     .details = "",
                                     .options = options,
                                     .defaults = "",
                                     .bytes = 1,
                                     .run = run};
