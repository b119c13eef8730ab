#!/usr/bin/env python3
"""Adds up what one ctest run found: SUITE<tab>passed<tab>failed.

A GoogleTest program counts with the number of its tests (RESULTS/NAME.xml), any other ctest entry as one. A program
that failed without a failed test of its own (a crash, a time-out) counts as one failure. usage: count_tests.py SUITE RESULTS
"""
import pathlib
import sys
import xml.etree.ElementTree as xml


def count_program(path):
    """(passed, failed) of a GoogleTest report; (0, 0) if the program did not live to write one."""
    try:
        suites = xml.parse(path).getroot()
    except (FileNotFoundError, xml.ParseError):
        return 0, 0
    failed = int(suites.get("failures")) + int(suites.get("errors"))
    not_run = int(suites.get("disabled")) + sum(int(suite.get("skipped", 0)) for suite in suites)
    return int(suites.get("tests")) - failed - not_run, failed


def count(results):
    passed = failed = 0
    for case in xml.parse(results / "ctest.xml").getroot().iter("testcase"):
        program = results / f"{case.get('name')}.xml"
        own_passed, own_failed = count_program(program)
        succeeded = case.get("status") == "run"
        if not succeeded and own_failed == 0:
            own_failed = 1
        if succeeded and not program.exists():
            own_passed = 1
        passed += own_passed
        failed += own_failed
    return passed, failed


if __name__ == "__main__":
    suite, folder = sys.argv[1:]
    print(suite, *count(pathlib.Path(folder)), sep="\t")
