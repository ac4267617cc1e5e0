"""Asking a language model: one way to ask, layers around it, and what it costs.

A call goes from the outside in: `StoredChat` (kept replies), `PatientChat` (tries again, keeps the
pace), `BudgetedChat` (counts the money), `OpenAIChat` (the wire). Each is a `Chat` around a `Chat`;
`client.open_chat` puts them together.
"""
