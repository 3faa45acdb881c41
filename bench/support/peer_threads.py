"""Threads of libraries in this process: settings before they are loaded, limits, and whether they keep to them.

Import this before numpy or torch and call prepare()."""
import os


def prepare(most):
    """Environment that the libraries read when they are loaded: at most so many threads, kernels of the real CPU."""
    for name in ("OPENBLAS", "OMP", "MKL", "BLIS"):
        os.environ[name + "_NUM_THREADS"] = str(most)
    try:
        with open("/proc/cpuinfo") as file:
            flags = next((line for line in file if line.startswith("flags")), "")
    except OSError:
        return
    if "avx512f" in flags:  # they fail to recognise newer CPUs and would run slow code
        os.environ["OPENBLAS_CORETYPE"] = "SKYLAKEX"
        os.environ["ATEN_CPU_CAPABILITY"] = "avx512"
        os.environ["BLIS_ARCH_TYPE"] = "0"  # skx


def by_name():
    """(library, set, get) of each BLAS in this process, by the names that their functions have had."""
    import ctypes
    names = [(prefix + "openblas_set_num_threads" + suffix, prefix + "openblas_get_num_threads" + suffix)
             for prefix in ("", "scipy_") for suffix in ("", "64_", "_64")]
    names += [("bli_thread_set_num_threads", "bli_thread_get_num_threads"), ("MKL_Set_Num_Threads", "MKL_Get_Max_Threads")]
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if ".so" in line}
    for path in sorted(paths):
        base = os.path.basename(path)
        if not any(word in base for word in ("blas", "blis", "mkl")):
            continue
        library = ctypes.CDLL(path)
        for setter, getter in names:
            if hasattr(library, setter) and hasattr(library, getter):
                yield base, getattr(library, setter), getattr(library, getter)
                break


def limit(threads, torch=None):
    """Sets the threads of all of them; [(library, threads after)] of those that did not obey."""
    wrong = []
    if torch:
        torch.set_num_threads(threads)
    try:
        import threadpoolctl
        threadpoolctl.threadpool_limits(limits=threads)
        after = [(pool["prefix"], pool["num_threads"]) for pool in threadpoolctl.threadpool_info()]
    except ImportError:
        after = []
        for base, setter, getter in by_name():
            setter(threads)
            after.append((base, getter()))
    if torch:
        after.append(("torch", torch.get_num_threads()))
    for name, number in after:
        if number != threads:
            wrong.append((name, number))
    return wrong


def blas():
    """What the BLAS in this process is, for people; "" where it is not known."""
    try:
        import threadpoolctl
        found = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
        return ", ".join(" ".join(str(pool[key]) for key in ("internal_api", "version", "architecture") if pool.get(key))
                         for pool in found)
    except ImportError:
        return ", ".join(base.split(".")[0] for base, _, _ in by_name())
