/* Description of the benchmarked machine, for the document. */
#ifndef BENCH_PROCESSOR_H
#define BENCH_PROCESSOR_H
#include <stdio.h>

/* Return the folder name under bench/results, by the design of its cores: "zen5". */
const char *processor_folder(void);
/* Write a JSON object: model, design, processors, caches of one core in KiB, memory. */
void processor_put(FILE *f);
#endif
