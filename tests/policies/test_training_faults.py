"""Which fault of which library has which name."""

from __future__ import annotations

import pytest

from policies.training.faults import TrainingFault, named


@pytest.mark.parametrize(
    "fault",
    [
        MemoryError(),
        RuntimeError("[enforce fail at alloc_cpu.cpp:121] DefaultCPUAllocator: can't allocate memory: you tried to"),
        RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 139 GiB"),
    ],
    ids=("python", "cpu", "cuda"),
)
def test_no_memory_has_one_name_on_every_device(fault: Exception) -> None:
    assert named(fault).code == "out_of_memory"


def test_a_fault_with_a_name_keeps_it() -> None:
    fault = TrainingFault("not_finite", "step 3")
    assert named(fault) is fault


def test_any_other_exception_says_its_kind() -> None:
    assert named(KeyError("x")).message == "KeyError: 'x'"
