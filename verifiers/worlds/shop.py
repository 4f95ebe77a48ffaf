"""A shop: products in stock, and orders of customers for them.

State: `{"stock": {sku: {"name", "price", "quantity"}}, "orders": {order_id: {"customer", "sku", "quantity", "total",
"status"}}}`; a status is `open`, `shipped` or `cancelled`. Prices are in one currency, to the cent.
Not promised: taxes, payments, orders of several products.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from data.records import Json
from verifiers.worlds.base import State, Tool, ToolFailure
from verifiers.worlds.parts import PEOPLE, entry, fresh, number, only, plain, room_in, takes, text, whole, world

PRODUCTS: Mapping[str, str] = {
    "DL-20": "desk lamp", "MG-11": "coffee mug", "BP-05": "backpack", "HD-31": "headphones", "NB-44": "notebook",
    "KT-12": "kettle", "CH-70": "office chair", "TS-63": "tea set", "UM-08": "umbrella", "CL-27": "wall clock",
    "BL-39": "wool blanket", "PN-16": "fountain pen", "WB-52": "water bottle", "KB-81": "keyboard",
}  # fmt: skip
MOST = 100_000


def make(random: Random) -> State:
    """Six to ten products and three to six orders."""
    skus = sorted(random.sample(list(PRODUCTS), random.randint(6, 10)))
    stock: dict[str, Any] = {
        sku: {
            "name": PRODUCTS[sku],
            "price": plain(random.randint(4, 90) + random.choice((0.0, 0.5, 0.95))),
            "quantity": random.randint(8, 60),
        }
        for sku in skus
    }
    orders: dict[str, Any] = {}
    for _ in range(random.randint(3, 6)):
        sku, quantity = random.choice(skus), random.randint(1, 6)
        order: dict[str, Any] = {
            "customer": random.choice(PEOPLE),
            "sku": sku,
            "quantity": quantity,
            "total": _total(stock[sku]["price"], quantity),
            "status": random.choice(("open", "open", "shipped")),
        }
        orders[fresh(orders, "O", order)] = order
    return {"stock": stock, "orders": orders}


def _total(price: float, quantity: int) -> int | float:
    return plain(round(price * quantity, 2))


def _find(state: State, given: Mapping[str, Any]) -> Json:
    sku = only(state["stock"], "name", given["product"], "products")
    return {"sku": sku, **state["stock"][sku]}


def _restock(state: State, given: Mapping[str, Any]) -> Json:
    product = entry(state["stock"], given["sku"], "product")
    if product["quantity"] + int(given["pieces"]) > MOST:
        raise ToolFailure(f"the shop has no room for {given['pieces']} more")
    product["quantity"] += int(given["pieces"])
    return {"in_stock": product["quantity"]}


def _reprice(state: State, given: Mapping[str, Any]) -> Json:
    product = entry(state["stock"], given["sku"], "product")
    old, product["price"] = product["price"], plain(round(given["price"], 2))
    return {"old_price": old}


def _order(state: State, given: Mapping[str, Any]) -> Json:
    product = entry(state["stock"], given["sku"], "product")
    quantity = int(given["quantity"])
    if quantity > product["quantity"]:
        raise ToolFailure(f"only {product['quantity']} of {given['sku']} are in stock")
    room_in(state["orders"], "order")
    order = {
        "customer": given["customer"],
        "sku": given["sku"],
        "quantity": quantity,
        "total": _total(product["price"], quantity),
        "status": "open",
    }
    name = fresh(state["orders"], "O", order)
    state["orders"][name] = order
    product["quantity"] -= quantity
    return {"order_id": name, "total": order["total"]}


def _get(state: State, given: Mapping[str, Any]) -> Json:
    return dict(entry(state["orders"], given["order_id"], "order"))


def _list(state: State, given: Mapping[str, Any]) -> Json:
    return {
        "orders": [
            {"order_id": name, **{key: order[key] for key in ("sku", "quantity", "total", "status")}}
            for name, order in sorted(state["orders"].items())
            if order["customer"] == given["customer"]
        ]
    }


def _open(state: State, name: str) -> dict[str, Any]:
    order: dict[str, Any] = entry(state["orders"], name, "order")
    if order["status"] != "open":
        raise ToolFailure(f"order {name} is {order['status']} already")
    return order


def _ship(state: State, given: Mapping[str, Any]) -> Json:
    order = _open(state, given["order_id"])
    order["status"] = "shipped"
    return {"customer": order["customer"]}


def _cancel(state: State, given: Mapping[str, Any]) -> Json:
    order = _open(state, given["order_id"])
    product = entry(state["stock"], order["sku"], "product")
    order["status"] = "cancelled"
    product["quantity"] += order["quantity"]
    return {"sku": order["sku"], "in_stock": product["quantity"]}


_SKU = text("Article number of the product, such as AB-12", 20)
_ORDER = text("Identifier of the order, such as O1234", 20)

SHOP = world(
    "shop",
    make,
    Tool(
        "find_product",
        "Find a product by its name; gives its article number, price and the quantity in stock.",
        takes(product=text("Name of the product")),
        _find,
    ),
    Tool(
        "restock_product",
        "Add delivered pieces to the stock of a product.",
        takes(sku=_SKU, pieces=whole("How many pieces were delivered", 1, 10_000)),
        _restock,
    ),
    Tool(
        "set_price",
        "Change the price of a product.",
        takes(sku=_SKU, price=number("New price of one piece", 0, 100_000)),
        _reprice,
    ),
    Tool(
        "place_order",
        "Order pieces of one product for a customer; gives the number of the order and the total.",
        takes(
            customer=text("Full name of the customer"), sku=_SKU, quantity=whole("How many pieces to order", 1, 10_000)
        ),
        _order,
    ),
    Tool("get_order", "Show product, quantity, total and status of an order.", takes(order_id=_ORDER), _get),
    Tool("list_orders", "List the orders of a customer.", takes(customer=text("Full name of the customer")), _list),
    Tool("ship_order", "Mark an open order as shipped.", takes(order_id=_ORDER), _ship),
    Tool("cancel_order", "Cancel an open order; its pieces go back into the stock.", takes(order_id=_ORDER), _cancel),
)
