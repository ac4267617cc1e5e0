"""The files of neighbouring tools: examples and scores in their shapes, written and read.

Datasets of theirs need no reader here: the importer (`recall_core.ingest`) knows their columns.
`docs/formats.md` says what becomes of what, and what a shape has no place for.
"""
