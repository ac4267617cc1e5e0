"""The schema's history, run by `db.migrate` when a database is opened."""
