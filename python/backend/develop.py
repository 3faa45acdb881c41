"""Build the extension in seconds against a built library, for work on python/.

    python3 python/backend/develop.py [BUILD] [-D...] [-f...]

BUILD is a build folder of CMake that holds libtyto.so (default: build/dev).  The extension is left beside the
package, in python/tyto/.  Objects are kept in BUILD/python, and only changed files are compiled.
"""
import concurrent.futures
import pathlib
import subprocess
import sys
import sysconfig

import facts

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCES = ROOT / "python" / "src"
GENERATOR = [sys.executable, str(ROOT / "python" / "generate"), str(ROOT / "docs" / "tyto.json")]
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wstrict-prototypes", "-Wmissing-prototypes", "-Werror"]


def flags(build):
    """Return the compiler's flags for the extension's sources."""
    include = [ROOT / "include", SOURCES, build / "generated"]
    paths = [part for folder in include for part in ("-I", str(folder))]
    python = [part for folder in facts.headers() for part in ("-isystem", folder)]
    defined = "-D" + facts.definition()
    return ["-std=gnu11", "-O2", "-g", "-fPIC", "-fvisibility=hidden", *WARNINGS, defined, *paths, *python]


def compile_one(source, target, options):
    """Compile a source unless its object is newer than it and all headers.  Return the compiler's exit code."""
    public = (ROOT / "include" / "tyto").glob("**/*.h")
    headers = [*SOURCES.glob("*.h"), *source.parent.glob("*.h"), *public, pathlib.Path(__file__)]
    newest = max(path.stat().st_mtime for path in [source, *headers])
    if target.exists() and target.stat().st_mtime > newest:
        return 0
    return subprocess.run(["cc", *options, "-c", str(source), "-o", str(target)]).returncode


def main(arguments):
    """Build, and return the exit code."""
    names = [word for word in arguments if not word.startswith("-")]
    build = pathlib.Path(names[0] if names else ROOT / "build" / "dev").resolve()
    if not (build / "libtyto.so").exists():
        sys.exit(f"develop.py: {build}/libtyto.so is missing; build the target tyto there")
    objects = ROOT / "build" / "python" / sysconfig.get_config_var("SOABI")
    objects.mkdir(parents=True, exist_ok=True)
    subprocess.run([*GENERATOR, str(objects.parent / "generated")], check=True, stdout=subprocess.DEVNULL)
    options = flags(objects.parent) + [word for word in arguments if word.startswith("-")]
    sources = sorted(SOURCES.glob("*.c")) + sorted((objects.parent / "generated").glob("*.c"))
    targets = [objects / (source.stem + ".o") for source in sources]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(lambda pair: compile_one(*pair, options), zip(sources, targets)))
    if any(codes):
        return 1
    place = ROOT / "python" / "tyto" / facts.extension_name()
    link = ["cc", "-shared", "-o", str(place), *map(str, targets), "-L", str(build), "-ltyto",
            f"-Wl,-rpath,{build}", *[word for word in arguments if word.startswith("-f")]]
    return subprocess.run(link).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
