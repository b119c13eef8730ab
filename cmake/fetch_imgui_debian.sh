#!/usr/bin/env bash
# Fetches the source package of Dear ImGui from a newer Debian suite, without touching the system's apt.
# usage: fetch_imgui_debian.sh WORK_DIR VERSION
#
# Debian 12 packages Dear ImGui 1.86, which is too old. A newer suite of the very archive this machine already uses
# has the version we pin. So: a private apt directory (own sources, lists and cache; root is not needed), whose one
# deb-src entry is the machine's own entry with the suite changed. Leaves the orig tarball's folder as WORK_DIR/source.
set -euo pipefail

work=$1
version=$2

command -v apt-get >/dev/null || { echo "no apt on this system" >&2; exit 1; }

codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
archive=$(apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 2>/dev/null | awk -v suite="$codename" '$1 == suite {print $2; exit}')
[ -n "$archive" ] || { echo "no configured apt entry for the suite '$codename'" >&2; exit 1; }

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
signed=''
[ -r "$keyring" ] && signed="[signed-by=$keyring]"

private_apt() {
  apt-get -qq \
    -o Dir::Etc::SourceList="$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" \
    -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Acquire::Languages=none "$@"
}

for suite in forky sid; do
  rm -rf "$work/apt"
  mkdir -p "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
  echo "deb-src $signed $archive $suite main" >"$work/apt/sources.list"
  private_apt update || continue
  found=$(apt-cache -o Dir::Etc::SourceList="$work/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$work/apt/lists" -o Dir::Cache="$work/apt/cache" showsrc imgui 2>/dev/null |
    awk '/^Version:/ {print $2}' | grep -F "$version" | head -n 1) || true
  [ -n "$found" ] || continue
  (cd "$work/apt" && private_apt --download-only source "imgui=$found")
  tarball=$(ls "$work"/apt/imgui_*.orig.tar.* | grep -v '\.asc$' | head -n 1)
  rm -rf "$work/source"
  mkdir "$work/source"
  tar -xf "$tarball" --strip-components=1 -C "$work/source"
  rm -rf "$work/apt"
  exit 0
done
echo "no suite of $archive has Dear ImGui $version" >&2
exit 1
