"""Further AWS accounts: which there are, how they trust us, and whether they still do."""
