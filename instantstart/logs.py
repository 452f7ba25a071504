"""Structured logs: one JSON object a line, with request, operation and cluster ids from the context."""

from __future__ import annotations

from typing import Any

import structlog


def logging_config(*, json_lines: bool, level: str) -> dict[str, Any]:
    """A logging.config dictionary that sends structlog's and the standard library's records through one formatter."""
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Any = structlog.processors.JSONRenderer() if json_lines else structlog.dev.ConsoleRenderer(colors=False)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "structured": {
                "()": structlog.stdlib.ProcessorFormatter,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.format_exc_info,
                    renderer,
                ],
                "foreign_pre_chain": shared,
            },
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "structured"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            "botocore": {"level": "WARNING"},
            "urllib3": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            "mcp": {"level": "WARNING"},
            "uvicorn.access": {"level": "WARNING"},
        },
    }
