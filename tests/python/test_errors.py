# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import latebloom
import pytest
from latebloom import _errors

KINDS = [
    kind
    for kind in vars(_errors).values()
    if isinstance(kind, type) and issubclass(kind, latebloom.LateBloomError)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_says_what_is_wrong_where_and_what_to_do(kind):
    error = kind("the jar is gone", where="/lib", fix="put it back")
    assert str(error).splitlines() == ["the jar is gone", "  where: /lib", "  to do: put it back"]
    assert (error.what, error.where, error.fix) == ("the jar is gone", "/lib", "put it back")


def test_one_except_catches_all_of_them_and_each_is_public():
    assert len(KINDS) == 7
    for kind in KINDS:
        assert getattr(latebloom, kind.__name__) is kind
        with pytest.raises(latebloom.LateBloomError):
            raise kind("x", where="y", fix="z")


def test_where_and_fix_are_asked_for():
    with pytest.raises(TypeError):
        latebloom.LateBloomError("x")
