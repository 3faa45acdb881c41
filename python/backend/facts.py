"""Print what the build must know of the interpreter: its folders of headers, the extension's name, a definition."""

import os
import sys
import sysconfig


def uses_limited_api():
    """Return true if one binary serves all later versions: not before 3.11, nor without the global lock."""
    return sys.version_info >= (3, 11) and not sysconfig.get_config_var("Py_GIL_DISABLED")


def extension_name():
    """Return the file name of the extension."""
    return "_core.abi3.so" if uses_limited_api() else "_core" + sysconfig.get_config_var("EXT_SUFFIX")


def definition():
    """Return the macro that the sources are compiled with."""
    return "Py_LIMITED_API=0x030B0000" if uses_limited_api() else "TYTO_FULL_API"


def headers():
    """Return the folders that hold Python.h and pyconfig.h."""
    paths = sysconfig.get_paths()
    return list(dict.fromkeys([paths["include"], paths["platinclude"]]))


def has_headers():
    """Return true if Python.h is installed."""
    return any(os.path.exists(os.path.join(folder, "Python.h")) for folder in headers())


def tag():
    """Return the wheel's tag, such as "cp311-abi3-linux_x86_64"."""
    version = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"cp311-abi3-{platform}" if uses_limited_api() else f"{version}-{version}{free}-{platform}"


if __name__ == "__main__":
    print(";".join(headers()))
    print(extension_name())
    print(definition())
