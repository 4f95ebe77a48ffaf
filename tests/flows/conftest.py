"""Fixtures of the flow tests."""

from tests.flows.flows_support import server as server
