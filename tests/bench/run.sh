#!/usr/bin/env bash
# Prints what the page weighs and how fast it is; gates nothing. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: tests/bench/run.sh [--weight] [--start] [--frames] [--memory] [--engine] [--help]

Builds the page (dist/), a bare Dear ImGui page with the same settings, and measures; everything if nothing is named.

  --weight   what a reader downloads before the first picture, by file
  --start    time from navigation to the first drawing call, beside the bare page
  --frames   processor time of an animated frame; what happens in ten idle seconds
  --memory   of the WebAssembly, after visiting everything and after 10,000 further actions
  --engine   runs, counts, pages and figures without a browser; native and as WebAssembly under Node
TEXT
}

parts=()
for argument in "$@"; do
  case $argument in
    --weight | --start | --frames | --memory | --engine) parts+=("${argument#--}") ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
done
[ ${#parts[@]} -gt 0 ] || parts=(weight start frames memory engine)

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tools/setup.sh
need_native
need_emscripten
need_npm
need chromium chromium has_browser
install_missing
install_npm_packages

wants() { case " ${parts[*]} " in *" $1 "*) return 0 ;; *) return 1 ;; esac; }

bench_page() {
  ./build-wasm.sh >/dev/null
  cmake --build build-wasm --target commflow_bare -- --quiet
  rm -rf build-results/bare
  mkdir -p build-results/bare
  cp tests/bench/bare.html tests/bench/bare.js web/glyphs.js build-wasm/tests/bench/commflow_bare.wasm build-results/bare/
  node_modules/.bin/esbuild --minify --format=esm --log-level=error --outdir=build-results/bare build-wasm/tests/bench/commflow_bare.js
  node tools/compress.mjs build-results/bare >/dev/null
  node tests/bench/page.mjs dist build-results/bare "$@"
}

bench_engine() {
  cmake --preset release >/dev/null
  cmake --build build-release --target commflow_bench -- --quiet
  printf 'engine, native, ms\n'
  build-release/tests/bench/commflow_bench .
  cmake --build build-wasm --target commflow_bench -- --quiet
  printf 'engine, WebAssembly under Node, ms\n'
  node --no-experimental-fetch build-wasm/tests/bench/commflow_bench.js .
}

page_parts=()
for part in weight start frames memory; do ! wants $part || page_parts+=("$part"); done
[ ${#page_parts[@]} = 0 ] || bench_page "${page_parts[@]}"
! wants engine || bench_engine
