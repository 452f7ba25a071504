"""What an agent's client needs to know of this installation: its configuration, written by `manage.py agent-config`."""
