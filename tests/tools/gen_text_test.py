import json
import unittest

from support import folder

import gen_text


def problems(en, zh):
    """What gen_text says about two locales, given as dicts or as raw text."""
    raw = [text if isinstance(text, str) else json.dumps(text) for text in (en, zh)]
    with folder({"en.json": raw[0], "zh.json": raw[1]}) as root:
        return [problem.removeprefix(f"{root}/") for problem in gen_text.check(root)[1]]


class Accepts(unittest.TestCase):
    def test_equal_keys_and_placeholders_in_any_order(self):
        self.assertEqual(problems({"a.b": "{x} of {y}"}, {"a.b": "{y} 之 {x}"}), [])

    def test_a_placeholder_used_twice(self):
        self.assertEqual(problems({"a": "{x}"}, {"a": "{x}, {x}"}), [])


class Refuses(unittest.TestCase):
    def assert_problem(self, en, zh, *parts):
        found = problems(en, zh)
        self.assertEqual(len(found), 1, found)
        for part in parts:
            self.assertIn(part, found[0])

    def test_a_key_missing_in_one_language(self):
        self.assert_problem({"a": "x", "b": "y"}, {"a": "x"}, "zh.json: b:", "missing")
        self.assert_problem({"a": "x"}, {"a": "x", "b": "y"}, "en.json: b:", "missing")

    def test_an_empty_value(self):
        self.assert_problem({"a": "x"}, {"a": " "}, "zh.json: a:", "empty")

    def test_different_placeholders(self):
        self.assert_problem({"a": "{bytes}"}, {"a": "{byte}"}, "zh.json: a:", "placeholders")

    def test_a_brace_that_is_no_placeholder(self):
        self.assert_problem({"a": "{x}"}, {"a": "{x} {"}, "zh.json: a:", "brace")

    def test_a_value_that_is_no_text(self):
        self.assert_problem({"a": "x"}, {"a": 3}, "zh.json: a:", "int")

    def test_keys_that_are_no_identifier(self):
        for key in ("a-b", "A", "1a", "a..b", "a b", "switch", "a._b", ""):
            self.assertEqual(len(problems({key: "x"}, {key: "x"})), 2, key)

    def test_two_keys_of_one_name(self):
        found = problems({"a.b": "x", "a_b": "x"}, {"a.b": "x", "a_b": "x"})
        self.assertTrue(all("same C++ name" in problem for problem in found) and len(found) == 2, found)

    def test_a_key_written_twice(self):
        self.assert_problem('{"a": "x", "a": "y"}', {"a": "x"}, "en.json: a:", "twice")

    def test_what_is_no_json(self):
        self.assert_problem({}, "{", "zh.json: (file):", "JSON")

    def test_a_missing_reference(self):
        with folder({"zh.json": "{}"}) as root:
            self.assertIn("en.json", gen_text.check(root)[1][0])


class Header(unittest.TestCase):
    def test_enumerators_names_and_placeholders_are_in_one_order(self):
        text = gen_text.header({"walk.b": "{y} {x}", "walk.a": "plain"})
        self.assertIn("enum class Text : std::uint16_t {\n  walk_a,\n  walk_b,\n};", text)
        self.assertIn('text_names{\n    "walk.a",\n    "walk.b",\n};', text)
        self.assertIn('text_placeholders{\n    "",\n    "x y",\n};', text)

    def test_an_unchanged_header_is_not_touched(self):
        with folder({"en.json": '{"a": "x"}', "zh.json": '{"a": "y"}'}) as root:
            arguments = ["--locales", str(root), "--out", str(root / "keys.h")]
            self.assertEqual(gen_text.main(arguments), 0)
            before = (root / "keys.h").stat().st_mtime_ns
            (root / "zh.json").write_text('{"a": "z"}')
            self.assertEqual(gen_text.main(arguments), 0)
            self.assertEqual((root / "keys.h").stat().st_mtime_ns, before)


if __name__ == "__main__":
    unittest.main()
