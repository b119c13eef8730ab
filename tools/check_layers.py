#!/usr/bin/env python3
"""Keeps the layers apart and the sources plain. usage: check_layers.py SRC

What each folder of src/ may include is the table below; everything else is an error, system headers too, which would be
found without any include path. Beside that: no __EMSCRIPTEN__ outside platform/ (the build chooses files), no character
beyond ASCII (texts live in locales/), no ImGui::Text() with anything but a literal (a % in a translation would be a
format), no variable outside a function, and no static one inside, that can change, but in platform/ and
the wiring, which own the window and the state (what is drawn is a function of the state).
"""
import pathlib
import re
import sys

LAYERS = {
    "core": {"core"},
    "story": {"story", "core"},
    "io": {"io", "story", "core"},
    "ui": {"ui", "story", "core"},
    "platform": {"platform"},
    "main": {"main", "core", "story", "io", "ui", "platform", "cli"},
    "cli": {"core", "story", "io", "cli"},
}
LIBRARIES = {
    "io": [r"nlohmann/.*"],
    "cli": [r"nlohmann/.*"],
    "ui": [r"imgui(_internal)?\.h"],
    "platform": [r"imgui.*\.h", r"SDL2?/.*|SDL.*\.h", r"GL/.*|GLES[23]/.*", r"emscripten.*", r"[a-z_]+\.h", r"nlohmann/.*"],
    "main": [r"imgui\.h"],
}
# The standard library of C++, and of C by its C++ names: no dot, no slash.
STANDARD = re.compile(r"[a-z_0-9]+")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
COMMENT = re.compile(r"//.*")
IMGUI_TEXT = re.compile(r"ImGui::(?:Text|TextWrapped|TextDisabled|TextColored|BulletText|SetTooltip)\(\s*(?!\")")
MUTABLE_STATIC = re.compile(
    r"^\s*(?:inline\s+)?static\s+(?!const\b|constexpr\b|constinit\s+const\b|consteval\b|inline\s+const|assert)"
    r"[\w:<>,\s*&]+?\b\w+\s*(?:=|;|\{)"
)
# At the left margin, as in a namespace; members of a type are indented.
MUTABLE_GLOBAL = re.compile(
    r"^(?!(?:using|return|class|struct|union|enum|friend|extern|template|typedef|namespace|static|const|constexpr|inline"
    r"|goto|case|public|private)\b)[\w:]+[\w:<>,\s*&]*\s[*&]?\w+(?:\[\w*\])?\s*(?:=[^=].*|\{.*\})?;"
)
OWNERS = {"platform", "main"}


def layer_of(path):
    """The folder under src/; what lies in src/ itself is the wiring, main."""
    return path.parts[0] if len(path.parts) > 1 else "main"


def include_problem(layer, quote, header):
    owner = layer_of(pathlib.PurePosixPath(header))
    if quote == '"' and owner in LAYERS:
        return None if owner in LAYERS[layer] else f'{layer} must not include "{header}"'
    allowed = LIBRARIES.get(layer, [])
    if STANDARD.fullmatch(header) or any(re.fullmatch(pattern, header) for pattern in allowed):
        return None
    return f"{layer} must not include {header}; headers of ours are named from src/, as in core/schedule.h"


def line_problems(layer, line):
    code = COMMENT.sub("", line)
    match = INCLUDE.match(code)
    if match:
        yield include_problem(layer, *match.groups())
    if not line.isascii():
        yield "has a character beyond ASCII"
    if "__EMSCRIPTEN__" in code and layer != "platform":
        yield "__EMSCRIPTEN__ belongs to platform/ only"
    if IMGUI_TEXT.search(code):
        yield "gives ImGui a text as a format; use TextUnformatted"
    if layer not in OWNERS and (MUTABLE_STATIC.match(code) or MUTABLE_GLOBAL.match(code)):
        yield "is a variable outside the state that can change"


def check(src):
    problems = []
    for path in sorted(src.rglob("*")):
        if path.suffix not in (".h", ".cpp"):
            continue
        name = path.relative_to(src)
        layer = layer_of(name)
        if layer not in LAYERS:
            problems.append(f"{name}: is in no layer; the layers are {', '.join(LAYERS)}")
            continue
        if path.suffix == ".h" and not path.read_text(encoding="utf-8").startswith("#pragma once"):
            problems.append(f"{name}:1: a header begins with #pragma once")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            problems += [f"{name}:{number}: {problem}" for problem in line_problems(layer, line) if problem]
    return problems


def main():
    problems = check(pathlib.Path(sys.argv[1]))
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
