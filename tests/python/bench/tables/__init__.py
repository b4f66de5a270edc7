# SPDX-License-Identifier: Apache-2.0
"""A package, since some of its modules have the name of one beside it."""
