"""What people tell each other about an example, and who hears of it."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from db.assignments import assign
from db.comments import Notice, comment, comments_of, mark_read, notices, unread
from db.errors import Unkeepable
from db.flags import flag
from db.runs import RunOptions
from tests.db.making import NOW
from tests.db.reviewing import E1, Desk, desk, told


def say(run: Desk, example: str, text: str, *, by: str, number: int = 0) -> None:
    write = run.write(by)
    comment(
        run.engine,
        run.judgements[example],
        text,
        author=by,
        now=NOW,
        client_id=write["client_id"],
        client_seq=number or write["client_seq"],
    )


def heard(run: Desk, example: str, viewer: str) -> list[tuple[str, str]]:
    found = comments_of(run.engine, run.judgements[example], viewer)
    return [(c.author, c.text) for c in found]


def test_a_comment_notifies_everybody_who_works_on_the_example_but_its_author(
    engine: Engine,
) -> None:
    run = desk(engine, told("a", [3]), told("b", [3]))
    run.set("a", E1, 4, by="reviewed")
    run.set("b", E1, 4, by="elsewhere")
    assign(engine, [run.judgements["a"]], ["assigned"], by="Ana", now=NOW)
    flag(engine, run.judgements["a"], by="flagged", now=NOW)
    say(run, "a", "Is E1 still valid?", by="commented")
    say(run, "a", "It is.", by="reviewed")

    names = ("reviewed", "assigned", "flagged", "commented", "elsewhere")
    assert [unread(engine, name) for name in names] == [1, 2, 2, 1, 0]
    assert heard(run, "a", "Mara") == [("commented", "Is E1 still valid?"), ("reviewed", "It is.")]
    (notice,) = notices(engine, "commented")
    assert notice == Notice(
        2, run.judgements["a"], run.run_id, "first", "a", "reviewed", NOW, read=False
    )


def test_what_is_read_is_no_longer_counted(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), told("b", [3]))
    for name in ("a", "b"):
        run.set(name, E1, 4, by="Ben")
        say(run, name, "Look.", by="Mara")

    mark_read(engine, "Ben", now=NOW, judgement_id=run.judgements["a"])
    assert unread(engine, "Ben") == 1
    assert [n.read for n in notices(engine, "Ben")] == [False, True]

    mark_read(engine, "Ben", now=NOW)
    assert unread(engine, "Ben") == 0


def test_a_comment_that_is_sent_twice_is_kept_once(engine: Engine) -> None:
    run = desk(engine, told("a", [3]))
    run.set("a", E1, 4, by="Ben")

    say(run, "a", "Look.", by="Mara", number=9)
    say(run, "a", "Look.", by="Mara", number=9)

    assert heard(run, "a", "Ben") == [("Mara", "Look.")]
    assert unread(engine, "Ben") == 1


def test_a_comment_without_words_is_refused(engine: Engine) -> None:
    run = desk(engine, told("a", [3]))

    with pytest.raises(Unkeepable, match="some words"):
        say(run, "a", "  ", by="Mara")


def test_comments_of_others_wait_until_a_blind_reviewer_has_committed(engine: Engine) -> None:
    run = desk(engine, told("a", [3]), options=RunOptions(blind=True))
    run.set("a", E1, 4, by="Ben")
    say(run, "a", "The judge's 3 is right.", by="Mara")
    say(run, "a", "Unsure.", by="Ben")

    assert heard(run, "a", "Ben") == [("Ben", "Unsure.")]
    run.commit("a", by="Ben")
    assert len(heard(run, "a", "Ben")) == 2
