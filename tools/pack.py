#!/usr/bin/env python3
"""Packs texts, scenarios, models and hardware into data files per language: OUT/data.LANG.json, OUT/whole.LANG.json.

Each is one JSON object: "locale" is the locale file; "scenarios", "models", "hardware" and "presets" map each file's stem to its
content. The page fetches one file beside the wasm, and the other language's only when the reader switches. The first has
the texts of the walk alone ("part": true), for the light program; the second has all of them, for the whole one.
"""
import argparse
import json
import pathlib
import sys

FOLDERS = ("scenarios", "models", "hardware", "presets")
# First words of the keys that only other pages than the walk use.
OTHER_PAGES = ("concepts", "ways", "needs", "glossary", "memory", "split", "example", "collectives", "topology", "meter",
               "curve", "fault", "map", "rounds", "experts", "calls", "overlap", "readings", "typed", "routing")


def load(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        sys.exit(f"{path}: is not JSON in UTF-8: {error}")


def folder(path):
    """Every JSON file but the schemas, by stem."""
    return {file.stem: load(file) for file in sorted(path.glob("*.json")) if not file.name.endswith(".schema.json")}


def put(path, data):
    path.write_text(json.dumps(data, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")


def pack(root, out):
    assets = {name: folder(root / "assets" / name) for name in FOLDERS}
    for path in sorted((root / "locales").glob("*.json")):
        whole = load(path)
        walk = {key: text for key, text in whole.items() if key.split(".")[0] not in OTHER_PAGES}
        put(out / f"data.{path.stem}.json", {"part": True, "locale": walk, **assets})
        put(out / f"whole.{path.stem}.json", {"locale": whole, **assets})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True, help="the repository")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write into")
    options = parser.parse_args()
    pack(options.root, options.out)


if __name__ == "__main__":
    main()
