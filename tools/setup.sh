# Sourced by build-wasm.sh and tests/run.sh: says what happens, and gets what is missing. On Debian and its kin packages
# are installed (as root, or by sudo); elsewhere the names to install are printed. Nothing that is there is touched.

say() { printf '%s\n' "== $*"; }
die() { printf '%s\n' "$*" >&2; exit 1; }

missing_debian=()
missing_brew=()

# need DEBIAN_PACKAGE BREW_PACKAGE TEST...: TEST is a command that succeeds if the thing is there.
need() {
  "${@:3}" >/dev/null 2>&1 && return 0
  case " ${missing_debian[*]:-} " in *" $1 "*) return 0 ;; esac
  missing_debian+=("$1")
  missing_brew+=("$2")
}

has() { command -v "$1"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

install_missing() {
  [ ${#missing_debian[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null 2>&1; then
    die "Please install: ${missing_brew[*]}  (Homebrew: brew install ${missing_brew[*]})"
  fi
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null 2>&1; then
    die "Please install as root: apt-get install ${missing_debian[*]}"
  fi
  say "installing ${missing_debian[*]}"
  local log
  log=$(mktemp)
  if ! { as_root env DEBIAN_FRONTEND=noninteractive apt-get update &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing_debian[@]}"; } \
    >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    die "apt-get could not install: ${missing_debian[*]}"
  fi
  rm -f "$log"
  missing_debian=()
  missing_brew=()
}

# font_python [MODULE]: some python has fontTools, and the module.
font_python() {
  local python
  for python in python3 /usr/bin/python3; do
    "$python" -c "import fontTools.subset, ${1:-sys}" && return 0
  done
  return 1
}

# any_file FILE...: succeeds if one of them exists.
any_file() {
  local file
  for file in "$@"; do [ ! -e "$file" ] || return 0; done
  return 1
}

has_font() {
  any_file /usr/share/fonts/{opentype/noto,noto-cjk,google-noto-cjk}/NotoSansCJK-Regular.ttc \
    {,"$HOME"}/Library/Fonts/NotoSans{SC,CJKsc}-Regular.{otf,ttf}
}

has_header() {
  any_file {/usr,/usr/local,/opt/homebrew}/include/"$1"
}

need_common() {
  need cmake cmake has cmake
  need ninja-build ninja has ninja
  need xz-utils xz has xz
  need python3 python3 has python3
  need python3-fonttools fonttools font_python
  need fonts-noto-cjk font-noto-sans-cjk-sc has_font
  need nlohmann-json3-dev nlohmann-json has_header nlohmann/json.hpp
}

need_native() {
  need_common
  need g++ gcc has c++
  need libsdl2-dev sdl2 has_header SDL2/SDL.h
  need libgtest-dev googletest has_header gtest/gtest.h
}

need_emscripten() {
  need_common
  [ -n "${EMSDK:-}" ] && [ -d "${EMSDK:-}/upstream/emscripten" ] || need emscripten emscripten has em++
  need nodejs node has node
  need python3-brotli fonttools font_python brotli
}

need_npm() {
  need nodejs node has node
  need npm npm has npm
  need ca-certificates ca-certificates any_file /etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem /etc/pki/tls/certs
}

# The npm packages of package-lock.json, only when they are not the ones installed.
install_npm_packages() {
  cmp -s package-lock.json node_modules/.commflow-lock && return 0
  say "installing npm packages"
  npm ci --no-audit --no-fund --loglevel=error >/dev/null || die "npm could not install the packages of package-lock.json"
  cp package-lock.json node_modules/.commflow-lock
}

has_browser() {
  [ -n "${CHROMIUM:-}" ] || has chromium || has chromium-browser || has google-chrome ||
    [ -d "/Applications/Google Chrome.app" ] || [ -d /Applications/Chromium.app ]
}
