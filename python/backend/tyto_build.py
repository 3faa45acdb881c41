"""Build wheels and source archives of tyto: hooks of PEP 517 and PEP 660.

The library of the tree is built, by CMake; a source archive holds its sources, too.  Two variables
of the environment take an installed library of the same version instead:

TYTO_USE_INSTALLED=1 (or pip's --config-settings use-installed=1) finds it through CMake or
pkg-config.  The extension refers to it: to the shared one, if it is installed.

TYTO_PREFIX names its prefix.  The wheel holds a copy of the static one, if it is installed, unless
TYTO_USE_INSTALLED is set, too.

CMAKE_ARGS holds more arguments for CMake.  Objects are kept in build/python of the tree, or in a
temporary folder where that cannot be written.
"""

import base64
import hashlib
import io
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import facts

HERE = pathlib.Path(__file__).resolve().parents[1]
SUMMARY = "Arrays, derivatives and networks: a NumPy-like package over the Tyto library"
LIBRARY_PARTS = [
    "CMakeLists.txt",
    "CMakePresets.json",
    "LICENSE",
    "README.md",
    "cmake",
    "include",
    "src",
]
PACKAGE_PARTS = ["CMakeLists.txt", "pyproject.toml", "backend", "generate", "src", "tests", "tyto"]
# Wheels hold files of the package that end so; the extension is added.
PACKAGE_FILES = (".py", ".pyi", ".json", ".txt", "py.typed")


def library():
    """Return the folder of the library's sources, or None."""
    for folder in (HERE.parent, HERE / "library"):
        if (folder / "include" / "tyto" / "version.h").exists():
            return folder
    return None


def fail(words):
    """End with one sentence in the place of a traceback."""
    sys.exit(f"tyto: {words}")


def version():
    """Return the version of the library, which is that of the package."""
    folder = library()
    text = (folder / "include" / "tyto" / "version.h").read_text(encoding="utf-8")
    numbers = [
        re.search(rf"TY_VERSION_{part} (\d+)", text).group(1)
        for part in ("MAJOR", "MINOR", "PATCH")
    ]
    return ".".join(numbers)


# ---- building ----


def check_tools():
    """Fail with all tools that are missing and their Debian packages; return CMake's generator."""
    compilers = (os.environ.get("CC") or "cc", "gcc", "clang")
    needs = [
        (shutil.which("cmake"), "cmake", "cmake"),
        (any(shutil.which(name) for name in compilers), "a C compiler", "gcc libc6-dev"),
        (facts.has_headers(), f"Python.h in {facts.headers()[0]}", "python3-dev"),
        (shutil.which("ninja") or shutil.which("make"), "ninja or make", "ninja-build"),
    ]
    missing = [(tool, package) for found, tool, package in needs if not found]
    if missing:
        tools, packages = zip(*missing)
        fail(
            f"the build lacks {', '.join(tools)}; "
            f"install them (Debian: apt-get install {' '.join(packages)})"
        )
    return "Ninja" if shutil.which("ninja") else "Unix Makefiles"


def use_installed(config_settings):
    """Return true if the extension is to refer to an installed library; TYTO_USE_INSTALLED and the
    setting use-installed are 0 or 1.
    """
    name, value = "TYTO_USE_INSTALLED", os.environ.get("TYTO_USE_INSTALLED") or "0"
    if config_settings and "use-installed" in config_settings:
        name, value = "the setting use-installed", config_settings["use-installed"]
    if value not in ("0", "1"):
        fail(f"{name} is {value!r}; expected 1 to use an installed library, or 0 to build it")
    return value == "1"


def build_folder(kind):
    """Return a folder for objects, which later builds use again where the tree can be written."""
    tree = library() or HERE
    folder = tree / "build" / "python" / (facts.tag() + kind)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return pathlib.Path(tempfile.mkdtemp(prefix="tyto-"))


def run(command):
    """Run a command, and fail with its name if it fails."""
    try:
        subprocess.run(command, check=True)
    except subprocess.CalledProcessError as error:
        fail(f"{command[0]} failed with code {error.returncode}, as said above")


def place_options(refers):
    """Return CMake's options that say where the library is; `refers`: see use_installed."""
    prefix = os.environ.get("TYTO_PREFIX")
    if not refers and not prefix:
        return [f"-DTYTO_SOURCE={library() or ''}"]
    # an earlier build may have found another library
    options = ["-DTYTO_SOURCE=", f"-DTYTO_SHARED={'ON' if refers else 'OFF'}"]
    options += [word for name in ("Tyto_DIR", "*TYTO_PC*") for word in ("-U", name)]
    return [*options, f"-DCMAKE_PREFIX_PATH={prefix or ''}"]


def build_extension(config_settings=None):
    """Build the extension and return its path."""
    generator, refers = check_tools(), use_installed(config_settings)
    folder = build_folder("-installed" if refers else "")
    options = [
        f"-DTYTO_PYTHON={sys.executable}",
        f"-DTYTO_VERSION={version()}",
        f"-DTYTO_DESCRIPTION={description()}",
        "-DCMAKE_BUILD_TYPE=Release",
        *place_options(refers),
        *shlex.split(os.environ.get("CMAKE_ARGS") or ""),
    ]
    run(["cmake", "-S", str(HERE), "-B", str(folder), "-G", generator, *options])
    run(
        [
            "cmake",
            "--build",
            str(folder),
            "--target",
            "tyto_python",
            "--parallel",
            str(os.cpu_count() or 2),
        ]
    )
    return folder / "package" / "tyto" / facts.extension_name()


def description():
    """Return the path of the library's description."""
    for path in (HERE.parent / "docs" / "tyto.json", HERE / "library" / "docs" / "tyto.json"):
        if path.exists():
            return path
    return fail("docs/tyto.json is missing; it belongs to the sources")


def stripped(path):
    """Return the bytes of an extension without tables for debuggers, which are most of it."""
    strip = shutil.which("strip")
    if not strip:
        return path.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        target = pathlib.Path(folder) / path.name
        subprocess.run([strip, "-o", str(target), str(path)], check=True)
        return target.read_bytes()


# ---- wheels ----


def metadata():
    """Return the text of METADATA."""
    lines = [
        "Metadata-Version: 2.1",
        "Name: tyto",
        f"Version: {version()}",
        f"Summary: {SUMMARY}",
        "License: Apache-2.0",
        "License-File: LICENSE",
        "Requires-Python: >=3.9",
        "Classifier: Programming Language :: C",
        "Classifier: Programming Language :: Python :: 3",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Topic :: Scientific/Engineering",
    ]
    return "\n".join(lines) + "\n"


class Wheel:
    """A wheel that is written: files, then the record of them."""

    def __init__(self, folder, tag):
        self.name = f"tyto-{version()}-{tag}.whl"
        self.info = f"tyto-{version()}.dist-info"
        self.file = zipfile.ZipFile(
            pathlib.Path(folder) / self.name, "w", zipfile.ZIP_DEFLATED, compresslevel=9
        )
        self.record = []
        self.tag = tag

    def add(self, name, data, mode=0o644):
        """Add a file of these bytes."""
        data = data.encode() if isinstance(data, str) else data
        entry = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # equal files make equal wheels
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.file.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.record.append(f"{name},sha256={digest},{len(data)}")

    def finish(self):
        """Add the metadata and the record, and return the name of the wheel."""
        for name, text in info_files(self.tag).items():
            self.add(f"{self.info}/{name}", text)
        self.record.append(f"{self.info}/RECORD,,")
        self.add(f"{self.info}/RECORD", "\n".join(self.record) + "\n")
        self.file.close()
        return self.name


def info_files(tag):
    """Return names and texts of the files of a .dist-info folder, but for RECORD."""
    wheel = f"Wheel-Version: 1.0\nGenerator: tyto_build\nRoot-Is-Purelib: false\nTag: {tag}\n"
    files = {"METADATA": metadata(), "WHEEL": wheel}
    for folder in (HERE.parent, HERE / "library"):
        if (folder / "LICENSE").exists():
            files["licenses/LICENSE"] = (folder / "LICENSE").read_text(encoding="utf-8")
            break
    return files


def package_files():
    """Yield path in the wheel and path here of each file of the package but the extension."""
    for path in sorted((HERE / "tyto").rglob("*")):
        if path.is_file() and path.name.endswith(PACKAGE_FILES) and "__pycache__" not in path.parts:
            yield path.relative_to(HERE).as_posix(), path


# ---- hooks ----


def get_requires_for_build_wheel(config_settings=None):
    """Return the packages that a build needs: none."""
    return []


get_requires_for_build_sdist = get_requires_for_build_editable = get_requires_for_build_wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Write the .dist-info folder, and return its name."""
    name = f"tyto-{version()}.dist-info"
    for file, text in info_files(facts.tag()).items():
        path = pathlib.Path(metadata_directory) / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return name


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Build the wheel, and return its name."""
    extension = build_extension(config_settings)
    wheel = Wheel(wheel_directory, facts.tag())
    for name, path in package_files():
        wheel.add(name, path.read_bytes())
    for path in sorted((extension.parents[2] / "generated").glob("*.pyi")):
        wheel.add(f"tyto/{path.stem.replace('.', '/')}.pyi", path.read_bytes())
    wheel.add(f"tyto/{extension.name}", stripped(extension), 0o755)
    return wheel.finish()


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Build a wheel that refers to this folder, in which the extension is left, and return its
    name.
    """
    extension = build_extension(config_settings)
    shutil.copy(extension, HERE / "tyto" / extension.name)
    wheel = Wheel(wheel_directory, facts.tag())
    wheel.add("tyto.pth", f"{HERE}\n")
    return wheel.finish()


def build_sdist(sdist_directory, config_settings=None):
    """Write the source archive, with the sources of the library, and return its name."""
    base, tree = f"tyto-{version()}", library()
    name = f"{base}.tar.gz"
    options = {"format": tarfile.PAX_FORMAT, "dereference": True}
    with tarfile.open(pathlib.Path(sdist_directory) / name, "w:gz", **options) as archive:
        for part in PACKAGE_PARTS:
            if (HERE / part).exists():
                archive.add(HERE / part, f"{base}/{part}", filter=is_source)
        for part in [*LIBRARY_PARTS, "docs/tyto.json"]:
            if (tree / part).exists():
                archive.add(tree / part, f"{base}/library/{part}", filter=is_source)
        text = metadata().encode()
        entry = tarfile.TarInfo(f"{base}/PKG-INFO")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return name


def is_source(entry):
    """Return the entry of an archive, without the owner; None leaves out what a build has made."""
    if entry.name.endswith((".so", ".pyc")) or "__pycache__" in entry.name:
        return None
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry
