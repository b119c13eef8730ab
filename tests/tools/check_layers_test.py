import unittest

from support import folder

import check_layers


def problems(name, *lines):
    with folder({name: "\n".join(lines) + "\n"}) as root:
        return check_layers.check(root)


class Layers(unittest.TestCase):
    def assert_refused(self, name, line, part):
        found = problems(name, line)
        self.assertEqual(len(found), 1, (line, found))
        self.assertIn(part, found[0])

    def assert_accepted(self, name, *lines):
        self.assertEqual(problems(name, *lines), [])

    def test_includes(self):
        self.assert_accepted("story/a.cpp", '#include "core/b.h"', "#include <vector>", "#include <cstdint>")
        self.assert_accepted("ui/a.cpp", "#include <imgui.h>", "#include <imgui_internal.h>")
        self.assert_accepted("io/a.cpp", "#include <nlohmann/json.hpp>")
        self.assert_accepted("main.cpp", '#include "ui/ui.h"', '#include "app.h"', '#include "cli/cli.h"')
        self.assert_refused("core/a.cpp", '#include "story/b.h"', "core must not include")
        self.assert_refused("ui/a.cpp", '#include "io/b.h"', "ui must not include")
        self.assert_refused("platform/a.cpp", '#include "core/b.h"', "platform must not include")
        self.assert_refused("story/a.cpp", "#include <imgui.h>", "story must not include")
        self.assert_refused("core/a.cpp", "#include <nlohmann/json.hpp>", "core must not include")
        self.assert_refused("ui/a.cpp", "  #  include <SDL2/SDL.h>", "ui must not include")
        self.assert_refused("core/a.cpp", '#include "app.h"', "core must not include")
        self.assert_refused("core/a.cpp", '#include "extra/b.h"', "named from src/")

    def test_plain_sources(self):
        self.assert_refused("core/a.cpp", '// "三"', "ASCII")
        self.assert_refused("main.cpp", "#ifdef __EMSCRIPTEN__", "platform")
        self.assert_accepted("platform/web.cpp", "#ifdef __EMSCRIPTEN__")
        self.assert_accepted("core/a.cpp", "// never ask for __EMSCRIPTEN__")
        self.assert_refused("core/a.h", "// no guard", "#pragma once")

    def test_texts_are_no_formats(self):
        self.assert_refused("ui/a.cpp", "  ImGui::Text(label);", "TextUnformatted")
        self.assert_refused("ui/a.cpp", "  ImGui::SetTooltip(label.c_str());", "TextUnformatted")
        self.assert_accepted("ui/a.cpp", '  ImGui::Text("%s", label);', "  ImGui::TextUnformatted(label);")

    def test_variables(self):
        for line in (
            "  static int count = 0;",
            "  static std::vector<int> cache;",
            "static Catalog catalog{};",
            "Web web;",
            "std::vector<int> all;",
            "int* current = nullptr;",
            "thread_local int depth = 0;",
        ):
            self.assert_refused("story/a.cpp", line, "can change")
            self.assert_accepted("platform/a.cpp", line)
        self.assert_accepted(
            "story/a.cpp",
            "  static const std::vector<int> primes = {2, 3};",
            "  static constexpr int size = 4;",
            "constexpr int kSize = 4;",
            "const Theme kLight = make_theme();",
            "static int helper(int a) { return a; }",
            "int helper(int a);",
            "using Row = std::vector<int>;",
            "  int member = 3;",
            "extern const Theme kDark;",
            "struct Forward;",
        )


class Repository(unittest.TestCase):
    def test_a_folder_without_a_layer(self):
        self.assertIn("no layer", problems("extra/a.cpp", "int f();")[0])


if __name__ == "__main__":
    unittest.main()
