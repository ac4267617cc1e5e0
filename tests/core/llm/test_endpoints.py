"""Endpoints: who may be asked, with which key, and what their models cost."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from recall_core.errors import InvalidSetting
from recall_core.llm.address import is_near
from recall_core.llm.client import chosen
from recall_core.llm.endpoints import load_endpoints
from tests.core.llm.asking import KEY


def written(folder: Path, text: str, name: str = "endpoints.toml") -> Path:
    file = folder / name
    file.write_text(text, "utf-8")
    return file


def test_a_fresh_machine_has_one_endpoint_that_says_what_it_lacks() -> None:
    (default,) = load_endpoints({}).values()

    assert (default.name, default.base_url) == ("default", "https://api.openai.com/v1")
    assert default.problem == "Endpoint default: OPENAI_API_KEY is not set."


def test_the_variables_of_the_openai_package_make_the_first_endpoint() -> None:
    environ = {"OPENAI_API_KEY": f" {KEY}\n", "OPENAI_BASE_URL": "https://eu.example.org/v1/"}

    default = load_endpoints(environ)["default"]

    assert default.base_url == "https://eu.example.org/v1"
    assert default.key is not None
    assert default.key.get_secret_value() == KEY
    assert default.problem is None


def test_a_local_server_needs_no_key() -> None:
    default = load_endpoints({"OPENAI_BASE_URL": "http://localhost:11434/v1"})["default"]

    assert default.key is None
    assert default.problem is None


def test_a_file_adds_endpoints_whose_keys_stand_in_variables(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        [endpoints.lab]
        base_url = "http://gpu-box:8000/v1"
        key_env = "LAB_KEY"
        window = 32768
        models = ["qwen3-32b", "gemma3"]

        [endpoints.azure]
        base_url = "https://me.openai.azure.com/openai/v1"
        key_env = "AZURE_KEY"
        key_header = "api-key"
        query = { api-version = "preview" }
        """,
    )

    made = load_endpoints({"LAB_KEY": KEY}, file=file)

    lab, azure = made["lab"], made["azure"]
    assert list(made) == ["default", "lab", "azure"]
    assert (lab.model_names, lab.model("gemma3").window) == (("qwen3-32b", "gemma3"), 32768)
    assert lab.model("gemma3").price is None
    assert azure.problem == "Endpoint azure: AZURE_KEY is not set."
    assert (azure.key_header, azure.query) == ("api-key", {"api-version": "preview"})


def test_prices_and_windows_are_the_operators_to_set(tmp_path: Path) -> None:
    file = written(
        tmp_path,
        """
        [endpoints.default.models."gpt-4o"]
        input = 1.1
        output = 2
        [endpoints.free]
        base_url = "http://127.0.0.1:8080/v1"
        models."*" = { input = 0, output = 0, window = 8192 }
        """,
    )

    made = load_endpoints({"OPENAI_API_KEY": KEY}, file=file)

    price = made["default"].model("gpt-4o").price
    assert price is not None
    assert (price.input, price.output) == (Decimal("1.1"), Decimal(2))
    free = made["free"].model("whatever")
    assert (free.name, free.window) == ("whatever", 8192)
    assert free.price is not None
    assert free.price.cost(10**6, 10**6) == 0
    assert made["free"].model_names == ()


def test_openais_own_prices_are_shipped_for_its_own_address_only(tmp_path: Path) -> None:
    openai = load_endpoints({"OPENAI_API_KEY": KEY})["default"]
    other = load_endpoints({"OPENAI_BASE_URL": "http://localhost:1/v1"})["default"]

    price = openai.model("gpt-4o-mini-2024-07-18").price
    assert price is not None
    assert price.cost(1_000_000, 1_000_000) == Decimal("0.75")
    assert openai.model("gpt-99").price is None
    assert other.model("gpt-4o-mini").price is None


def test_streamlits_secrets_may_hold_keys_and_the_environment_wins(tmp_path: Path) -> None:
    secrets = written(
        tmp_path,
        f"""
        OPENAI_API_KEY = "sk-of-the-secrets"
        LAB_KEY = "sk-lab-secret"
        [endpoints.mine]
        base_url = "https://mine.example.org/v1"
        key = "{KEY}"
        [somebody.elses]
        table = 1
        """,
        "secrets.toml",
    )
    file = written(tmp_path, '[endpoints.lab]\nbase_url="https://lab.org/v1"\nkey_env="LAB_KEY"')

    made = load_endpoints({"OPENAI_API_KEY": "sk-environment"}, file=file, secrets=secrets)

    keys = {name: e.key.get_secret_value() for name, e in made.items() if e.key}
    assert keys == {"default": "sk-environment", "lab": "sk-lab-secret", "mine": KEY}
    assert KEY not in repr(made)


def test_another_file_can_be_named_by_a_variable(tmp_path: Path) -> None:
    project = written(tmp_path, '[endpoints.a]\nbase_url = "http://localhost:1"')
    other = written(tmp_path, '[endpoints.b]\nbase_url = "http://localhost:2"', "other.toml")

    made = load_endpoints({"RECALL_ENDPOINTS": str(other)}, file=project)

    assert list(made) == ["default", "b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[endpoints.a]\nkey = "sk-1234567"\nbase_url = "https://a.org"', "holds a key"),
        ('[endpoints.a]\nurl = "https://a.org"', "a has url"),
        ("[endpoints.a]\nwindow = 5", "needs a base_url"),
        ('[endpoints.a]\nbase_url = "a.org/v1"', "must be an address"),
        ('[endpoints.a]\nbase_url = "file:///etc/passwd"', "must be an address"),
        ('[endpoints.a]\nbase_url = "https://me:pw@a.org"', "user name or password"),
        ('[endpoints.a]\nbase_url = "https://a.org/?x=1"', "query"),
        ('[endpoints.a]\nbase_url = "https://a.org:port/"', "not an address"),
        ('[endpoints.a]\nbase_url = "https://a.org/v 1"', "not an address"),
        ('[endpoints."A b"]\nbase_url = "https://a.org"', "no name for an endpoint"),
        ('[endpoints.a]\nbase_url = "https://a.org"\nmodels = 3', "list of names or a table"),
        ('[endpoints.a]\nbase_url = "https://a.org"\nwindow = "8k"', "whole number"),
        ('[endpoints.a]\nbase_url = "https://a.org"\nmodels.m = 3', "table with window"),
        ('[endpoints.a]\nbase_url = "https://a.org"\nmodels.m = {input = 1}', "both input"),
        ('[endpoints.a]\nbase_url = "https://a.org"\nmodels.m = {input = -1, output=1}', "from 0"),
        ('[endpoints.a]\nbase_url = "https://a.org"\nmodels.m = {price = 1}', "m' has price"),
        ('[endpoints.a]\nbase_url = "https://a.org"\nquery = {v = 3}', "table of texts"),
        ('[endpoints.a]\nbase_url = 3', "must be a text"),
        ("endpoints = 3", "must be tables"),
        ("[endpoints", "is not TOML"),
    ],
)  # fmt: skip
def test_a_mistake_in_the_file_is_told_with_its_place(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidSetting, match=said):
        load_endpoints({}, file=written(tmp_path, text))


def test_a_named_file_that_is_not_there_is_told() -> None:
    with pytest.raises(InvalidSetting, match="no such file"):
        load_endpoints({"RECALL_ENDPOINTS": "/nowhere/endpoints.toml"})


def test_a_key_never_goes_unencrypted_to_a_public_host() -> None:
    environ = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": "http://api.example.org/v1"}

    with pytest.raises(InvalidSetting, match="use https") as refused:
        load_endpoints(environ)

    assert KEY not in str(refused.value)


@pytest.mark.parametrize("key", ["sk-two words", "sk-zwölf", "sk-\nbroken"])
def test_a_key_that_cannot_be_a_header_is_told_without_showing_it(key: str) -> None:
    with pytest.raises(InvalidSetting, match="OPENAI_API_KEY") as refused:
        load_endpoints({"OPENAI_API_KEY": key})

    assert key not in str(refused.value)


@pytest.mark.parametrize(
    ("host", "near"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("192.168.3.4", True),
        ("gpu-box", True),
        ("llm.lan", True),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("localhost.evil.com", False),
    ],
)
def test_which_hosts_are_near(host: str, near: bool) -> None:
    assert is_near(host) is near


def test_an_address_may_be_pasted_with_the_path_of_a_call() -> None:
    address = "http://localhost:8080/v1/chat/completions"

    assert load_endpoints({"OPENAI_BASE_URL": address})["default"].base_url == (
        "http://localhost:8080/v1"
    )


def test_a_run_whose_endpoint_has_gone_is_told_which_there_are() -> None:
    gone = chosen(load_endpoints({}), "lab")

    assert gone.problem == "There is no endpoint named lab on this machine (there are: default)."


def test_the_example_file_loads(root: Path) -> None:
    made = load_endpoints({}, file=root / "examples" / "endpoints.toml")

    assert {"ollama", "azure", "vllm"} <= set(made)
