"""Known errors, one file a noun. A row is data; `clusters/tests/diagnosis` shows each one in the sandbox."""
