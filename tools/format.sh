#!/usr/bin/env bash
# Formats all C++ by .clang-format; with --check only says which files differ, and fails if one does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=-i
case ${1:-} in
  --check) mode='--dry-run -Werror --ferror-limit=1' ;;
  '') ;;
  *) echo "usage: tools/format.sh [--check]" >&2 && exit 2 ;;
esac
git ls-files 'src/*.h' 'src/*.cpp' 'tests/*.h' 'tests/*.cpp' | xargs clang-format $mode
