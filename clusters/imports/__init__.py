"""Clusters that were made elsewhere: searched for, told apart, and described in our own words when they are imported."""
