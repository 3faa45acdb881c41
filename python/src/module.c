/* The module tyto._core: adds the parts that the other files define. */
#include "tyto_python.h"

/* Parts in the order in which they need each other; absent ones belong to builds without the file. */
static bool (*const parts[])(PyObject *module) = {
    add_errors,    add_dtypes,  add_arrays, add_conversions, add_compute,  add_exchange,
    add_callbacks, add_handles, add_calls,  add_transforms,  add_creation,
};

static int add_parts(PyObject *module) {
    /* Types and objects are static: one set serves the process, and interpreters cannot share it. */
    if (array_type) {
        PyErr_SetString(PyExc_ImportError,
                        "tyto._core is already loaded: one interpreter of a process can import it");
        return -1;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] && !parts[i](module)) return -1;
    return PyModule_AddStringConstant(module, "version", ty_version());
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, (void *)add_parts},
#ifdef Py_GIL_DISABLED
    {Py_mod_gil, Py_MOD_GIL_USED}, /* an assignment frees a tensor that another thread may be reading */
#endif
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "tyto._core",
    .m_doc = "Arrays and functions of the library.",
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
