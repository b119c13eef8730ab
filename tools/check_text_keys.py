#!/usr/bin/env python3
"""Finds text keys that nothing uses. usage: check_text_keys.py ROOT

A key is used if C++ says Text::its_name, or if its dotted name stands in quotes in src/, web/ or assets/. Names may be
put together at run time: a quoted beginning uses every key that continues it behind a dot, if it holds a dot itself
("step.prepare" in a scenario uses step.prepare.title, "collective." in C++ uses collective.ring) or is the group that
C++ asks name_in() for (name_in(c, "dim", ...) uses dim.tp.name).
"""
import json
import pathlib
import re
import sys

SOURCES = (("src", (".h", ".cpp")), ("web", (".js", ".html")), ("assets", (".json",)))
ENUMERATOR = re.compile(r"\bText::(\w+)")
GROUP = re.compile(r"""\bname_in\(\s*\w+,\s*"([a-z_]+)\"""")
QUOTED = re.compile(r"""["'`]([a-z][a-z0-9_.]*)["'`$]""")


def usage(root):
    """(enumerators named in C++, quoted words anywhere, each group with a dot)"""
    enumerators, quoted = set(), set()
    for folder, suffixes in SOURCES:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in suffixes:
                continue
            text = path.read_text(encoding="utf-8")
            quoted.update(QUOTED.findall(text))
            quoted.update(group + "." for group in GROUP.findall(text))
            enumerators.update(ENUMERATOR.findall(text))
    return enumerators, quoted


def unused(root):
    keys = json.loads((root / "locales" / "en.json").read_text(encoding="utf-8"))
    enumerators, quoted = usage(root)
    prefixes = tuple(word.rstrip(".") + "." for word in quoted if "." in word)
    return [
        key
        for key in keys
        if key.replace(".", "_") not in enumerators and key not in quoted and not key.startswith(prefixes)
    ]


def main():
    keys = unused(pathlib.Path(sys.argv[1]))
    for key in keys:
        print(f"locales/en.json: {key}: nothing uses it")
    return 1 if keys else 0


if __name__ == "__main__":
    sys.exit(main())
