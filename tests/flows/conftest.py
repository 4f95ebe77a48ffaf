"""Fixtures of the flow tests."""

from tests.flows.flows_support import server as server
from tests.flows.served_support import served as served
