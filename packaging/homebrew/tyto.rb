# No release exists yet: the address is a placeholder, and the hash of zeros fails until both are set.
class Tyto < Formula
  desc "N-dimensional arrays in C: lazy graph, gradients, networks, numerics"
  homepage "https://tyto.invalid"
  url "https://tyto.invalid/tyto-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license "Apache-2.0"

  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :test
  depends_on "jpeg-turbo"
  depends_on "libspng"
  depends_on :linux # docs/machines.md: nothing is claimed of macOS
  depends_on "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DBUILD_TESTING=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    (testpath/"first.c").write <<~C
      #include <stdio.h>
      #include <tyto/tyto.h>
      int main(void) {
        ty_scope *s = ty_open();
        ty_print(stdout, ty_sum(ty_ones(TY_F64, TY_SHAPE(5)), TY_ALL));
        ty_close(s);
      }
    C
    flags = shell_output("pkg-config --cflags --libs tyto").chomp.split
    system ENV.cc, "first.c", "-o", "first", *flags
    assert_equal "5", shell_output("./first").strip
    assert_equal "14", shell_output("#{bin}/tyto eval 'sum(x*x)' 'x=[1,2,3]'").strip
  end
end
