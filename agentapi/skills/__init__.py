"""The agent's playbooks: `skills/<name>/SKILL.md`, read, checked, served and exported.

skill.py reads one, expression.py is the little language of its steps, linting.py holds it against the tools' snapshot, versions.py sees to
it that a changed text has a higher version.
"""
