/*
 * Runs a fuzz target without a fuzzer: replay FILE... passes each file to LLVMFuzzerTestOneInput whole, truncated at
 * many lengths, and with many single bits flipped. It reproduces crashes in every build and under every sanitizer.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BYTES = 1 << 16, PLACES = 600 };
static long runs;

/* Run on memory of exactly this size, so that sanitizers detect reads past the end. */
static void hand_over(const uint8_t *bytes, size_t n) {
    uint8_t *exact = malloc(n ? n : 1);
    if (!exact) exit(1);
    memcpy(exact, bytes, n);
    LLVMFuzzerTestOneInput(exact, n);
    free(exact);
    runs++;
}

static int replay(const char *path) {
    static uint8_t bytes[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!file) {
        printf("%s cannot be read\n", path);
        return 1;
    }
    fclose(file);
    hand_over(bytes, n);
    size_t step = n / PLACES + 1;
    for (size_t i = 0; i < n; i += step) {
        uint8_t before = bytes[i];
        hand_over(bytes, i);
        bytes[i] = (uint8_t)(before ^ 1u << (i * 5 + i / 7) % 8);
        hand_over(bytes, n);
        bytes[i] = before;
    }
    return 0;
}

int main(int argc, char **argv) {
    int failed = 0;
    for (int i = 1; i < argc; i++) failed += replay(argv[i]);
    printf("%ld inputs\n%d passed, %d failed\n", runs, argc - 1 - failed, failed);
    return failed || argc < 2;
}
