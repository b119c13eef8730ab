#!/usr/bin/env bash
# Builds the page: everything a web server needs, in dist/. See --help.
set -euo pipefail

usage() {
  cat <<'TEXT'
usage: ./build-wasm.sh [--serve [PORT]] [--debug] [--clean] [--help]

Builds CommFlow for the browser into dist/, which any static web server can serve.
What is missing is installed on Debian and Ubuntu (as root or by sudo), and named on other systems.

  --serve [PORT]  build, then serve dist/ and print the address (the first free port from 8080 on, unless PORT is given)
  --debug         assertions and readable output, in a build folder of its own
  --clean         remove the build folder and dist/ first
TEXT
}

serve=no port='' build=build-wasm debug=no clean=no
while [ $# -gt 0 ]; do
  case $1 in
    --serve)
      serve=yes
      case ${2:-} in [0-9]*) port=$2 && shift ;; esac
      ;;
    --debug) debug=yes build=build-wasm-debug ;;
    --clean) clean=yes ;;
    -h | --help) usage && exit 0 ;;
    *) usage >&2 && exit 2 ;;
  esac
  shift
done

cd "$(dirname "${BASH_SOURCE[0]}")"
. tools/setup.sh

compile() {
  say "compiling to WebAssembly ($build/)"
  local options=(--preset wasm -B "$build")
  [ $debug = no ] || options+=(-DCMAKE_BUILD_TYPE=Debug -DCOMMFLOW_TESTS=OFF)
  local log="$build/configure.log"
  mkdir -p "$build"
  cmake "${options[@]}" >"$log" 2>&1 || { cat "$log" >&2; die "CMake could not configure $build/"; }
  cmake --build "$build" --target commflow commflow_handout -- --quiet || die "the WebAssembly build failed"
}

# Put together beside dist/ and exchanged at the end, so that a page being served is never half new.
assemble() {
  say "putting together dist/"
  local next=dist.next
  rm -rf $next
  mkdir $next
  node tools/bundle.mjs web "$build/commflow.js" $next $([ $debug = no ] || echo --readable)
  cp "$build/commflow.wasm" LICENSE THIRD_PARTY.md $next/
  mkdir -p $next/font
  cp "$build/assets/fallback.woff2" $next/font/
  python3 tools/pack.py --root . --out $next
  node --no-experimental-fetch "$build/commflow_handout.js" . $next || die "the stills could not be made"
  node tools/compress.mjs $next
  rm -rf dist
  mv $next dist
}

port_is_free() {
  node -e 'require("net").createServer().once("error", () => process.exit(1)).listen(+process.argv[1], "127.0.0.1", () => process.exit(0))' "$1"
}

check_given_port() {
  [ -z "$port" ] || port_is_free "$port" || die "Port $port is not free. Give another: ./build-wasm.sh --serve PORT"
}

choose_port() {
  check_given_port
  [ -z "$port" ] || return 0
  port=8080
  until port_is_free $port; do
    say "port $port is busy"
    port=$((port + 1))
  done
}

serve_dist() {
  choose_port
  node node_modules/sirv-cli/bin.js dist --dev --etag --quiet --host 127.0.0.1 --port "$port" &
  server=$!
  trap 'kill $server 2>/dev/null' EXIT
  until ! port_is_free "$port"; do
    kill -0 $server 2>/dev/null || die "the server did not start"
    sleep 0.1
  done
  printf '\nCommFlow is at  http://localhost:%s/\n(Ctrl+C ends the server)\n' "$port"
  wait $server
}

need_emscripten
need_npm
install_missing
install_npm_packages
[ $serve = no ] || check_given_port
[ $clean = no ] || rm -rf "$build" dist
compile
assemble
say "dist/ is ready"
[ $serve = no ] || serve_dist
