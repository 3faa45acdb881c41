"""A recipe of Conan 2 for the tree that holds it: conan create packaging/conan."""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

# The parts of the tree that the library is built from, as in python/backend/tyto_build.py.
PARTS = (
    "CMakeLists.txt",
    "CMakePresets.json",
    "LICENSE",
    "README.md",
    "CHANGELOG.md",
    "cmake",
    "docs/tyto.3",
    "docs/tyto.json",
    "examples",
    "include",
    "src",
)


class Tyto(ConanFile):
    """The library, static or shared, and on request the command."""

    name = "tyto"
    description = "n-dimensional arrays in C: a lazy graph, gradients, compiled programs, networks"
    license = "Apache-2.0"
    topics = ("arrays", "tensors", "automatic-differentiation", "neural-networks", "numerics")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "shared": [True, False],
        "fPIC": [True, False],
        "command": [True, False],
        "jpeg": [True, False],
        "opencl": [True, False],
        "png": [True, False],
        "zlib": [True, False],
    }
    default_options = {
        "shared": False,
        "fPIC": True,
        "command": False,
        "jpeg": True,
        "opencl": True,
        "png": True,
        "zlib": True,
    }
    implements = ("auto_shared_fpic",)
    languages = ("C",)

    def set_version(self):
        """Take the version from the headers, which alone state it."""
        tree = os.path.join(self.recipe_folder, "..", "..")
        text = load(self, os.path.join(tree, "include", "tyto", "version.h"))
        self.version = ".".join(
            re.search(rf"TY_VERSION_{part} (\d+)", text).group(1)
            for part in ("MAJOR", "MINOR", "PATCH")
        )

    def export_sources(self):
        """Take the sources of the tree around this recipe."""
        tree = os.path.join(self.recipe_folder, "..", "..")
        for part in PARTS:
            pattern = f"{part}/*" if os.path.isdir(os.path.join(tree, part)) else part
            copy(self, pattern, src=tree, dst=self.export_sources_folder)

    def layout(self):
        """Use the folders that Conan has for CMake."""
        cmake_layout(self)

    def requirements(self):
        """Name the libraries for files; each is optional."""
        if self.options.zlib:
            self.requires("zlib/[>=1.2.11 <2]")
        if self.options.png:
            self.requires("libspng/[>=0.7 <1]")
        if self.options.jpeg:
            self.requires("libjpeg-turbo/[>=2 <4]")

    def generate(self):
        """Pass the options to CMake."""
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["BUILD_TESTING"] = False
        for option, variable in (
            ("command", "TY_COMMAND"),
            ("jpeg", "TY_JPEG"),
            ("opencl", "TY_OPENCL"),
            ("png", "TY_SPNG"),
            ("zlib", "TY_ZLIB"),
        ):
            toolchain.cache_variables[variable] = bool(getattr(self.options, option))
        toolchain.generate()

    def build(self):
        """Build what will be installed."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        """Install, without the files that Conan makes itself."""
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        for folder in (("lib", "cmake"), ("lib", "pkgconfig"), ("share", "doc")):
            rmdir(self, os.path.join(self.package_folder, *folder))

    def package_info(self):
        """Describe the library under its names for CMake and pkg-config."""
        self.cpp_info.libs = ["tyto"]
        self.cpp_info.set_property("cmake_file_name", "Tyto")
        self.cpp_info.set_property("cmake_target_name", "Tyto::tyto")
        self.cpp_info.set_property("pkg_config_name", "tyto")
        if not self.options.shared:
            self.cpp_info.system_libs = ["m", "pthread", "dl"]
            self.cpp_info.exelinkflags = ["-Wl,--gc-sections", "-Wl,--exclude-libs,libtyto.a"]
