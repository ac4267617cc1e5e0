"""One file a change of the schema; a released one is never edited."""
