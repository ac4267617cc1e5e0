"""What there is to call over HTTP, one file a noun."""
