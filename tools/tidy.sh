#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) over src/, or over the files given. Needs a configured build/ (cmake --preset dev).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
files=("$@")
[ ${#files[@]} -gt 0 ] || mapfile -t files < <(git ls-files 'src/*.cpp' | grep -v 'platform/web')
printf '%s\n' "${files[@]}" |
  xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 4 clang-tidy -p build --quiet --extra-arg=-Wno-unknown-warning-option
