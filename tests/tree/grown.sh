#!/bin/sh
# Runs a program of today's headers with a library whose structs of options and results have grown at the end, and a
# program of the grown headers with today's library.  The grown library consists of the objects of the build; only the
# files that name a grown struct are compiled again.
set -eu
SOURCE=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
BUILD=${BUILD:-$SOURCE/build/release}
CC=${CC:-cc}
grown='ty_quad_options ty_quad_report ty_interp_options ty_root_options'
bad=0
say() { echo "grown: $*"; bad=1; }
if grep -q '^TY_SANITIZE:STRING=.' "$BUILD/CMakeCache.txt"; then
    echo "grown: left out under sanitizers (the programs are not instrumented)"
    exit 0
fi
if [ ! -e "$SOURCE/src/base/options.h" ]; then
    echo "grown: left out; structs of options have no size in this tree"
    exit 0
fi
if [ ! -e "$BUILD/build.ninja" ] || [ ! -e "$BUILD/libtyto.so" ]; then
    echo "grown: left out; it takes the shared library, built by ninja"
    exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
last() { ninja -C "$BUILD" -t commands "$1" | tail -n 1; } # the command that makes a file

# ---- the grown headers and library ----
cp -r "$SOURCE/include" "$scratch/include"
for name in $grown; do
    sed -i "s/^} $name;/    double grown;\n&/" "$scratch"/include/tyto/*.h
    [ "$(grep -l "^} $name;" "$scratch"/include/tyto/*.h | xargs grep -B1 "^} $name;" | grep -c grown)" = 1 ] || say "$name did not grow"
done
library=$(basename "$(readlink -f "$BUILD/libtyto.so")")
link=$(last "$library")
names=$(echo "$grown" | sed 's/ /|/g')
mkdir "$scratch/objects"
again=0
for file in $(cd "$SOURCE" && { find src/numeric -name '*.c'; grep -rlE --include='*.c' "\b($names)\b" src; } | sort -u); do
    object=$(cd "$BUILD" && find CMakeFiles/tyto_objects.dir -path "*/$file.o")
    [ -n "$object" ] || continue # a file of the command
    mkdir -p "$scratch/${file%/*}"
    # Some functions of the grown library act on the new member, so that its value is seen.
    case $file in
    */quad.c) read='bool known = OPTIONS_READ(' ;;
    */interpolate.c | */root.c) read='OPTIONS(ty_[a-z]*_options, ' ;;
    *) read='no function' ;;
    esac
    sed "s/^ *${read}options, given, given_size.*;\$/& if (options.grown != 0) return ty_poison(\"grown by %g\", options.grown);/" \
        "$SOURCE/$file" >"$scratch/$file"
    copy=$scratch/objects/$(echo "$file" | tr / _).o
    command=$(last "$object" | sed "s, -I$SOURCE/include, -I$scratch/include -I$SOURCE/src,; s, -o $object , -o $copy ,; s, -c [^ ]*$file, -c $scratch/$file,; s, -MF [^ ]*, -MF $scratch/depends,")
    (cd "$BUILD" && eval "$command -w") || say "$file is not compiled with grown structs"
    link=$(echo "$link" | sed "s, $object , $copy ,")
    again=$((again + 1))
done
mkdir "$scratch/lib"
(cd "$BUILD" && eval "$(echo "$link" | sed "s, -o $library , -o $scratch/lib/$library ,")")
soname=$(readelf -dW "$scratch/lib/$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
[ -e "$scratch/lib/$soname" ] || ln -s "$library" "$scratch/lib/$soname"
planted=$(cat "$scratch"/src/numeric/*.c | grep -c 'grown by' || true)
[ "$planted" -ge 3 ] || say "$planted functions act on the new member"

# ---- the programs: VALUE WORDS: set new members to VALUE; all calls must fail with WORDS, or none ----
cat >"$scratch/program.c" <<'C'
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tyto/numeric.h>
#include <tyto/tyto.h>

static int failed;
#define CHECK(condition, ...)                                                                                \
    ((condition) ? (void)0 : (void)(failed = 1, fprintf(stderr, "line %d: ", __LINE__), fprintf(stderr, __VA_ARGS__), fputc('\n', stderr)))

/* A struct in front of memory that has no value for the library. */
#define GUARDED(type, name) struct { type o; unsigned char junk[64]; } name
#define CLEAR(name) (memset(&name, 255, sizeof name), memset(&name.o, 0, sizeof name.o))
static int kept(const unsigned char *junk) {
    for (int i = 0; i < 64; i++)
        if (junk[i] != 255) return 0;
    return 1;
}
static const char *words;
static void expect(ty_tensor *x, double value) {
    if (*words)
        CHECK(!ty_ok(x) && strstr(ty_error(x), words), "'%s' without '%s'", ty_error(x), words);
    else
        CHECK(ty_ok(x) && fabs(ty_item(x) - value) < 1e-9, "%s %g, not %g", ty_error(x), ty_item(x), value);
}
static ty_tensor *square(void *context, ty_tensor *const *x) { return (void)context, ty_mul(x[0], x[0]); }
static ty_tensor *minus_two(void *context, ty_tensor *const *x) {
    return (void)context, ty_sub(ty_mul(x[0], x[0]), ty_num(2));
}
int main(int argc, char **argv) {
    double value = argc > 1 ? atof(argv[1]) : 0;
    words = argc > 2 ? argv[2] : "";
    ty_scope *scope = ty_open();
    GUARDED(ty_quad_options, quad);
    GUARDED(ty_quad_report, report);
    GUARDED(ty_interp_options, interp);
    GUARDED(ty_root_options, root);
    CLEAR(quad), CLEAR(interp), CLEAR(root);
    memset(&report, 255, sizeof report);
#ifdef GROWN
    quad.o.grown = interp.o.grown = root.o.grown = value;
#endif
    (void)value;
    quad.o.intervals = 50;
    expect(ty_quad(square, NULL, 0, 1, 0, NULL, quad.o, &report.o), 1.0 / 3);
    expect(ty_quad_sized(square, NULL, 0, 1, 0, NULL, &quad.o, sizeof quad.o, &report.o, sizeof report.o), 1.0 / 3);
    CHECK(kept(report.junk), "the library writes behind the report");
    CHECK(*words || (report.o.converged && report.o.intervals > 0), "no report");
#ifdef GROWN
    CHECK(*words || report.o.grown == 0, "a member that the library does not know is %g", report.o.grown);
#endif
    ty_tensor *x = ty_linspace(TY_F64, 0, 1, 3);
    interp.o.kind = TY_INTERP_LINEAR;
    expect(ty_interp(ty_scalar(TY_F64, 0.75), x, x, interp.o), 0.75);
    expect(ty_interp_sized(ty_scalar(TY_F64, 0.75), x, x, &interp.o, sizeof interp.o), 0.75);
    root.o.steps = 100;
    expect(ty_find_root(minus_two, NULL, ty_scalar(TY_F64, 0), ty_scalar(TY_F64, 2), 0, NULL, root.o), sqrt(2));
    expect(ty_find_root_sized(minus_two, NULL, ty_scalar(TY_F64, 0), ty_scalar(TY_F64, 2), 0, NULL, &root.o, sizeof root.o), sqrt(2));
    ty_close(scope);
    return failed;
}
C
$CC -O2 -I"$SOURCE/include" -o "$scratch/old" "$scratch/program.c" -L"$BUILD" -ltyto -lm
$CC -O2 -DGROWN -I"$scratch/include" -o "$scratch/new" "$scratch/program.c" -L"$BUILD" -ltyto -lm
# SAYS LIBRARY PROGRAM [VALUE WORDS]
runs() {
    says=$1 library=$2 program=$3
    shift 3
    LD_LIBRARY_PATH=$library "$scratch/$program" "$@" || say "$says"
}
runs "the old program fails with its own library" "$BUILD" old
runs "the old program fails with the grown library" "$scratch/lib" old
runs "the new program fails with the grown library" "$scratch/lib" new
runs "the grown library does not see the new members" "$scratch/lib" new 7 'grown by 7'
runs "the new program fails with the old library" "$BUILD" new
runs "the old library does not refuse members that it does not know" "$BUILD" new 7 'a later one is set'
[ $bad = 1 ] || echo "grown: well ($again files compiled again)"
exit $bad
