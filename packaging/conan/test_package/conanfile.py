"""Build the program of README's first screen with the package, and compare what it prints."""

import io
import os

from conan import ConanFile
from conan.errors import ConanException
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout


class TytoTest(ConanFile):
    """A consumer of the package."""

    settings = "os", "arch", "compiler", "build_type"
    generators = "CMakeDeps"
    test_type = "explicit"

    def requirements(self):
        """Use the package that is tested."""
        self.requires(self.tested_reference_str)

    def layout(self):
        """Use the folders that Conan has for CMake."""
        cmake_layout(self)

    def generate(self):
        """Write the toolchain file, and no presets beside the sources."""
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.generate()

    def build(self):
        """Build the program."""
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def test(self):
        """Run it, where that is possible."""
        if not can_run(self):
            return
        found = io.StringIO()
        self.run(os.path.join(self.cpp.build.bindir, "first"), found, env="conanrun")
        if "[1.08060461 1.08060461 1.08060461 1.08060461 1.08060461]" not in found.getvalue():
            raise ConanException(f"the program printed {found.getvalue()!r}")
