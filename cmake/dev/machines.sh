# Builds and tests for other machines and systems: commands of ./dev, which reads this file.
# shellcheck shell=sh disable=SC2154
# Compilers and emulators for exported C: for ./dev nightly alone, some 300 MB.
emulated="qemu-user gcc-arm-linux-gnueabihf libc6-dev-armhf-cross gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross
    gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross gcc-i686-linux-gnu libc6-dev-i386-cross"
# Tests of what machines differ in: sizes of words, the order of bytes, rounding, vectors, the C library.  The others
# take an emulator hours.
machines='^(bits|test_(array|print|memory|wide|constants|compile|failed_run|fuse|program|show|boxes|contraction_guards|brgemm.*'
machines="$machines|copy|cpu_body|index_kernels|expression|functions|graph|nn|optimiser|train|checkpoint|elementwise"
machines="$machines|special|scalar|numbers|carry|structure|sentences|random|distributions|reduce|scan|sort|sets|zeros"
machines="$machines|index|archive|budgets|csv|digits|dlpack|file|identity|idx|images|locale|npy|npz|dataset|steps))$"
# The same tests without bits, and those of threads that need no signals and no copies of processes.
windows="$(printf %s "$machines" | sed 's/bits|//; s/)\$$//')|test_(paths|parallel|thread_pool|callbacks|context|io_limits))\$"
# Cases that need processes, signals, rights, links, limits or named pipes of POSIX, or a file that is replaced or cut while
# it is mapped; and long_names_saved: Wine 8 tells no path of more than 260 letters of an open folder.
posix_cases="forks forks_live_on signals a_full_disk refuses_wrong_places keeps_mode_and_follows_links sweeps_leftovers
    through_a_pipe too_few_threads replaced files_of_arrays cifar long_names_saved survives_kills"

# GCC's name for an architecture, and Debian's where it is another.
triple() {
    case $1 in
    aarch64) echo aarch64-linux-gnu arm64 ;;
    armhf) echo arm-linux-gnueabihf armhf ;;
    i386) echo i686-linux-gnu i386 ;;
    ppc64el) echo powerpc64le-linux-gnu ppc64el ;;
    riscv64 | s390x) echo "$1-linux-gnu $1" ;;
    *)
        echo "./dev cross: unknown architecture '$1'; expected aarch64, armhf, i386, ppc64el, riscv64 or s390x" >&2
        return 2
        ;;
    esac
}

# The optional libraries as Debian has them for another architecture ($1, by Debian's name), unpacked to folder $2: apt
# works in a folder of its own, so that nothing is installed and dpkg need not know the architecture.
foreign() {
    [ ! -e "$2/usr" ] || return 0
    lists=$(pwd)/$2.apt
    mkdir -p "$2" "$lists/lists/partial" "$lists/cache/archives/partial"
    apt="apt-get -qq -o APT::Architecture=$1 -o APT::Architectures=$1 -o Dir::State::lists=$lists/lists \
        -o Dir::State::status=/dev/null -o Dir::Cache=$lists/cache -o APT::Sandbox::User="
    $apt update >"$lists/log" 2>&1 || true # some sources may lack the architecture
    # shellcheck disable=SC2086
    if (cd "$lists" && $apt download zlib1g zlib1g-dev libspng-dev libspng0 \
        libjpeg62-turbo-dev libjpeg62-turbo) >>"$lists/log" 2>&1; then
        for package in "$lists"/*.deb; do dpkg -x "$package" "$2"; done
    else
        echo "./dev: no zlib, libspng and libjpeg for $1 among this system's packages: built without them" >&2
    fi
    rm -rf "$lists"
}

# Configures, builds and tests for an architecture.
cross() {
    names=$(triple "${1:-}")
    export TY_CROSS="$1" TY_TEST_QUICK=1
    shift
    setup "gcc-${names% *}" "libc6-dev-${names#* }-cross" qemu-user
    foreign "${names#* }" "build/foreign/$TY_CROSS"
    pattern=${1:-$machines}
    # shellcheck disable=SC2046
    build cross $(programs "$pattern")
    tests "$TY_CROSS" "$pattern"
}

# The page of digits, or the library, the command and tests under node.
wasm() {
    export TY_TEST_QUICK=1 NODE_PATH=/usr/share/nodejs # where emscripten's parser is, for a node of another packager
    setup emscripten
    if [ "${1:-}" = page ]; then
        build wasm web_page || return # nightly's || switches set -e off
        ls -l build/wasm/digits.html
        return
    fi
    pattern=${1:-$machines}
    # shellcheck disable=SC2046
    build wasm tyto_static tyto_tool $(programs "$pattern") || return
    tests wasm "$pattern"
}

musl() {
    export TY_TEST_QUICK=1
    setup musl-tools
    pattern=${1:-$machines}
    # shellcheck disable=SC2046
    build musl $(programs "$pattern")
    tests musl "$pattern"
}

# libspng and libjpeg for Windows, of which Debian has no packages: archives and headers in build/foreign/windows.  apt
# fetches and verifies their sources from this system's archives, in a folder of its own, as in foreign.
images() {
    here=$(pwd)
    kept=$here/build/foreign/windows
    [ ! -e "$kept/lib/libjpeg.a" ] || return 0
    work=$kept.apt
    mkdir -p "$kept/lib" "$kept/include" "$work/lists/partial" "$work/cache/archives/partial" "$work/parts"
    apt="apt-get -qq -o Dir::Etc::sourcelist=- -o Dir::Etc::sourceparts=$work/parts -o Dir::State::lists=$work/lists \
        -o Dir::Cache=$work/cache -o APT::Sandbox::User="
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$list" ] || sed 's/^deb[[:blank:]]/deb-src /; s/^Types:.*/Types: deb-src/' "$list" >"$work/parts/${list##*/}"
    done
    if ! {
        cd "$work" && $apt update && $apt source libspng libjpeg-turbo &&
            x86_64-w64-mingw32-gcc-posix -O2 -DSPNG_STATIC -c libspng-*/spng/spng.c &&
            x86_64-w64-mingw32-ar rcs "$kept/lib/libspng.a" spng.o &&
            cmake -G Ninja -S libjpeg-turbo-*/ -B jpeg -DCMAKE_TOOLCHAIN_FILE="$here/cmake/windows.cmake" \
                -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$kept" \
                -DENABLE_SHARED=OFF -DWITH_TURBOJPEG=OFF -DWITH_SIMD=OFF &&
            cmake --build jpeg --target jpeg-static &&
            cp libspng-*/spng/spng.h jpeg/jconfig.h "$kept/include" &&
            cp libjpeg-turbo-*/jpeglib.h libjpeg-turbo-*/jmorecfg.h libjpeg-turbo-*/jerror.h "$kept/include" &&
            cp jpeg/libjpeg.a "$kept/lib"
    } >"$kept.log" 2>&1; then
        echo "./dev: libspng and libjpeg for Windows failed: built without them; $kept.log says why" >&2
    fi
    cd "$here" || return
    rm -rf "$work"
}

# Builds the library, the command and tests for Windows, and runs them and programs of others under Wine.  A script `tyto`
# beside tyto.exe starts it, so that the scripts of tests/tools find the command.
windows() {
    export TY_TEST_QUICK=1 WINEDEBUG=-all WINEPREFIX="$PWD/build/wine" TY_TEST_WITHOUT="$(echo $posix_cases)"
    setup gcc-mingw-w64-x86-64-posix g++-mingw-w64-x86-64-posix libz-mingw-w64-dev wine64 dpkg-dev
    images
    pattern=${1:-$windows}
    # shellcheck disable=SC2046
    build windows tyto tyto_static tyto_tool manual $(programs "$pattern")
    wine=/usr/lib/wine/wine64
    [ -e "$WINEPREFIX/system.reg" ] || "$wine" wineboot -i >/dev/null 2>&1 || true
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$wine" "$PWD/build/windows/tyto.exe" >build/windows/tyto
    chmod +x build/windows/tyto
    status=0
    tests windows "$pattern" || status=$?
    BUILD=build/windows sh tests/tree/windows.sh || status=$?
    return $status
}

# Runs tests that take too long for each change: whole suites and large networks on opencl:0; exported C on all machines.
nightly() {
    # shellcheck disable=SC2086
    setup $devices $emulated $documents
    build release
    log=build/release/nightly.log
    status=0
    echo "testing build/release; $log shows the progress" >&2
    ctest --test-dir build/release -C Nightly -R "${1:-.}.*_nightly\$" --output-on-failure --timeout 7200 >"$log" 2>&1 || status=$?
    grep -E '^ *[0-9]+/[0-9]+ Test|tests passed|^Total|\(Failed\)' "$log" || true
    if [ $# = 0 ]; then
        wasm page && sh tests/tree/web.sh || status=$?
        wasm || status=$?
        for script in manual packaging; do
            SOURCE=$PWD BUILD=$PWD/build/release WHOLE=1 sh tests/tree/$script.sh || status=$?
        done
    fi
    return $status
}
