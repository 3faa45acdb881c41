#include "tests/support/reach.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 512, MOST_ENGINES = 8 };
static atomic_bool recorded[MOST], lowered[MOST][MOST_ENGINES];

static int place_of(const struct op *op) {
    int place = 0;
    while (op_table[place] && op_table[place] != op) place++;
    return place < MOST ? place : MOST - 1; /* operators in no table share the last index */
}

static int engine_of(const struct engine *engine) {
    int place = 0;
    while (place < MOST_ENGINES - 1 && engine_table[place] && engine_table[place] != engine) place++;
    return place;
}

static void watch(const struct op *op, const struct kernel *kernel) {
    int place = place_of(op);
    if (kernel)
        lowered[place][engine_of(engine_current())] = true;
    else
        recorded[place] = true;
}

void reach_begin(void) {
    for (int i = 0; i < MOST; i++) {
        recorded[i] = false;
        for (int e = 0; e < MOST_ENGINES; e++) lowered[i][e] = false;
    }
    op_watch = watch;
}
void reach_end(void) { op_watch = NULL; }

bool reach_recorded(const struct op *op) { return recorded[place_of(op)]; }
bool reach_lowered(const struct op *op, const char *engine) {
    return lowered[place_of(op)][engine_of(engine_find(engine))];
}

bool reach_missing(const char *names, char *missing, size_t size) {
    size_t at = 0;
    *missing = 0;
    while (*names) {
        char word[64];
        size_t n = strcspn(names, " ");
        snprintf(word, sizeof word, "%.*s", (int)n, names);
        const struct op *op = op_find(word);
        if (n && (!op || !reach_recorded(op)) && at < size)
            at += (size_t)snprintf(missing + at, size - at, at ? " %s" : "%s", word);
        names += n + strspn(names + n, " ");
    }
    return *missing != 0;
}
