"""The screens; `frame.py` holds them together."""
