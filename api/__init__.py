"""What programs use: HTTP routes and the command line (`python -m api`)."""
