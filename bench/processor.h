/* The machine under a benchmark, for its document. */
#ifndef BENCH_PROCESSOR_H
#define BENCH_PROCESSOR_H
#include <stdio.h>

/* The name of its folder under bench/results, by the design of its cores: "zen5". */
const char *processor_folder(void);
/* A JSON object: model, design, processors, caches of one core in KiB, memory. */
void processor_put(FILE *f);
#endif
