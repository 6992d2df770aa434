# What the tests of the packages share: the case's helpers, and a model of an artificial language.
# shellcheck shell=bash
NMT=$(command -v nmt)
export NMT
# shellcheck source=../../regression-tests/lib.sh
. regression-tests/lib.sh
root=$PWD
cd "${AUTOPKGTEST_TMP:?run by autopkgtest}"
make_model
