#!/usr/bin/env python3
"""Packs texts, scenarios, models and hardware into one data file per language: OUT/data.LANG.json.

Each is one JSON object: "locale" is the locale file; "scenarios", "models", "hardware" and "presets" map each file's stem to its
content. The page fetches this one file beside the wasm, and the other language's only when the reader switches.
"""
import argparse
import json
import pathlib
import sys

FOLDERS = ("scenarios", "models", "hardware", "presets")


def load(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        sys.exit(f"{path}: is not JSON in UTF-8: {error}")


def folder(path):
    """Every JSON file but the schemas, by stem."""
    return {file.stem: load(file) for file in sorted(path.glob("*.json")) if not file.name.endswith(".schema.json")}


def pack(root, out):
    assets = {name: folder(root / "assets" / name) for name in FOLDERS}
    for path in sorted((root / "locales").glob("*.json")):
        data = {"locale": load(path), **assets}
        text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
        (out / f"data.{path.stem}.json").write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, required=True, help="the repository")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder to write into")
    options = parser.parse_args()
    pack(options.root, options.out)


if __name__ == "__main__":
    main()
