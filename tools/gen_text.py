#!/usr/bin/env python3
"""Writes the C++ enum of all text keys from locales/*.json, and refuses locales that do not fit together.

A locale is one flat JSON object: dotted key -> text with placeholders like {bytes}. Every locale must have the same
keys with the same placeholders, so that a text missing in one language is a failed build and never a hole on the
screen. The texts themselves are read at run time. Needs only Python's standard library.
"""
import argparse
import json
import pathlib
import re
import sys

KEY = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)*")
PLACEHOLDER = re.compile(r"\{([a-z][a-z0-9_]*)\}")
BRACES = re.compile(r"[{}]")
REFERENCE = "en.json"
CPP_KEYWORDS = set(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const consteval
    constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast
    else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
    not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed
    sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
    typename union unsigned using virtual void volatile wchar_t while xor xor_eq""".split()
)


class Problems(list):
    def add(self, path, key, reason):
        self.append(f"{path}: {key}: {reason}")


def placeholders(text):
    return sorted(set(PLACEHOLDER.findall(text)))


def identifier(key):
    return key.replace(".", "_")


def load(path, problems):
    """The locale as a dict; duplicate keys, which json would drop in silence, are reported."""

    def object_of(pairs):
        seen = {}
        for key, value in pairs:
            if key in seen:
                problems.add(path, key, "stands here twice")
            seen[key] = value
        return seen

    try:
        locale = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=object_of)
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        problems.add(path, "(file)", f"is not JSON in UTF-8: {error}")
        return {}
    if not isinstance(locale, dict):
        problems.add(path, "(file)", "must be one object of key: text")
        return {}
    return locale


def check_texts(path, locale, problems):
    for key, text in locale.items():
        if not isinstance(text, str):
            problems.add(path, key, f"must be a text, is {type(text).__name__}")
        elif not text.strip():
            problems.add(path, key, "is empty")
        elif BRACES.search(PLACEHOLDER.sub("", text)):
            problems.add(path, key, "has a brace that is not part of a placeholder such as {name}")


def check_keys(path, locale, problems):
    by_identifier = {}
    for key in locale:
        if not KEY.fullmatch(key):
            problems.add(path, key, "a key is words of a-z, 0-9 and _, joined by dots, beginning with a letter")
        elif identifier(key) in CPP_KEYWORDS or "__" in identifier(key):
            problems.add(path, key, f"{identifier(key)} is reserved in C++")
        elif identifier(key) in by_identifier:
            problems.add(path, key, f"becomes the same C++ name as {by_identifier[identifier(key)]}")
        by_identifier.setdefault(identifier(key), key)


def check_parity(reference_path, reference, path, locale, problems):
    for key in reference.keys() - locale.keys():
        problems.add(path, key, f"is missing here, but stands in {reference_path.name}")
    for key in locale.keys() - reference.keys():
        problems.add(reference_path, key, f"is missing here, but stands in {path.name}")
    for key in reference.keys() & locale.keys():
        if not isinstance(reference[key], str) or not isinstance(locale[key], str):
            continue
        wanted, found = placeholders(reference[key]), placeholders(locale[key])
        if wanted != found:
            problems.add(path, key, f"has the placeholders {found}, {reference_path.name} has {wanted}")


def check(folder):
    """(reference locale, sorted list of what is wrong)"""
    problems = Problems()
    paths = sorted(pathlib.Path(folder).glob("*.json"))
    reference_path = pathlib.Path(folder) / REFERENCE
    if reference_path not in paths:
        problems.add(reference_path, "(file)", "is missing")
        return {}, problems
    locales = {path: load(path, problems) for path in paths}
    for path, locale in locales.items():
        check_texts(path, locale, problems)
        check_keys(path, locale, problems)
        if path != reference_path:
            check_parity(reference_path, locales[reference_path], path, locale, problems)
    return locales[reference_path], sorted(set(problems))


def header(locale):
    keys = sorted(locale)
    enumerators = "".join(f"  {identifier(key)},\n" for key in keys)
    names = "".join(f'    "{key}",\n' for key in keys)
    tables = "".join(f'    "{" ".join(placeholders(locale[key]))}",\n' for key in keys)
    return f"""#pragma once
// Written by tools/gen_text.py from locales/; do not edit. The keys of all texts the reader can see, by number.
// What the texts say is known at run time only.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace commflow {{

enum class Text : std::uint16_t {{
{enumerators}}};

inline constexpr std::size_t text_count = {len(keys)};

// The key of each Text as it stands in the locale files.
inline constexpr std::array<std::string_view, text_count> text_names{{
{names}}};

// The placeholders of each Text, sorted, separated by a space.
inline constexpr std::array<std::string_view, text_count> text_placeholders{{
{tables}}};

}}  // namespace commflow
"""


def write_if_different(path, content):
    path = pathlib.Path(path)
    if path.exists() and path.read_text(encoding="utf-8") == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--locales", required=True, help="folder with en.json and the other languages")
    parser.add_argument("--out", help="header to write; without it the locales are only checked")
    options = parser.parse_args(arguments)
    locale, problems = check(options.locales)
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        return 1
    if options.out:
        write_if_different(options.out, header(locale))
    return 0


if __name__ == "__main__":
    sys.exit(main())
