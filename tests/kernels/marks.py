"""Marks of tests that are for one form of the kernels."""

import pytest

from polyhead.kernels.checked import CHECKED

only_checked = pytest.mark.skipif(not CHECKED, reason="sizes are compared in the checked form of the kernels")
