"""Whether the members of a package belong together: what one of them names is in the others."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator

from recall_core.sealing.container import sha256
from recall_core.sealing.package import Package
from recall_core.sealing.records import SealedExample

Tie = tuple[str, str]
"""Where, and what is wrong there."""


def ties(package: Package, *, texts: bool) -> Iterator[Tie]:
    """Every place where the members do not fit each other, or the hashes the texts."""
    yield from _prompts(package)
    yield from _examples(package, texts)
    yield from _judgements(package)
    yield from _decisions(package)
    yield from _reviews(package)
    yield from _draws(package)


def _prompts(package: Package) -> Iterator[Tie]:
    for prompt in package.prompts:
        where = f"prompts.jsonl, {prompt.setting}"
        if package.run.settings.get(prompt.setting) != prompt.text:
            yield where, "it is not the text that the settings in run.json have."
        if sha256(prompt.text.encode()) != prompt.sha256:
            yield where, "its SHA-256 is not that of its text."


def _examples(package: Package, texts: bool) -> Iterator[Tie]:
    examples, dataset = package.examples, package.run.dataset
    yield from _repeated("examples.jsonl, number", (e.number for e in examples))
    positions = [e.position for e in examples]
    if positions != list(range(1, len(examples) + 1)):
        yield "examples.jsonl", "the positions are not 1, 2, 3 and so on."
    if len(examples) != dataset.examples:
        yield "examples.jsonl", f"{len(examples)} examples; run.json says {dataset.examples}."
    for example in examples:
        yield from _content(example, texts)
    if texts and all(e.content is not None for e in examples):
        whole = "".join(f"{e.content}\n" for e in examples).encode("utf-8", "surrogatepass")
        if sha256(whole) != dataset.content_hash:
            yield "examples.jsonl", "the dataset's hash in run.json is not that of the examples."


def _content(example: SealedExample, texts: bool) -> Iterator[Tie]:
    where = f"examples.jsonl, example {example.id}"
    if (example.content is not None) != texts:
        yield where, "the text is there where only hashes were sealed, or the other way round."
    if example.content is None:
        return
    if sha256(example.content.encode()) != example.sha256:
        yield where, "its SHA-256 is not that of its content."
    try:
        content = json.loads(example.content)
    except (ValueError, RecursionError):
        yield where, "its content is no JSON."
        return
    if not isinstance(content, dict) or content.get("id") != example.id:
        yield where, "its content is of another example."


def _judgements(package: Package) -> Iterator[Tie]:
    places = {e.number: e.position for e in package.examples}
    judgements = package.judgements
    yield from _repeated("judgements.jsonl, judgement", (j.judgement for j in judgements))
    repeats = Counter((j.example, j.repeat) for j in judgements)
    for judgement in judgements:
        where = f"judgements.jsonl, judgement {judgement.judgement}"
        if places.get(judgement.example) != judgement.position:
            yield where, "its example is not in examples.jsonl, or elsewhere in it."
        if repeats[judgement.example, judgement.repeat] > 1:
            yield where, "the same example is judged twice under one number of repeat."
        if len({v.unit for v in judgement.verdicts}) != len(judgement.verdicts):
            yield where, "a unit has two verdicts."
    # What was judged elsewhere, or stopped halfway, need not have them all.
    if (package.run.kind, package.run.state) == ("judged", "done"):
        for example in package.examples:
            if not repeats[example.number, 1]:
                yield f"judgements.jsonl, example {example.id}", "its judgement is not there."


def _decisions(package: Package) -> Iterator[Tie]:
    units = {(j.judgement, v.number): v.unit for j in package.judgements for v in j.verdicts}
    reviews = {(r.id, r.judgement) for r in package.reviews}
    for decision in package.ledger:
        where = f"ledger.jsonl, decision {decision.id}"
        if decision.run != package.run.id:
            yield where, "it is of another run."
        if units.get((decision.judgement, decision.unit)) != decision.on:
            yield where, f"there is no verdict about its unit {decision.on} in judgements.jsonl."
        if (decision.review, decision.judgement) not in reviews:
            yield where, "its review is not in reviews.jsonl."


def _reviews(package: Package) -> Iterator[Tie]:
    judgements = {j.judgement for j in package.judgements}
    draws = {d.id for d in package.audit}
    yield from _repeated("reviews.jsonl, review", (r.id for r in package.reviews))
    for review in package.reviews:
        where = f"reviews.jsonl, review {review.id}"
        if review.judgement not in judgements:
            yield where, "its judgement is not in judgements.jsonl."
        if review.draw is not None and review.draw not in draws:
            yield where, "its draw is not in audit.jsonl."


def _draws(package: Package) -> Iterator[Tie]:
    judged = {j.example for j in package.judgements}
    yield from _repeated("audit.jsonl, example", (d.example for d in package.audit))
    for place, draw in enumerate(package.audit, 1):
        where = f"audit.jsonl, draw {draw.position}"
        if draw.position != place:
            yield where, f"it stands where draw {place} ought to."
        if draw.seed != package.run.audit_seed:
            yield where, "it was not drawn by the seed that run.json has."
        if draw.example not in judged:
            yield where, "its example is not in judgements.jsonl."


def _repeated(what: str, numbers: Iterable[int]) -> Iterator[Tie]:
    for number, count in Counter(numbers).items():
        if count > 1:
            yield f"{what} {number}", "it is there twice."
