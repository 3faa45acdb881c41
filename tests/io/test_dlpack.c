/* DLPack: memory shared with other libraries, and deleters called once. */
#include <string.h>
#include <tyto/dlpack.h>
#include "tests/support/files.h"
#include "tests/support/harness.h"

/* A tensor of another library; `deleted` counts calls of its deleter. */
struct foreign {
    DLManagedTensorVersioned managed;
    int deleted;
    int64_t shape[4], strides[4];
};
struct legacy {
    DLManagedTensor managed;
    int deleted;
};

static void delete_foreign(DLManagedTensorVersioned *self) {
    ((struct foreign *)self->manager_ctx)->deleted++;
}
static void delete_legacy(DLManagedTensor *self) { ((struct legacy *)self->manager_ctx)->deleted++; }

static struct foreign *make(void *data, DLDataTypeCode code, int bits, int rank, const int64_t *shape,
                            const int64_t *strides) {
    struct foreign *f = test_room(sizeof *f);
    if (rank) memcpy(f->shape, shape, sizeof *shape * (size_t)rank);
    if (strides) memcpy(f->strides, strides, sizeof *strides * (size_t)rank);
    f->managed = (DLManagedTensorVersioned){
        .version = {1, 0},
        .manager_ctx = f,
        .deleter = delete_foreign,
        .dl_tensor = {.data = data,
                      .device = {kDLCPU, 0},
                      .ndim = rank,
                      .dtype = {(uint8_t)code, (uint8_t)bits, 1},
                      .shape = f->shape,
                      .strides = strides ? f->strides : NULL},
    };
    return f;
}

static void imports(void) {
    static float data[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    ty_tensor *x = ty_reshape(ty_arange(TY_F32, 0, 12, 1), TY_SHAPE(3, 4));
    struct {
        int64_t offset, strides[2], shape[2];
        ty_tensor *want;
    } rows[] = {
        {0, {4, 1}, {3, 4}, x},
        {0, {1, 4}, {4, 3}, ty_transpose(x)},
        {11, {-4, -1}, {3, 4}, ty_flip(ty_flip(x, 0), 1)},
        {1, {4, 2}, {3, 2}, ty_slice(x, 1, 1, TY_END, 2)},
        {0, {0, 1}, {3, 4}, ty_broadcast(ty_slice(x, 0, 0, 1, 1), TY_SHAPE(3, 4))},
        {0, {4, 1}, {0, 4}, ty_slice(x, 0, 0, 0, 1)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        struct foreign *f = make(data, kDLFloat, 32, 2, rows[i].shape, rows[i].strides);
        f->managed.dl_tensor.byte_offset = (uint64_t)rows[i].offset * sizeof *data;
        ty_scope *scope = ty_open();
        ty_tensor *y = ty_from_dlpack(&f->managed);
        bool well = ty_ok(y);
        if (well) check_same(y, rows[i].want, "import");
        const float *at = well && ty_size(y) ? ty_data(y) : data;
        CHECK(well ? f->deleted == 0 : f->deleted == 1, "deleted %d times", f->deleted);
        CHECK(at >= data && at < data + 12, "it is a copy");
        ty_close(scope);
        CHECK(f->deleted == 1, "deleted %d times at the end", f->deleted);
        test_round_end(round);
    }
    struct foreign *f = make(data, kDLFloat, 32, 2, (int64_t[]){3, 4}, NULL);
    check_same(ty_from_dlpack(&f->managed), x, "without strides");
    f = make(data + 5, kDLFloat, 32, 0, NULL, NULL);
    CHECK(ty_item(CHECK_OK(ty_from_dlpack(&f->managed))) == 5, "0-d");
}

static void used_after_the_tensor(void) {
    static int32_t data[3] = {1, 2, 3};
    struct foreign *f = make(data, kDLInt, 32, 1, (int64_t[]){3}, NULL);
    ty_scope *scope = ty_open();
    ty_tensor *x = ty_from_dlpack(&f->managed), *view = ty_keep(ty_slice(x, 0, 1, TY_END, 1));
    ty_close(scope);
    if (ty_ok(view)) CHECK(f->deleted == 0 && ty_item(ty_sum(view, TY_ALL)) == 5, "the view lost its memory");
    CHECK_OK(view);
}

static void every_dtype(void) {
    static const struct {
        DLDataTypeCode code;
        int bits;
        ty_dtype dtype;
    } rows[] = {
        {kDLBool, 8, TY_BOOL},  {kDLInt, 8, TY_I8},       {kDLInt, 16, TY_I16},       {kDLInt, 32, TY_I32},
        {kDLInt, 64, TY_I64},   {kDLUInt, 8, TY_U8},      {kDLUInt, 16, TY_U16},      {kDLUInt, 32, TY_U32},
        {kDLUInt, 64, TY_U64},  {kDLFloat, 16, TY_F16},   {kDLBfloat, 16, TY_BF16},   {kDLFloat, 32, TY_F32},
        {kDLFloat, 64, TY_F64}, {kDLComplex, 64, TY_C64}, {kDLComplex, 128, TY_C128},
    };
    static double memory[8];
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct test_round round = test_round();
        struct foreign *f = make(memory, rows[i].code, rows[i].bits, 1, (int64_t[]){3}, NULL);
        ty_tensor *x = CHECK_OK(ty_from_dlpack(&f->managed)), *error = NULL;
        CHECK(ty_dtype_of(x) == rows[i].dtype, "it is %s", ty_dtype_name(ty_dtype_of(x)));
        DLManagedTensorVersioned *back = ty_to_dlpack(x, &error);
        if (!back) CHECK_OK(error);
        bool same = back->dl_tensor.dtype.code == rows[i].code &&
                    back->dl_tensor.dtype.bits == rows[i].bits && back->dl_tensor.data == memory;
        back->deleter(back);
        CHECK(same, "%s goes out as another", ty_dtype_name(rows[i].dtype));
        f = make(NULL, rows[i].code, rows[i].bits, 2, (int64_t[]){0, 3}, NULL);
        ty_tensor *empty = CHECK_OK(ty_from_dlpack(&f->managed));
        CHECK(!ty_ok(empty) || (ty_size(empty) == 0 && ty_dtype_of(empty) == rows[i].dtype),
              "no elements of %s", ty_dtype_name(rows[i].dtype));
        test_round_end(round);
    }
}

static void exports(void) {
    ty_tensor *error = NULL, *x = ty_reshape(ty_arange(TY_I16, 0, 12, 1), TY_SHAPE(3, 4));
    ty_tensor *all[] = {x,
                        ty_transpose(x),
                        ty_flip(x, 0),
                        ty_scalar(TY_F64, 2),
                        ty_zeros(TY_U8, TY_SHAPE(0, 2)),
                        ty_add(ty_var(x, "v"), ty_int(1)),
                        ty_track(x, "t")};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        DLManagedTensorVersioned *managed = ty_to_dlpack(all[i], &error);
        if (!managed) CHECK_OK(error);
        check_same(ty_from_dlpack(managed), all[i], "there and back");
        DLManagedTensor *older = ty_to_dlpack_legacy(all[i], &error);
        if (!older) CHECK_OK(error);
        check_same(ty_from_dlpack_legacy(older), all[i], "there and back, the older way");
    }
    CHECK(!ty_to_dlpack(ty_poison("broken"), &error), "poison goes out");
    CHECK_POISON(error, "broken");
}

/* Exported memory outlives the tensor and its scope; shared memory is flagged. */
static void ownership(void) {
    ty_tensor *error = NULL;
    ty_scope *scope = ty_open();
    DLManagedTensorVersioned *alone = ty_to_dlpack(ty_ones(TY_F32, TY_SHAPE(1000)), &error);
    ty_tensor *x = ty_ones(TY_F32, TY_SHAPE(10)), *view = ty_slice(x, 0, 1, 3, 1);
    DLManagedTensorVersioned *shared = ty_ok(view) ? ty_to_dlpack(x, &error) : NULL;
    ty_close(scope);
    bool well = alone && shared && ((float *)alone->dl_tensor.data)[999] == 1 &&
                !(alone->flags & DLPACK_FLAG_BITMASK_READ_ONLY) &&
                (shared->flags & DLPACK_FLAG_BITMASK_READ_ONLY);
    if (alone) alone->deleter(alone);
    if (shared) shared->deleter(shared);
    CHECK(well, "memory is lost, or flags are wrong");
}

/* Invalid tensors are refused with a message, and their deleter is called at once. */
static void refusals(void) {
    static double memory[4] = {0};
    static uint8_t truths[] = {0, 1, 2};
    int64_t two[] = {2}, huge[] = {INT64_MAX}, far[] = {INT64_MAX / 2}, negative[] = {-1};
    struct foreign *f[] = {
        make(memory, kDLFloat, 32, 1, two, NULL),
        make(memory, kDLFloat, 32, 1, two, NULL),
        make(memory, kDLFloat, 128, 1, two, NULL),
        make(memory, kDLOpaqueHandle, 64, 1, two, NULL),
        make((char *)memory + 1, kDLFloat, 32, 1, two, NULL),
        make(memory, kDLFloat, 64, 1, huge, NULL),
        make(memory, kDLFloat, 64, 1, two, far),
        make(memory, kDLFloat, 64, 1, negative, NULL),
        make(NULL, kDLFloat, 64, 1, two, NULL),
        make(memory, kDLFloat, 32, 1, two, NULL),
        make(truths, kDLBool, 8, 1, (int64_t[]){3}, NULL),
        make(memory, kDLFloat, 32, 1, two, NULL),
    };
    static const char *const words[] = {"device type 2, not on the CPU (1)",
                                        "4 lanes",
                                        "element type 2 with 128 bits",
                                        "element type 3",
                                        "not aligned",
                                        "from_dlpack: its sizes are negative or too large",
                                        "from_dlpack: its byte_offset and strides exceed the address space",
                                        "sizes are negative",
                                        "from_dlpack: the data pointer is NULL",
                                        "version 2.0 is not supported; expected version 1",
                                        "the byte 2, not 0 or 1",
                                        "has 65 axes"};
    f[0]->managed.dl_tensor.device.device_type = kDLCUDA;
    f[1]->managed.dl_tensor.dtype.lanes = 4;
    f[9]->managed.version.major = 2;
    f[11]->managed.dl_tensor.ndim = 65;
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) {
        ty_scope *scope = ty_open();
        ty_tensor *x = ty_from_dlpack(&f[i]->managed);
        char sentence[256];
        snprintf(sentence, sizeof sentence, "%s", ty_error(x));
        ty_close(scope);
        CHECK(f[i]->deleted == 1, "\"%s\": deleted %d times", sentence, f[i]->deleted);
        CHECK(strstr(sentence, words[i]) || (test_starving() && strstr(sentence, "out of memory")),
              "\"%s\" does not say \"%s\"", sentence, words[i]);
    }
    struct legacy old = {.managed = {.dl_tensor = {.data = memory, .device = {kDLCUDA, 0}},
                                     .manager_ctx = &old,
                                     .deleter = delete_legacy}};
    CHECK_POISON(ty_from_dlpack_legacy(&old.managed), "device type 2");
    CHECK(old.deleted == 1, "deleted %d times", old.deleted);
}

TESTS_MAIN(TEST(imports), TEST(used_after_the_tensor), TEST(every_dtype), TEST(exports), TEST(ownership),
           TEST(refusals))
