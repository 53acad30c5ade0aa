"""``write_artifacts`` takes what verifiers compute with: subclasses of float, and any mapping."""

import json
from pathlib import Path
from types import MappingProxyType

import pytest

from assay.core.errors import InputError
from assay.evaluation import write_artifacts


class Measured(float):
    """A float of a library's own, as NumPy has one."""

    def __repr__(self) -> str:
        return "Measured(…)"


def test_a_float_of_a_librarys_own_is_a_reward(tmp_path: Path) -> None:
    write_artifacts(tmp_path, Measured(0.93), {"a": Measured(0.5)})
    assert json.loads((tmp_path / "reward.json").read_text()) == {"reward": 0.93}
    assert json.loads((tmp_path / "details.json").read_text()) == {"a": 0.5}


@pytest.mark.parametrize("reward", [True, False, Measured("nan"), Measured(2), "1", None])
def test_what_is_no_number_from_0_to_1_still_is_not(tmp_path: Path, reward: float) -> None:
    with pytest.raises(InputError, match="the reward must be a finite number from 0 to 1"):
        write_artifacts(tmp_path, reward)
    assert list(tmp_path.iterdir()) == []


def test_details_may_be_any_mapping(tmp_path: Path) -> None:
    write_artifacts(tmp_path, 1, MappingProxyType({"a": 1}))
    assert json.loads((tmp_path / "details.json").read_text()) == {"a": 1}
