/* Register tiles: the tables fit the registers of each machine, and blocks are cut into the expected
   tiles. */
#include "base/machine/isa.h"
#include "engine/cpu/gemm/brgemm_pick.h"
#include "engine/cpu/gemm/brgemm_table.h"
#include "tests/support/harness.h"

/* Sums and a row of right fit the registers, with one more for left if multiply-add has no memory operand. */
static void fit_registers(void) {
    static const ty_dtype dtypes[] = {TY_F32, TY_F64, TY_I32};
    for (int isa = 0; isa <= (int)isa_best(); isa++) {
        isa_force((enum isa)isa);
#if defined(__aarch64__)
        int registers = 32 - 1;
#else
        int registers = isa == ISA_AVX512 ? 32 : 16;
#endif
        for (int i = 0; i < (int)(sizeof dtypes / sizeof *dtypes); i++) {
            struct brgemm_types types = {dtypes[i], dtypes[i], dtypes[i], 1, false, false};
            const struct brgemm_kernels *k = brgemm_kernels_find(&types);
            CHECK(k, "no kernels for %s on %s", ty_dtype_name(dtypes[i]), ty_isa());
            for (int wide = 1; wide <= BRGEMM_VECTORS; wide++)
                CHECK((k->most[wide] + 1) * wide <= registers, "%s on %s: %d x %d vectors",
                      ty_dtype_name(dtypes[i]), ty_isa(), k->most[wide], wide);
        }
    }
}

/* With 32 registers, as in NEON and AVX-512, tiles have many multiply-adds per load. */
static void have_few_loads(void) {
    static const int most[BRGEMM_VECTORS + 1] = {0, 14, 14, 9, 6};
    struct brgemm_tiles tiles = {most, BRGEMM_VECTORS, false, 0};
    for (int64_t rows = 18; rows <= 128; rows++)
        for (int64_t vectors = 3; vectors <= 32; vectors++) {
            int32_t high = 0, wide = 0;
            brgemm_pick(&tiles, rows, 1, vectors, &high, &wide);
            CHECK(high <= most[wide] && high * wide >= 2 * (high + wide), "%d x %d for %d x %d vectors", high,
                  wide, (int)rows, (int)vectors);
        }
}

/* With 16 registers, as in AVX2, tiles of two rows by five vectors divide 25, but a deep right needs more
   rows. */
static void deep_have_many_rows(void) {
    static const int most[] = {0, 14, 6, 4, 3, 2};
    struct brgemm_tiles near = {most, 5, false, 100 * 32}, deep = {most, 5, false, 344 * 32};
    for (int64_t rows = 22; rows <= 128; rows++) {
        int32_t high = 0, wide = 0;
        brgemm_pick(&near, rows, 1, 25, &high, &wide);
        CHECK(high * wide >= 8, "%d x %d for %d rows", high, wide, (int)rows);
        brgemm_pick(&deep, rows, 1, 25, &high, &wide);
        CHECK(high > 2 && high * wide >= 8, "%d x %d for %d rows and 344 steps", high, wide, (int)rows);
    }
}

/* Groups of four bytes have a kernel for every pair of signs, even if this CPU has no instruction for it. */
static void fours_of_bytes(void) {
    static const ty_dtype bytes[] = {TY_U8, TY_I8};
    for (int left = 0; left < 2; left++)
        for (int right = 0; right < 2; right++) {
            struct brgemm_types types = {bytes[left], bytes[right], TY_I32, 4, false, false};
            const struct brgemm_kernels *k = brgemm_kernels_find(&types), *extra = brgemm_extra_find(&types);
            CHECK(k && k->group == 4 && k->left == bytes[left] && k->right == bytes[right] &&
                      (!extra || extra == k),
                  "%s by %s has no kernel", ty_dtype_name(bytes[left]), ty_dtype_name(bytes[right]));
            if (extra)
                CHECK(brgemm_types_of(bytes[left], bytes[right], TY_I32).group == 4, "%s by %s is not used",
                      ty_dtype_name(bytes[left]), ty_dtype_name(bytes[right]));
        }
}

TESTS_MAIN(TEST(fit_registers), TEST(have_few_loads), TEST(deep_have_many_rows), TEST(fours_of_bytes))
