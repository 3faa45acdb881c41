/*
 * Four machines in the form in which an engine describes itself to the compiler (engine/cpu/contract/contract.c).
 * Caches are in KiB, rates in GB/s as measured by base/machine/core.c. A second cache level of 512 KiB counts a quarter
 * more, since the third one is close behind it.
 */
#include "array/dtype.h"
#include "contract/cost.h"
#include "tests/plans/plans.h"

static const struct machine {
    const char *name;
    int threads, vector;                      /* bytes of a vector */
    int bytes, halves;                        /* numbers of 8-bit integers, or of bf16, that one
                                                 instruction sums */
    int l1, l2, l3, way, sums, reach;         /* sums: buffered elements of out; reach: of right's box */
    int room, workspace;                      /* packing buffers of one thread: alone, and as one of
                                                 several */
    double lane, read, stream, second, third; /* lane: additions and multiplications */
    int streams;
} machines[PLAN_MACHINES] = {
    {"zen3 1t", 1, 32, 2, 1, 32, 640, 16384, 64, 360, 768, 3584, 3584, 11, 17, 22, 91, 45, 10},
    {"zen4 2t", 2, 64, 4, 2, 32, 1024, 16384, 128, 720, 1536, 3584, 1792, 7.3, 27, 33, 91, 70, 16},
    {"xeon 8t", 8, 64, 4, 2, 48, 2048, 32768, 128, 1440, 0, 7168, 3584, 11, 17, 22, 91, 28, 16},
    {"neon 4t", 4, 16, 4, 1, 64, 1024, 16384, 128, 720, 0, 3584, 1792, 11, 17, 22, 91, 28, 16},
};

const char *plans_machine_name(int machine) { return machines[machine].name; }

/* Return the dtype that accumulates sums; *group is the number of k's per instruction. */
static ty_dtype held_of(const ty_contraction *c, const struct machine *from, int *group) {
    ty_dtype real = dtype_table[c->sums].real, left = c->dtype[TY_LEFT];
    size_t size = dtype_table[left].size;
    *group = 1;
    if (real == TY_F64) return TY_F64;
    if (dtype_is(real, CLASS_FLOAT)) {
        if (left == TY_BF16) *group = from->halves;
        return TY_F32;
    }
    if (dtype_table[real].size == 8) return TY_I64;
    if (size == 1 && c->dtype[TY_RIGHT] != left) *group = from->bytes;
    if (size <= 2 && *group == 1 && from->bytes > 1) *group = 2;
    return TY_I32;
}

void plans_machine(int machine, const ty_contraction *c, struct contract_machine *to) {
    enum { KIB = 1024, TILE_ROWS = 6, LINE = 64, TILE_VECTORS = 4 };
    const struct machine *from = &machines[machine];
    const double giga = 1e9;
    int group, held = (int)dtype_table[held_of(c, from, &group)].size, lanes = from->vector / held;
    contract_machine_usual(to, c->sums, from->threads);
    to->l1 = from->l1 * KIB, to->l2 = from->l2 * KIB, to->l3 = (int64_t)from->l3 * KIB;
    to->l2_way = from->way * KIB, to->sums_room = from->sums * KIB, to->reach = from->reach * KIB;
    to->room = from->room * KIB, to->workspace = from->workspace * KIB;
    to->lanes = lanes;
    to->tile_rows = TILE_ROWS;
    to->tile_columns = lanes * (from->vector == LINE / 2 ? 2 : TILE_VECTORS);
    to->flops = from->lane * giga * lanes * group;
    to->read = from->read * giga, to->stream = from->stream * giga;
    to->l2_bytes = from->second * giga, to->l3_bytes = from->third * giga;
    to->streams = from->streams;
    to->group = group;
    if (dtype_is(c->sums, CLASS_COMPLEX)) return;
    to->packed = group > 1 ? held / group : held;
    to->summed = held;
}
