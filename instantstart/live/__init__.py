"""Status events on WebSockets: each web process tails the table of events once and passes them on to its viewers."""
