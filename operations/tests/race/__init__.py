"""Two dispatchers and four workers, each a process of its own, over django-q2's own broker."""
