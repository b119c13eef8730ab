import json
import unittest

from support import ROOT, folder

import check_text_keys
import count_tests
import pack
import subset_fonts


class TextKeys(unittest.TestCase):
    def test_a_key_is_used_by_name_by_quotes_by_a_beginning_or_by_a_group(self):
        locale = {key: "x" for key in ("a.cpp", "b.json", "c.web", "family.one", "dim.tp.name", "step.prepare.title", "never",
                                           "b.never")}
        files = {
            "locales/en.json": json.dumps(locale),
            "src/x.cpp": 'f(Text::a_cpp); g("family." + id); name_in(c, "dim", name);',
            "assets/s.json": '{"title": "b.json", "texts": "step.prepare", "x": "b"}',
            "web/w.js": "text('c.web')",
        }
        with folder(files) as root:
            self.assertEqual(check_text_keys.unused(root), ["never", "b.never"])


class Numbers(unittest.TestCase):
    def test_the_program_on_the_web_reads_every_number_of_ours_exactly(self):
        """src/platform/web_libc.cpp: at most 2^53 in its digits, at most 22 places."""
        numbers = []

        def keep(text):
            numbers.append(text)
            return float(text)

        for path in sorted((ROOT / "assets").rglob("*.json")):
            json.loads(path.read_text(encoding="utf-8"), parse_float=keep)
        self.assertTrue(numbers)
        for text in numbers:
            digits, _, exponent = text.lower().partition("e")
            whole, _, places = digits.lstrip("-").partition(".")
            self.assertLessEqual(int(whole + places), 2**53, text)
            self.assertLessEqual(abs(int(exponent or 0) - len(places)), 22, text)


class Pack(unittest.TestCase):
    def test_one_file_per_language_without_schemas(self):
        files = {
            "locales/en.json": '{"a": "x"}',
            "locales/zh.json": '{"a": "中"}',
            "assets/scenarios/walk.json": '{"steps": []}',
            "assets/scenarios/scenario.schema.json": "{}",
            "assets/models/m.json": '{"hidden": 1}',
        }
        with folder(files) as root:
            pack.pack(root, root)
            data = json.loads((root / "data.zh.json").read_text(encoding="utf-8"))
            self.assertTrue((root / "data.en.json").exists())
        self.assertEqual(data["locale"], {"a": "中"})
        self.assertEqual(data["scenarios"], {"walk": {"steps": []}})
        self.assertEqual(data["models"], {"m": {"hidden": 1}})
        self.assertEqual(data["hardware"], {})


class Fonts(unittest.TestCase):
    def test_characters_include_escaped_ones(self):
        with folder({"a.json": '{"x": "é\\u4e2d"}'}) as root:
            found = subset_fonts.characters([root])
        self.assertLessEqual({ord("é"), ord("中"), ord("x")}, found)

    def test_widths_leave_out_what_a_rule_covers(self):
        widths = {**{code: 500 for code in subset_fonts.ASCII}, 0x4E2D: 1000, 0x03B1: 600, 0x3001: 900}
        text = subset_fonts.header(widths)
        self.assertNotIn("{0x4E2D,", text)
        self.assertIn("{0x03B1, 600},", text)
        self.assertIn("{0x3001, 900},", text)


class Count(unittest.TestCase):
    def test_programs_entries_and_crashes(self):
        ctest = """<testsuite><testcase name="core-0" status="run"/><testcase name="layers" status="run"/>
            <testcase name="crash" status="fail"/><testcase name="bad" status="fail"/></testsuite>"""
        good = '<testsuites tests="5" failures="0" errors="0" disabled="1"><testsuite skipped="1"/></testsuites>'
        bad = '<testsuites tests="4" failures="2" errors="0" disabled="0"><testsuite skipped="0"/></testsuites>'
        with folder({"ctest.xml": ctest, "core-0.xml": good, "bad.xml": bad}) as root:
            self.assertEqual(count_tests.count(root), (3 + 1 + 2, 1 + 2))


class Notices(unittest.TestCase):
    def test_name_the_version_that_is_built(self):
        version = [line for line in (ROOT / "cmake/Imgui.cmake").read_text().splitlines() if "set(IMGUI_VERSION" in line]
        self.assertIn(version[0].split()[-1].rstrip(")"), (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
