#!/usr/bin/env python
"""Entry point of every command: `manage.py up`, `sandbox`, `dispatcher`, `qcluster`, `doctor` …"""

import os
import sys


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "instantstart.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
