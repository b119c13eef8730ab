#!/usr/bin/env python3
"""Compiles each header of src/ alone, so that none leans on what another file happened to include before it.

usage: check_headers.py --src SRC --compiler CXX [--skip GLOB] -- FLAGS...
"""
import argparse
import concurrent.futures
import fnmatch
import os
import pathlib
import subprocess
import sys


def compile_alone(command, header):
    """The compiler's complaint about a file that includes nothing but the header, or an empty string."""
    source = f'#include "{header}"\n'
    result = subprocess.run([*command, "-fsyntax-only", "-x", "c++", "-"], input=source, capture_output=True, text=True)
    return "" if result.returncode == 0 else f"{header} does not compile alone:\n{result.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--src", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--skip", action="append", default=[], help="headers this compiler cannot know")
    parser.add_argument("flags", nargs="*")
    options = parser.parse_args()
    headers = [path.relative_to(options.src).as_posix() for path in sorted(options.src.rglob("*.h"))]
    headers = [name for name in headers if not any(fnmatch.fnmatch(name, glob) for glob in options.skip)]
    command = [options.compiler, *options.flags]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = [problem for problem in pool.map(lambda header: compile_alone(command, header), headers) if problem]
    print("\n".join(problems) if problems else f"{len(headers)} headers compile alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
