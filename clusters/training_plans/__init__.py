"""Training plans: capacity that is paid in advance for certain days. What is offered, and what an offer's words mean."""
