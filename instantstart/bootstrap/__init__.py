"""What a bare machine needs before anything of ours can run. Standard library only: it runs before the virtualenv exists."""
