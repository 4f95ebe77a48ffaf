"""A wallet of several currencies, with a fixed table of exchange rates.

State: `{"balances": {ISO 4217 code: amount}, "payments": {payment_id: {"recipient", "amount", "currency"}}}`. Rates are
made up and never change; amounts are to the cent, halves rounded to even. Not promised: rates of any day, fees.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import Any

from data.records import Json
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import LARGEST, PEOPLE, choice, entry, fresh, number, plain, room_in, takes, text, world

PER_DOLLAR: Mapping[str, str] = {
    "USD": "1", "EUR": "0.92", "GBP": "0.79", "JPY": "150", "CHF": "0.88", "CAD": "1.36", "AUD": "1.52", "SEK": "10.4",
    "NOK": "10.6", "DKK": "6.86", "PLN": "3.98", "CZK": "23.2", "INR": "83", "BRL": "5", "MXN": "17.1", "KRW": "1330",
}  # fmt: skip
"""How many units of a currency one US dollar buys."""
CODES = tuple(PER_DOLLAR)


def make(random: Random) -> State:
    """Three to five currencies with a balance, and two or three payments made out of them."""
    codes = sorted(random.sample(CODES, random.randint(3, 5)))
    payments: dict[str, Any] = {}
    for person in random.sample(PEOPLE, random.randint(2, 3)):
        payment: dict[str, Any] = {
            "recipient": person,
            "amount": random.randint(2, 30) * 5,
            "currency": random.choice(codes),
        }
        payments[fresh(payments, "T", payment)] = payment
    return {"balances": {code: random.randint(4, 90) * 25 for code in codes}, "payments": payments}


def rate(code: str, other: str) -> Fraction:
    """How many units of the other currency one unit buys."""
    return Fraction(PER_DOLLAR[other]) / Fraction(PER_DOLLAR[code])


def _cents(amount: float | Fraction) -> int | float:
    return plain(round(Fraction(Decimal(str(amount))) if isinstance(amount, float) else Fraction(amount), 2))


def _rate(state: State, given: Mapping[str, Any]) -> Json:
    return {"rate": plain(rate(given["currency"], given["to_currency"]))}


def _convert(state: State, given: Mapping[str, Any]) -> Json:
    amount = Fraction(given["amount"]) * rate(given["currency"], given["to_currency"])
    return {"amount": _cents(amount), "currency": given["to_currency"]}


def _balance(state: State, given: Mapping[str, Any]) -> Json:
    if given["currency"] not in state["balances"]:
        raise ToolFailure(f"the wallet holds no {given['currency']}")
    return {"amount": state["balances"][given["currency"]], "currency": given["currency"]}


def _deposit(state: State, given: Mapping[str, Any]) -> Json:
    return _changed(state, given["currency"], Fraction(given["amount"]))


def _pay(state: State, given: Mapping[str, Any]) -> Json:
    room_in(state["payments"], "payment")
    payment = {key: given[key] for key in ("recipient", "amount", "currency")}
    name = fresh(state["payments"], "T", payment)
    left = _changed(state, given["currency"], -Fraction(given["amount"]))
    state["payments"][name] = payment
    return {"payment_id": name, **left}


def _undo(state: State, given: Mapping[str, Any]) -> Json:
    payment = entry(state["payments"], given["payment_id"], "payment")
    left = _changed(state, payment["currency"], Fraction(str(payment["amount"])))
    del state["payments"][given["payment_id"]]
    return {"recipient": payment["recipient"], **left}


def _exchange(state: State, given: Mapping[str, Any]) -> Json:
    amount = Fraction(given["amount"])
    bought = Fraction(str(_cents(amount * rate(given["currency"], given["to_currency"]))))
    if given["currency"] == given["to_currency"]:
        raise ToolFailure("both currencies are the same")
    if _held(state, given["to_currency"]) + bought > LARGEST:
        raise ToolFailure("the wallet cannot hold that much")
    _changed(state, given["currency"], -amount)
    _changed(state, given["to_currency"], bought)
    return {"amount": _cents(bought), "currency": given["to_currency"]}


def _total(state: State, given: Mapping[str, Any]) -> Json:
    held = sum((_held(state, code) * rate(code, given["currency"]) for code in state["balances"]), Fraction(0))
    return {"total": _cents(held), "currency": given["currency"]}


def _held(state: State, code: str) -> Fraction:
    return Fraction(str(state["balances"].get(code, 0)))


def _changed(state: State, code: str, change: Fraction) -> dict[str, Json]:
    """The wallet with so much more, or less, of a currency."""
    held = _held(state, code) + change
    if held < 0:
        raise ToolFailure(f"the wallet holds only {state['balances'].get(code, 0)} {code}")
    if held > LARGEST:
        raise ToolFailure("the wallet cannot hold that much")
    state["balances"][code] = _cents(held)
    return {"balance": state["balances"][code]}


_AMOUNT = number("Amount of money", 0)
_CURRENCY = choice("Currency of the amount", CODES)
_TO = choice("Currency to get", CODES)

WALLET = world(
    "currency",
    make,
    Tool(
        "get_exchange_rate",
        "How many units of one currency a single unit of another buys.",
        takes(currency=choice("Currency to give", CODES), to_currency=_TO),
        _rate,
    ),
    Tool(
        "convert_currency",
        "What an amount is worth in another currency; no money moves.",
        takes(amount=_AMOUNT, currency=_CURRENCY, to_currency=_TO),
        _convert,
    ),
    Tool(
        "get_balance",
        "How much of one currency is in the wallet.",
        takes(currency=choice("Currency to look up", CODES)),
        _balance,
    ),
    Tool(
        "total_balance",
        "What the whole wallet is worth, all currencies together.",
        takes(currency=choice("Currency to express it in", CODES)),
        _total,
    ),
    Tool("deposit_money", "Put money into the wallet.", takes(amount=_AMOUNT, currency=_CURRENCY), _deposit),
    Tool(
        "pay_person",
        "Pay somebody out of the wallet.",
        takes(recipient=text("Full name of the person"), amount=_AMOUNT, currency=_CURRENCY),
        _pay,
    ),
    Tool(
        "take_back_payment",
        "Undo a payment; the money is in the wallet again.",
        takes(payment_id=text("Identifier of the payment, such as T1234", 20)),
        _undo,
    ),
    Tool(
        "exchange_money",
        "Trade money in the wallet for another currency.",
        takes(amount=_AMOUNT, currency=_CURRENCY, to_currency=_TO),
        _exchange,
    ),
)
