"""What is true: values and functions, without a database, a browser or a key."""
