"""The ledger: every brief in one bin, and the bins add up."""

from collections.abc import Callable

import pytest

from data.errors import StoreError
from data.ledger import LedgerRow, balance, ledger_table, tally
from data.schema import LEDGER
from data.store import Publication

Publisher = Callable[..., Publication]


def test_the_bins_are_counted_with_their_tokens_and_stand_in_the_order_of_the_stages(publication: Publisher) -> None:
    costs = (LedgerRow("solve", "", 0, 900, 1.5),)
    assert tally(publication(3).candidates, costs) == (
        LedgerRow("verify", "bad", 3, 45),
        LedgerRow("solve", "", 0, 900, 1.5),
        LedgerRow("published", "", 3, 45),
    )


def test_a_balanced_ledger_passes() -> None:
    balance(
        [LedgerRow("verify", "bad", 2), LedgerRow("solve", "", 0), LedgerRow("published", "", 1)], briefs=3, published=1
    )


@pytest.mark.parametrize(("briefs", "published"), [(4, 1), (2, 1), (3, 2), (3, 0)])
def test_a_ledger_that_does_not_add_up_is_our_own_fault(briefs: int, published: int) -> None:
    with pytest.raises(StoreError, match="the ledger"):
        balance([LedgerRow("verify", "bad", 2), LedgerRow("published", "", 1)], briefs=briefs, published=published)


def test_a_ledger_has_its_table() -> None:
    assert ledger_table([]).schema == LEDGER
    assert ledger_table([LedgerRow("verify", "bad", 2, 7, 0.5)]).to_pylist() == [
        {"stage": "verify", "code": "bad", "count": 2, "tokens": 7, "seconds": 0.5}
    ]
