# SPDX-License-Identifier: Apache-2.0
"""Adds up JUnit reports: ``_count_tests.py STATUS DIRECTORY...`` prints ``N passed, N failed``."""

import sys
from pathlib import Path
from xml.etree import ElementTree

passed = failed = 0
for directory in sys.argv[2:]:
    for report in sorted(Path(directory).glob("*.xml")):
        for case in ElementTree.parse(report).iter("testcase"):
            results = {child.tag for child in case}
            failed += bool(results & {"failure", "error"})
            passed += not results & {"failure", "error", "skipped"}

# A build that does not compile and a suite that aborts report no test case.
if sys.argv[1] != "0":
    failed = max(failed, 1)
print(f"{passed} passed, {failed} failed")
