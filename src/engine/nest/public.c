/* Public functions of lists of nests. */
#include "array/tensor.h"
#include "engine/nest/lower.h"

/* False, with the fault set, if the numbers of the list itself are not valid. */
static bool is_list(const ty_nests *nests, struct fault *fault) {
    if (!nests) return fault_set(fault, E_ARGUMENT, "nests_check: the list is NULL");
    bool steps = nests->nsteps >= 0 && (nests->steps || !nests->nsteps);
    bool temporaries = nests->ntemporaries >= 0 && (nests->temporaries || !nests->ntemporaries);
    for (int i = 0; temporaries && i < nests->ntemporaries; i++)
        temporaries = dtype_valid(nests->temporaries[i].dtype) && nests->temporaries[i].size >= 0;
    return (steps && temporaries && nests->noperands >= 0 &&
            nests->noperands <= INT32_MAX - nests->ntemporaries) ||
           fault_set(fault, E_ARGUMENT,
                     "nests_check: a number of parts or a temporary is not valid, or they are NULL");
}

char *ty_nests_describe(const ty_nests *nests) {
    struct fault fault;
    struct text t = {0};
    fault_clear(&fault);
    if (!nests) return NULL;
    if (is_list(nests, &fault) && nests_check(nests, NULL, NULL, &fault))
        nests_describe(nests, &t);
    else
        text_add(&t, "not valid: %s\n", fault.text);
    return text_take(&t);
}

bool ty_nests_check(const ty_nests *nests, int n, const int64_t *low, const int64_t *high,
                    ty_tensor **error) {
    struct fault fault;
    fault_clear(&fault);
    if (is_list(nests, &fault) && (n || low || high) &&
        (!low || !high || n != nests->noperands + nests->ntemporaries))
        fault_set(&fault, E_ARGUMENT,
                  "nests_check: bounds of %d slots; the list has %d operands and %d temporaries", n,
                  nests->noperands, nests->ntemporaries);
    bool done = !fault.set && nests_check(nests, low, high, &fault);
    if (fault.set && fault.code == E_INTERNAL)
        fault.code = E_ARGUMENT; /* the list is the caller's, not the library's */
    if (error) *error = done ? NULL : tensor_fault(&fault);
    return done;
}
