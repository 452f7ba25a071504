"""Orphans: resources with our tags that belong to no cluster we know, and clusters whose resources are gone."""
