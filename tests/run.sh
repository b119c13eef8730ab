#!/usr/bin/env bash
# Runs the tests. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: tests/run.sh [--native] [--wasm] [--browser] [--help]

Builds and runs the tests; all of them if none is named. What is missing is installed on Debian and Ubuntu.

  --native   the C++ tests, the UI without a window, the checks on sources and texts (build/)
  --wasm     the engine's and the story's tests as WebAssembly under Node (build-wasm/)
  --browser  the page in Chromium, built by build-wasm.sh (dist/)

Ends with the line "N passed, N failed"; the exit code is 0 only if nothing failed.
TEXT
}

native=no wasm=no browser=no
[ $# -gt 0 ] || native=yes wasm=yes browser=yes
for argument in "$@"; do
  case $argument in
    --native) native=yes ;;
    --wasm) wasm=yes ;;
    --browser) browser=yes ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
done

cd "$(dirname "${BASH_SOURCE[0]}")/.."
. tools/setup.sh
results=build-results
rm -rf $results
mkdir $results
jobs=$(getconf _NPROCESSORS_ONLN)

get_what_is_needed() {
  [ $native = no ] || need_native
  if [ $wasm = yes ] || [ $browser = yes ]; then need_emscripten; fi
  [ $wasm = no ] || need googletest googletest test -r /usr/src/googletest/googletest/src/gtest-all.cc
  if [ $browser = yes ]; then
    need_npm
    need chromium chromium has_browser
  fi
  install_missing
  [ $browser = no ] || install_npm_packages
}

# build_failed SUITE REASON: counts as one failed test of its own.
build_failed() {
  say "$1: $2"
  printf '%s\t0\t1\n' "$1" >>$results/counts.tsv
}

# run_ctest SUITE PRESET FOLDER TARGET: configure, build, ctest; afterwards the numbers of every test program are added up.
run_ctest() {
  local suite=$1 preset=$2 folder=$3 target=$4
  say "$suite: building ($folder/)"
  mkdir -p "$folder"
  if ! cmake --preset "$preset" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log"
    build_failed "$suite" "CMake could not configure" && return
  fi
  cmake --build --preset "$preset" --target "$target" -- --quiet || { build_failed "$suite" "the build failed" && return; }
  say "$suite: testing"
  rm -rf "$folder/test-results"
  ctest --test-dir "$folder" -j "$jobs" --output-on-failure --no-tests=error --output-junit test-results/ctest.xml || true
  python3 tools/count_tests.py "$suite" "$folder/test-results" >>$results/counts.tsv
}

run_browser() {
  say "browser: building"
  ./build-wasm.sh || { build_failed browser "build-wasm.sh failed" && return; }
  say "browser: testing"
  node --test --test-reporter=spec --test-reporter-destination=stdout \
    --test-reporter=tap --test-reporter-destination=$results/browser.tap tests/web/*.test.mjs || true
  awk -v suite=browser '/^# pass /{p=$3} /^# (fail|cancelled) /{f+=$3} END{printf "%s\t%d\t%d\n", suite, p, f}' \
    $results/browser.tap >>$results/counts.tsv
}

get_what_is_needed
[ $native = no ] || run_ctest native dev build all
[ $wasm = no ] || run_ctest wasm wasm build-wasm commflow_tests
[ $browser = no ] || run_browser

printf '\n'
awk -F'\t' '{printf "%-8s %d passed, %d failed\n", $1, $2, $3}' $results/counts.tsv
awk -F'\t' '{p+=$2; f+=$3} END{printf "%d passed, %d failed\n", p, f; exit f > 0 || p == 0}' $results/counts.tsv
