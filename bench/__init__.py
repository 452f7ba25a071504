"""Benchmarks: `python -m bench [name…] [--json FILE]`. What each one measures, and how: docs/benchmarks.md."""
