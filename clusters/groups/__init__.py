"""Instance groups after a cluster exists: what a group is asked for with, what is sent for it, and what is looked at before.

The actions are in clusters.actions.group, their steps in clusters.steps.groups. Each sends only the group in question.
"""
