# SPDX-License-Identifier: Apache-2.0
"""The tables of suites: generated, derived from others, or found in a directory.

``_data`` says what a set of tables is. Each other module makes one kind of them.
"""
