"""Errors of many servers, as they word them, and what each means."""
# ruff: noqa: E501  # messages stand as servers word them

from __future__ import annotations

import json

import pytest

from recall_core.llm.complaints import Trouble, read_error


def openai(message: str, **fields: object) -> str:
    return json.dumps({"error": {"message": message, "type": "invalid_request_error", **fields}})


@pytest.mark.parametrize(
    ("status", "body", "trouble"),
    [
        (400, openai("'response_format' of type 'json_schema' is not supported with this model", param="response_format"), Trouble.FORMAT),
        (400, '{"error":"\'response_format.type\' must be \'json_schema\' or \'text\'"}', Trouble.FORMAT),
        (400, '{"object":"error","message":"Grammar error: unsupported JSON schema","code":400}', Trouble.FORMAT),
        (422, '{"detail":[{"loc":["body","response_format","type"],"msg":"Input should be \'text\'"}]}', Trouble.FORMAT),
        (500, '{"error":{"code":500,"message":"failed to parse grammar","type":"server_error"}}', Trouble.FORMAT),
        (500, "invalid schema", Trouble.FORMAT),
        (500, "Internal Server Error", Trouble.WEATHER),
        (502, "<html>Bad gateway</html>", Trouble.WEATHER),
        (529, openai("Overloaded"), Trouble.WEATHER),
        (408, "", Trouble.WEATHER),
        (409, "", Trouble.WEATHER),
        (400, openai("This model's maximum context length is 8192 tokens.", code="context_length_exceeded"), Trouble.TOO_LONG),
        (400, '{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":5117,"n_ctx":4096}}', Trouble.TOO_LONG),
        (400, '[{"error":{"code":400,"message":"The input is too long","status":"INVALID_ARGUMENT"}}]', Trouble.TOO_LONG),
        (400, openai("The response was filtered due to Azure OpenAI's content management policy", code="content_filter"), Trouble.POLICY),
        (403, openai("Request blocked by content policy"), Trouble.POLICY),
        (400, openai("model 'x' not found", code="model_not_found"), Trouble.MISSING),
        (404, '{"error":{"message":"model \\"llama9\\" not found, try pulling it first"}}', Trouble.MISSING),
        (405, "Method Not Allowed", Trouble.MISSING),
        (307, "", Trouble.MISSING),
        (401, openai("Incorrect API key"), Trouble.ACCESS),
        (402, openai("Insufficient credits"), Trouble.QUOTA),
        (429, openai("You exceeded your current quota", code="insufficient_quota"), Trouble.QUOTA),
        (429, openai("Insufficient balance"), Trouble.QUOTA),
        (429, openai("Rate limit reached for gpt-4o in organization", code="rate_limit_exceeded"), Trouble.RATE),
        (429, openai("Rate limit reached for gpt-4o. You can increase your rate limit by adding a payment method at https://platform.openai.com/account/billing.", code="rate_limit_exceeded"), Trouble.RATE),
        (429, openai("You exceeded your current quota, please check your plan and billing details.", status="RESOURCE_EXHAUSTED"), Trouble.RATE),
        (400, openai("The prompt was filtered by the content policy; see the format of content_filter_result.", code="content_filter"), Trouble.POLICY),
        (400, openai("Invalid value for 'messages'", param="messages"), Trouble.OTHER),
        (418, "", Trouble.OTHER),
    ],
)  # fmt: skip
def test_an_error_is_understood_whoever_words_it(status: int, body: str, trouble: Trouble) -> None:
    assert read_error(status, body).trouble is trouble


@pytest.mark.parametrize(
    ("body", "parameter"),
    [
        (openai("Unsupported value", param="temperature", code="unsupported_value"), "temperature"),
        (openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", param="max_tokens"), "max_tokens"),
        (openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."), "max_tokens"),
        ('{"detail":[{"loc":["body","seed"],"msg":"Extra inputs are not permitted"}]}', "seed"),
        ('{"message":"[{\'type\': \'extra_forbidden\', \'loc\': (\'body\', \'max_completion_tokens\')}]"}', "max_completion_tokens"),
        ('{"error":"unknown field: reasoning_effort"}', "reasoning_effort"),
        (openai("Not in the format of this model.", param="seed", code="unsupported_parameter"), "seed"),
    ],
)  # fmt: skip
def test_the_parameter_that_an_error_names_is_found(body: str, parameter: str) -> None:
    complaint = read_error(400, body)

    assert (complaint.trouble, complaint.parameter) == (Trouble.PARAMETER, parameter)


def test_a_parameter_that_is_only_mentioned_is_not_blamed() -> None:
    assert (
        read_error(400, openai("Add a user message; seed and temperature are fine.")).parameter
        is None
    )


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).", (5000, 4096)),
        ("This model's maximum context length is 128000 tokens. However, your messages resulted in 200,123 tokens.", (200123, 128000)),
        ("This model's maximum context length is 2048 tokens. However, your request has 3000 input tokens.", (3000, 2048)),
        ("The prompt is too long.", None),
    ],
)  # fmt: skip
def test_a_length_is_read_with_both_its_numbers(
    message: str, numbers: tuple[int, int] | None
) -> None:
    assert read_error(400, openai(message, code="context_length_exceeded")).numbers == numbers


def test_llama_cpp_gives_its_numbers_beside_the_message() -> None:
    body = (
        '{"error":{"code":400,"message":"the request exceeds the available context size",'
        '"type":"exceed_context_size_error","n_prompt_tokens":5117,"n_ctx":4096}}'
    )

    assert read_error(400, body).numbers == (5117, 4096)


def test_a_message_is_one_line_and_there_even_without_an_envelope() -> None:
    assert read_error(500, "upstream\n  fell   over").message == "upstream fell over"
    assert read_error(500, '{"error": {}}').message == '{"error": {}}'
    assert read_error(500, "").message == ""
    assert read_error(500, "[]").message == "[]"
