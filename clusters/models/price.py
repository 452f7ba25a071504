"""Prices that AWS's price list gave, each with the day from which it holds."""

from __future__ import annotations

from django.db import models


class Price(models.Model):
    """US dollars for one instance of HyperPod on demand, an hour. effective_at: since when, by AWS; read_at: when we last read so."""

    region = models.CharField(max_length=32)
    instance_type = models.CharField(max_length=64)
    per_hour = models.FloatField()
    effective_at = models.DateTimeField()
    read_at = models.DateTimeField()

    class Meta:
        ordering = ["region", "instance_type", "-effective_at"]
        constraints = [models.UniqueConstraint(fields=["region", "instance_type", "effective_at"], name="one_price_of_a_day")]

    def __str__(self) -> str:
        return f"{self.instance_type} in {self.region}: ${self.per_hour:g}/h"
