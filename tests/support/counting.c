#include "tests/support/counting.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "tests/support/starve.h"

enum { BEHIND = 16, MARK = 0xb5, LARGEST_ALIGNMENT = 64 };

/* In front of each block. */
struct front {
    void *whole;
    size_t bytes, alignment;
};

static _Atomic int64_t blocks, bytes_now, faults, until_failure;
static atomic_int off;
static atomic_bool failed;

int64_t counting_blocks(void) { return atomic_load(&blocks); }
int64_t counting_bytes(void) { return atomic_load(&bytes_now); }
int64_t counting_faults(void) { return atomic_load(&faults); }
bool counting_failed(void) { return atomic_load(&failed); }
void counting_fail_from(int64_t n) {
    atomic_store(&failed, false);
    atomic_store(&until_failure, n);
}
void counting_misalign(int bytes) {
    atomic_store(&failed, false);
    atomic_store(&off, bytes);
}

/* True if this allocation has to fail. */
static bool fails(void) {
    int64_t left = atomic_load(&until_failure);
    if (!left || (left > 1 && atomic_fetch_sub(&until_failure, 1) > 1)) return false;
    atomic_store(&failed, true);
    return true;
}

static void *allocate(void *context, size_t bytes, size_t alignment) {
    (void)context;
    if (!bytes || (alignment != 16 && alignment != LARGEST_ALIGNMENT)) atomic_fetch_add(&faults, 1);
    if (fails() || bytes > SIZE_MAX / 2) return NULL;
    bool starved = starve_others(false);
    char *whole = malloc(bytes + 2 * LARGEST_ALIGNMENT + sizeof(struct front) + BEHIND);
    starve_others(starved);
    if (!whole) return NULL;
    uintptr_t at = ((uintptr_t)whole + sizeof(struct front) + LARGEST_ALIGNMENT - 1) / alignment * alignment;
    at += (uintptr_t)atomic_load(&off);
    if (atomic_load(&off)) atomic_store(&failed, true);
    struct front front = {whole, bytes, alignment};
    char *memory = whole + (at - (uintptr_t)whole);
    memcpy(memory - sizeof front, &front, sizeof front);
    memset(memory, MARK, bytes < 4096 ? bytes : 4096);
    memset(memory + bytes, MARK, BEHIND);
    atomic_fetch_add(&blocks, 1);
    atomic_fetch_add(&bytes_now, (int64_t)bytes);
    return memory;
}

static void release(void *context, void *memory, size_t bytes) {
    struct front front;
    (void)context;
    memcpy(&front, (char *)memory - sizeof front, sizeof front);
    bool changed = front.bytes != bytes;
    for (int i = 0; i < BEHIND; i++) changed |= ((unsigned char *)memory + front.bytes)[i] != MARK;
    atomic_fetch_add(&faults, changed);
    atomic_fetch_sub(&blocks, 1);
    atomic_fetch_sub(&bytes_now, (int64_t)front.bytes);
    free(front.whole);
}

ty_allocator counting_allocator(void) { return (ty_allocator){NULL, allocate, release}; }
