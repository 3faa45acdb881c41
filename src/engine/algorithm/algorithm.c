#include "engine/algorithm/algorithm.h"

#include <string.h>

const struct algorithm algorithm_table[ALGORITHMS] = {
#define ALGORITHM(name, file, memory, rows) {#name, "engine/algorithm/" #file ".kernel.c", memory, rows},
#include "engine/algorithm/algorithms.def"
};

enum algorithm_id algorithm_find(const char *name) {
    int i = 0;
    while (i < ALGORITHMS && strcmp(algorithm_table[i].name, name) != 0) i++;
    return (enum algorithm_id)i;
}

bool algorithm_writes(char letter) { return letter >= 'A' && letter <= 'Z'; }

ty_dtype algorithm_dtype(char letter, ty_dtype dtype) {
    switch (letter) {
    case 'p':
    case 'P':
        return TY_I64;
    case 'u':
    case 'U':
        return TY_U64;
    case 'b':
        return TY_U8;
    default:
        return dtype;
    }
}
