/* ty_set_allocator.  Its errors are static, because an error that needed memory would choose malloc for good. */
#include <tyto/hooks.h>
#include "array/tensor.h"
#include "base/options.h"
#include "base/memory/system_memory.h"

static int64_t no_axes[TY_MAX_RANK];
#define REFUSAL(kind, sentence)                                                                              \
    {                                                                                                        \
        .dtype = TY_F32, .immortal = true, .layout = {.shape = no_axes, .strides = no_axes},                 \
        .error = (char *)"set_allocator: " sentence, .code = (kind)                                          \
    }
static ty_tensor no_size =
                     REFUSAL(E_ARGUMENT,
                             "the options have 0 bytes, or far too many; expected the size of their struct"),
                 unknown = REFUSAL(
                     E_UNSUPPORTED,
                     "the options have members that this version does not know, and a later one is set"),
                 no_allocate = REFUSAL(E_ARGUMENT, "allocate is NULL; both functions are required"),
                 no_release = REFUSAL(E_ARGUMENT, "release is NULL; both functions are required");
static ty_tensor outcomes[] = {
    [HOOKS_IN_USE] =
        REFUSAL(E_STATE, "the library holds memory already; call it before all other functions, or after "
                         "ty_trim if an allocator was set"),
    [HOOKS_NO_MEMORY] = REFUSAL(E_MEMORY, "out of memory: the allocator returned NULL for 64 bytes"),
    [HOOKS_MISALIGNED] =
        REFUSAL(E_ARGUMENT, "the allocator returned an address that is no multiple of 64 for alignment 64"),
};

static bool refuse(ty_tensor *reason, ty_tensor **error) {
    if (error) *error = reason;
    return false;
}

bool ty_set_allocator_sized(const ty_allocator *allocator, size_t size, ty_tensor **error) {
    ty_allocator known;
    struct fault unheard;
    fault_clear(&unheard);
    if (!OPTIONS_READ(known, allocator, size, &unheard))
        return refuse(size && size <= OPTIONS_BYTES ? &unknown : &no_size, error);
    bool given = known.allocate || known.release; /* else the default */
    if (given && !known.allocate) return refuse(&no_allocate, error);
    if (given && !known.release) return refuse(&no_release, error);
    struct memory_hooks hooks = {known.context, known.allocate, known.release};
    enum hooks_outcome outcome = system_memory_use(given ? &hooks : NULL);
    return outcome == HOOKS_SET || refuse(&outcomes[outcome], error);
}
