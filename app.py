"""Starts the dashboard, the HTTP routes and the worker, in one command.

`streamlit run app.py`, `python app.py` and `uvicorn app:app` all do the same.
"""

from __future__ import annotations

import os
from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from api.headers import SafetyHeaders
from api.http import routes
from api.lifecycle import Lifecycle

lifecycle = Lifecycle()

app = st.App(
    Path(__file__).resolve().parent / "pages" / "frame.py",
    lifespan=lifecycle.lifespan,
    routes=routes(lifecycle),
    middleware=[Middleware(SafetyHeaders)],
)

if __name__ == "__main__":
    port = os.environ.get("STREAMLIT_SERVER_PORT")
    app.run(config={"server.port": int(port)} if port else None)
