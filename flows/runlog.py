"""loguru into the Prefect run's log.

In: whatever is logged, ours and Prefect's. Out: the same without what looks like a credential.
One sink, configured once for each process: inside a flow or task run a line goes to that run's log, elsewhere to
Prefect's own logger. Log by chunk, not by row: every line is a row in Prefect's database.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from loguru import logger
from prefect.exceptions import MissingContextError
from prefect.logging import get_logger, get_run_logger

from flows.redact import redact

if TYPE_CHECKING:
    from loguru import Message

_configured = False


def configure() -> None:
    """Route loguru to Prefect. Calling it again changes nothing."""
    global _configured
    if _configured:
        return
    logger.remove()
    # enqueue would format the line in another thread, where the run is unknown.
    logger.add(_sink, level="INFO", format="{message}", enqueue=False, catch=False)
    for name in ("sparring", "prefect.flow_runs", "prefect.task_runs"):
        get_logger(name).addFilter(without_credentials)
    _configured = True


def without_credentials(record: logging.LogRecord) -> bool:
    """Redact a record in place, its traceback too; every record passes."""
    record.msg, record.args = redact(record.getMessage()), ()
    if record.exc_info and not record.exc_text:
        record.exc_text = redact(logging.Formatter().formatException(record.exc_info))
    return True


def _sink(message: Message) -> None:
    record = message.record
    target: logging.Logger | logging.LoggerAdapter[logging.Logger]
    try:
        target = get_run_logger()
    except MissingContextError:
        target = get_logger("sparring")
    level = min(record["level"].no, logging.CRITICAL)
    fault = record["exception"]
    # As an argument, so that a percent sign in model output is no format.
    target.log(level, "%s", record["message"], exc_info=fault.value if fault else None)
