"""One endpoint over the wire, against a real server on loopback."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from recall_core.llm.openai_chat import OpenAIChat
from recall_core.llm.types import ChatReply, ChatRequest, Message, OutputLevel
from recall_core.llm.wire import Manners, WireFailed
from recall_core.types import FailureKind
from tests.core.llm.asking import KEY, SCHEMA, endpoint, request
from tests.llm_server import (
    BROKEN,
    DROP,
    HANG,
    Answer,
    LlmServer,
    Received,
    error,
    only_levels,
    reply,
    too_fast,
    without_parameter,
)

FINE = reply('{"score": 4}')


@pytest.fixture
def server() -> Iterator[LlmServer]:
    with LlmServer(FINE) as running:
        yield running


def ask(
    server: LlmServer, *requests: ChatRequest, manners: Manners | None = None, **changes: Any
) -> list[Any]:
    """The replies or failures of the requests, one after the other, over one client."""

    async def all_of_them() -> list[Any]:
        ends: list[Any] = []
        async with OpenAIChat(endpoint(server.url, **changes), manners=manners) as chat:
            for asked in requests:
                try:
                    ends.append(await chat.ask(asked))
                except WireFailed as failed:
                    ends.append(failed)
        return ends

    return asyncio.run(all_of_them())


def levels(server: LlmServer) -> list[str]:
    return [received.level for received in server.received]


def test_a_request_carries_what_was_set_and_nothing_else(server: LlmServer) -> None:
    asked = request(temperature=0.2, seed=7, max_output_tokens=8192)

    (answer,) = ask(server, asked)

    (received,) = server.received
    shape = {"name": "verdicts", "schema": SCHEMA, "strict": True}
    sent = {
        "model": "m",
        "temperature": 0.2,
        "seed": 7,
        "max_tokens": 8192,
        "response_format": {"type": "json_schema", "json_schema": shape},
    }
    assert received.path == "/v1/chat/completions"
    assert received.body == {
        **sent,
        "messages": [{"role": "user", "content": "How much of it is there?"}],
    }
    assert answer.parameters == sent


def test_a_reply_brings_text_model_tokens_level_and_time(server: LlmServer) -> None:
    (answer,) = ask(server, request())

    assert isinstance(answer, ChatReply)
    assert (answer.text, answer.model) == ('{"score": 4}', "model-of-the-server")
    assert (answer.tokens_in, answer.tokens_out, answer.finish_reason) == (100, 20, "stop")
    assert answer.level is OutputLevel.JSON_SCHEMA
    assert 0 < answer.seconds < 5


@pytest.mark.parametrize("status", [400, 500, 422])
def test_a_refused_output_level_steps_down_at_once_and_is_remembered(status: int) -> None:
    with LlmServer(only_levels("json_object", status=status, then=FINE)) as server:
        first, second = ask(server, request(), request())

    assert first.level is second.level is OutputLevel.JSON_OBJECT
    assert levels(server) == ["json_schema", "json_object", "json_object"]


def test_below_json_mode_the_prompt_alone_asks_for_the_shape() -> None:
    with LlmServer(only_levels("plain", then=FINE)) as server:
        (answer,) = ask(server, request())

    assert answer.level is OutputLevel.PLAIN
    assert levels(server) == ["json_schema", "json_object", "plain"]
    assert "response_format" not in server.received[-1].body
    assert json.dumps(SCHEMA, separators=(",", ":")) in server.received[-1].prompt
    assert answer.parameters["added_to_last_message"] in server.received[-1].prompt


def test_json_mode_says_the_word_json_in_the_prompt_as_servers_demand() -> None:
    def wants_the_word(received: Received) -> Answer:
        if received.level == "json_schema":
            return error(400, "Invalid parameter: 'response_format' of type 'json_schema'")
        if "json" not in received.prompt.lower():
            return error(400, "'messages' must contain the word 'json' in some form")
        return FINE

    with LlmServer(wants_the_word) as server:
        (answer,) = ask(server, request("Wie viel davon ist da?"))

    assert answer.level is OutputLevel.JSON_OBJECT


def test_a_lower_level_is_remembered_only_once_it_was_answered(server: LlmServer) -> None:
    refusal = error(400, "response_format is not supported")
    server.enqueue(refusal, BROKEN, FINE)

    failed, answer = ask(server, request(), request())

    assert isinstance(failed, WireFailed)
    assert answer.level is OutputLevel.JSON_SCHEMA
    assert levels(server) == ["json_schema", "json_object", "json_schema"]


def test_what_one_model_refuses_is_not_held_against_another() -> None:
    def respond(received: Received) -> Answer:
        if received.body["model"] == "old" and received.level != "plain":
            return error(400, "json_schema is not supported")
        return FINE

    with LlmServer(respond) as server:
        _, answer = ask(server, request(model="old"), request(model="new"))

    assert answer.level is OutputLevel.JSON_SCHEMA


def test_a_model_asked_lower_for_once_is_asked_as_before_afterwards(server: LlmServer) -> None:
    plain = request(level=OutputLevel.PLAIN)

    ask(server, request(), plain, request())

    assert levels(server) == ["json_schema", "plain", "json_schema"]


def test_a_model_that_never_answered_higher_is_asked_lower_from_then_on(server: LlmServer) -> None:
    ask(server, request(level=OutputLevel.JSON_OBJECT), request())

    assert levels(server) == ["json_object", "json_object"]


@pytest.mark.parametrize(
    ("parameter", "message"),
    [
        ("temperature", "'temperature' does not support 0. Only the default (1) is supported."),
        ("seed", "Unrecognized request argument supplied: seed"),
        ("reasoning_effort", "Unsupported parameter: 'reasoning_effort' is not supported."),
    ],
)
def test_a_refused_parameter_is_dropped_once_and_remembered(parameter: str, message: str) -> None:
    asked = request(temperature=0.0, seed=3, reasoning_effort="low")

    with LlmServer(without_parameter(parameter, then=FINE, message=message)) as server:
        first, second = ask(server, asked, asked)

    assert parameter not in first.parameters
    assert parameter not in second.parameters
    assert len(server.received) == 3
    others = {"temperature", "seed", "reasoning_effort"} - {parameter}
    assert others <= server.received[-1].body.keys()


@pytest.mark.parametrize(
    ("refused", "taken"),
    [("max_tokens", "max_completion_tokens"), ("max_completion_tokens", "max_tokens")],
)
def test_the_limit_goes_under_the_name_that_the_server_knows(refused: str, taken: str) -> None:
    asked = request(max_output_tokens=8192)
    message = f"Unsupported parameter: '{refused}' is not supported. Use '{taken}' instead."

    with LlmServer(without_parameter(refused, then=FINE, message=message)) as server:
        first, second = ask(server, asked, asked)

    assert first.parameters[taken] == second.parameters[taken] == 8192
    assert refused not in first.parameters


def test_a_limit_that_is_refused_under_both_names_is_told_and_never_dropped() -> None:
    both = without_parameter(
        "max_tokens", then=without_parameter("max_completion_tokens", then=FINE)
    )

    with LlmServer(both) as server:
        (failed,) = ask(server, request(max_output_tokens=99_999))

    assert isinstance(failed, WireFailed)
    assert not failed.again
    assert len(server.received) == 2


def test_a_server_that_goes_on_refusing_what_is_no_longer_sent_is_not_asked_for_ever() -> None:
    stubborn = error(400, "Unsupported parameter: 'temperature'", param="temperature")

    with LlmServer(stubborn) as server:
        (failed,) = ask(server, request(temperature=0.0))

    assert not failed.again
    assert len(server.received) == 2


def test_several_repairs_in_a_row_lead_to_an_answer() -> None:
    grumpy = only_levels(
        "plain",
        status=500,
        then=without_parameter("temperature", then=without_parameter("max_tokens", then=FINE)),
    )
    asked = request(temperature=0.0, max_output_tokens=50)

    with LlmServer(grumpy) as server:
        first, second = ask(server, asked, asked)

    assert first.level is OutputLevel.PLAIN
    assert first.parameters["max_completion_tokens"] == 50
    assert len(server.received) == 6
    assert second.parameters == first.parameters


def test_manners_may_be_shared_by_the_chats_of_a_process() -> None:
    manners = Manners()

    with LlmServer(only_levels("plain", then=FINE)) as server:
        ask(server, request(), manners=manners)
        ask(server, request(), manners=manners)

    assert levels(server)[-2:] == ["plain", "plain"]


@pytest.mark.parametrize(
    ("answer", "kind", "again"),
    [
        (BROKEN, FailureKind.CONNECTION, True),
        (error(503, "overloaded"), FailureKind.CONNECTION, True),
        (error(504, "upstream timed out"), FailureKind.TIMEOUT, True),
        (too_fast(3), FailureKind.RATE_LIMIT, True),
        (DROP, FailureKind.CONNECTION, True),
        (HANG, FailureKind.TIMEOUT, True),
        (Answer("<html>hello</html>"), FailureKind.CONNECTION, True),
        (Answer('{"choices": nul'), FailureKind.CONNECTION, True),
        (Answer('{"error": {"code": 429, "message": "slow down"}}'), FailureKind.RATE_LIMIT, True),
        (Answer('{"error": {"code": 400, "message": "no"}}'), FailureKind.INTERNAL, False),
        (error(401, "bad key"), FailureKind.CONNECTION, False),
        (error(403, "not for you"), FailureKind.CONNECTION, False),
        (error(404, "The model `m` does not exist"), FailureKind.CONNECTION, False),
        (error(429, "No quota", code="insufficient_quota"), FailureKind.RATE_LIMIT, False),
        (error(400, "blocked", code="content_filter"), FailureKind.CONTENT_FILTER, False),
        (error(400, "messages: field required"), FailureKind.INTERNAL, False),
        (error(413, "payload too large"), FailureKind.CONTEXT_TOO_LONG, False),
    ],
    ids=lambda value: getattr(value, "value", None) or getattr(value, "body", value) or "none",
)  # fmt: skip
def test_every_trouble_has_its_kind_and_only_weather_is_worth_another_try(
    server: LlmServer, answer: Answer, kind: FailureKind, again: bool
) -> None:
    server.enqueue(answer)

    (failed,) = ask(server, request(timeout_seconds=0.4))

    assert isinstance(failed, WireFailed)
    assert (failed.kind, failed.again) == (kind, again)
    assert "lab" in failed.message
    assert len(server.received) == 1


def test_a_server_that_is_not_there_is_told_and_costs_nothing() -> None:
    with LlmServer() as gone:
        url = gone.url

    async def scene() -> WireFailed:
        async with OpenAIChat(endpoint(url)) as chat:
            with pytest.raises(WireFailed) as failed:
                await chat.ask(request())
        return failed.value

    failed = asyncio.run(scene())

    assert failed.kind is FailureKind.CONNECTION
    assert failed.again
    assert not failed.charged
    assert "cannot be reached" in failed.message


def test_calls_that_may_have_been_answered_may_have_been_charged(server: LlmServer) -> None:
    server.enqueue(HANG, DROP, too_fast(1), BROKEN)

    failures = ask(server, *[request(timeout_seconds=0.4)] * 4)

    assert [failed.charged for failed in failures] == [True, True, False, False]


def test_an_answer_that_drips_in_is_given_up_when_the_time_is_over(server: LlmServer) -> None:
    server.enqueue(Answer(FINE.body, drips=True))

    (failed,) = ask(server, request(timeout_seconds=0.5))

    assert failed.kind is FailureKind.TIMEOUT
    assert "0.5 seconds" in failed.message


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250"}, 0.25),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30,
        ),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({}, None),
    ],
)
def test_the_wait_that_is_asked_for_is_read(
    server: LlmServer, headers: dict[str, str], seconds: float | None
) -> None:
    server.enqueue(error(429, "slow down", headers=headers))

    (failed,) = ask(server, request())

    assert failed.retry_after == seconds
    assert failed.throttled


def test_a_server_that_wants_hours_ends_the_run_instead_of_hiding_it(server: LlmServer) -> None:
    server.enqueue(too_fast(7200))

    (failed,) = ask(server, request())

    assert not failed.again
    assert failed.hopeless
    assert "7200 seconds" in failed.message


def test_a_question_too_long_is_told_with_both_numbers(server: LlmServer) -> None:
    said = (
        "This model's maximum context length is 4096 tokens. However, you requested 5200 tokens "
        "(4200 in the messages, 1000 in the completion)."
    )
    server.enqueue(error(400, said, code="context_length_exceeded"))

    (failed,) = ask(server, request())

    assert failed.kind is FailureKind.CONTEXT_TOO_LONG
    assert "5200" in failed.message
    assert "4096" in failed.message


def test_a_wrong_key_names_the_variable_and_stops_the_run(server: LlmServer) -> None:
    server.enqueue(error(401, f"Incorrect API key provided: {KEY}."))

    (failed,) = ask(server, request())

    assert failed.hopeless
    assert "LAB_KEY" in failed.message
    assert KEY not in failed.message + (failed.raw or "")


def test_a_model_that_has_answered_is_not_given_up_for_one_forbidden_example(
    server: LlmServer,
) -> None:
    server.enqueue(FINE, error(403, "blocked by the firewall"))

    _, failed = ask(server, request(), request())

    assert not failed.hopeless


def test_an_unanswered_5xx_of_an_unknown_model_is_strange_and_later_ones_are_not(
    server: LlmServer,
) -> None:
    server.enqueue(BROKEN, error(503, "busy"), FINE, BROKEN)

    unknown, busy, _, known = ask(server, *[request()] * 4)

    assert (unknown.strange, busy.strange, known.strange) == (True, False, False)


def test_the_key_follows_no_redirect(server: LlmServer) -> None:
    with LlmServer(FINE) as elsewhere:
        location = f"{elsewhere.url}/chat/completions"
        server.enqueue(Answer(status=307, headers={"location": location}))

        (failed,) = ask(server, request())

    assert elsewhere.received == []
    assert not failed.again
    assert "base_url" in failed.message


def test_a_local_server_without_a_key_gets_none_not_even_that_of_the_environment(
    server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-environment")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-the-environment")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-the-environment")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer sk-of-the-environment")

    ask(server, request(), key=None, key_variable=None)

    headers = server.received[0].headers
    assert "authorization" not in headers
    assert "of-the-environment" not in json.dumps(dict(headers))


def test_an_older_azure_gets_its_key_in_its_own_header_and_its_version_in_the_query(
    server: LlmServer,
) -> None:
    ask(server, request(), key_header="api-key", query={"api-version": "2024-10-21"})

    (received,) = server.received
    assert received.headers["api-key"] == KEY
    assert "authorization" not in received.headers
    assert received.path == "/v1/chat/completions?api-version=2024-10-21"


def test_the_key_stands_in_no_representation_log_or_traceback(
    server: LlmServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.enqueue(error(400, f"Authorization: Bearer {KEY} is odd"), BROKEN)
    lab = endpoint(server.url)

    first, second = ask(server, request(), request())

    traces = [
        "".join(traceback.TracebackException.from_exception(e, capture_locals=True).format())
        for e in (first, second)
    ]
    seen = " ".join([repr(lab), str(lab.key), repr(vars(first)), str(first), *traces])
    assert KEY not in seen
    assert KEY not in caplog.text


def test_a_reply_may_hold_its_reasoning_beside_or_instead_of_the_answer(server: LlmServer) -> None:
    server.enqueue(
        reply(None, reasoning_content='{"score": 4}'),
        reply('{"score": 4}', reasoning="because"),
        reply(
            [
                {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                {"type": "text", "text": "{}"},
            ]
        ),
        reply(None, refusal="I can't assist with that."),
    )

    only, beside, parts, refused = ask(server, *[request()] * 4)

    assert (only.text, only.reasoning_text) == ("", '{"score": 4}')
    assert (beside.text, beside.reasoning_text) == ('{"score": 4}', "because")
    assert (parts.text, parts.reasoning_text) == ("{}", "hm")
    assert (refused.text, refused.refusal) == ("", "I can't assist with that.")


@pytest.mark.parametrize(
    "body",
    [
        '{"choices": []}',
        '{"choices": [{}]}',
        '{"choices": [{"message": null}]}',
        '{"choices": [{"message": {"content": null}}], "usage": null, "model": null}',
    ],
)
def test_a_completion_without_anything_in_it_is_an_empty_reply(
    server: LlmServer, body: str
) -> None:
    server.enqueue(Answer(body))

    (answer,) = ask(server, request())

    assert (answer.text, answer.tokens_in, answer.model) == ("", None, "m")


def test_half_a_surrogate_pair_in_a_passage_does_not_stop_the_call(server: LlmServer) -> None:
    (answer,) = ask(server, request("broken \ud83d emoji"))

    assert isinstance(answer, ChatReply)
    assert server.received[0].prompt == "broken ? emoji"


def test_a_conversation_is_sent_in_order_with_its_roles(server: LlmServer) -> None:
    messages = (
        Message("system", "s"),
        Message("user", "u"),
        Message("assistant", "a"),
        Message("user", "v"),
    )

    ask(server, request(messages=messages))

    sent = [(m["role"], m["content"]) for m in server.received[0].body["messages"]]
    assert sent == [(m.role, m.content) for m in messages]


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts file descriptors in /proc")
def test_a_thousand_calls_inside_a_running_loop_leave_no_descriptor_and_no_task_behind(
    server: LlmServer,
) -> None:
    async def calls(count: int) -> int:
        async with OpenAIChat(endpoint(server.url)) as chat:
            for _ in range(count // 50):
                await asyncio.gather(*(chat.ask(request()) for _ in range(50)))
        await asyncio.sleep(0.05)
        return len(asyncio.all_tasks())

    asyncio.run(calls(50))
    gc.collect()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208  # a Path for each would be no better

    left = asyncio.run(calls(1000))
    gc.collect()

    assert left == 1
    assert len(os.listdir("/proc/self/fd")) <= before + 2  # noqa: PTH208


def test_a_secret_key_is_a_secret_of_pydantic_and_never_serialised() -> None:
    assert isinstance(endpoint().key, SecretStr)
    assert KEY not in repr(endpoint())
