"""`manage.py up`: the whole product on one machine, and a first cluster made through its API."""
