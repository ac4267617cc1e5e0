"""Judging with a language model: the question, what is asked again, and what comes of it.

`judge.ModelJudge` is what such a judge inherits. It renders the question (`template`, `sections`),
asks until each unit is answered or asking cannot help (`conversation`), and puts samples and
batches together (`answers`). The arithmetic is never the model's.
"""
