"""One row, from a file to the results. Read this first: it passes through every part once.

Each step calls what the pages and the command line call; nothing here is made for the test.
"""

from __future__ import annotations

import csv
from datetime import datetime
from fractions import Fraction
from threading import Event

from sqlalchemy import Engine

from db.datasets import save_dataset
from db.exporting import ExportFormat, export_run
from db.owners import new_owner
from db.results import list_judgements, run_summary
from db.reviews import decide, read_judgement
from db.runs import RunOptions, claim_run, create_run
from db.working import Pace, judge_claimed
from recall_core.ingest import content_hash, parse_examples, read_file, suggest_mapping
from recall_core.judges import make_judge
from recall_core.types import Action, Cause, UnitKind, UnitRef

FILE = """\
{"question": "Can I return a lamp?",\
 "essential": ["A lamp can be returned within 30 days.", "The money is paid back in a week."],\
 "bonus": ["Bulbs are sold separately."],\
 "contexts": ["A lamp can be returned within 30 days. Refunds reach you seven days later."]}
"""


def test_one_row_from_a_file_to_the_results(engine: Engine, now: datetime) -> None:
    # A file becomes examples; rows with problems would name the field and what is wrong with it.
    table = read_file(FILE.encode(), "lamps.jsonl")
    mapping = suggest_mapping(table.columns, table.sample())
    examples = [row.example for row in parse_examples(table, mapping) if row.example]

    # A dataset never changes, and a run is one judge with its settings frozen over one dataset.
    mara = {"author": "Mara", "now": now}
    fingerprint = content_hash(examples)
    dataset_id = save_dataset(
        engine, "lamps", examples, content_hash=fingerprint, source="lamps.jsonl", **mara
    )
    judge = make_judge("passage_recall_lexical")
    run_id = create_run(
        engine, dataset_id=dataset_id, judge=judge, name="first", options=RunOptions(), **mara
    )

    # The worker claims the run, judges its examples and records what the judge said.
    claim = claim_run(engine, new_owner(), now)
    judge_claimed(engine, claim, stop=Event(), clock=lambda: now, make=make_judge, pace=Pace())

    # The screen finds the first passage word for word; a paraphrase is what it cannot see.
    [line] = list_judgements(engine, run_id).rows
    judged = read_judgement(engine, line.id)
    assert [verdict.score for verdict in judged.verdicts] == [5, 1, 0]
    assert judged.trace.final == 3

    # So a person corrects it, and the final follows, with every number that made it.
    second = UnitRef(UnitKind.ESSENTIAL, 2)
    why = {"cause": Cause.JUDGE_WRONG, "note": "seven days are a week"}
    sent = {"client_id": "this browser", "client_seq": 1, "reviewer": "Mara", "now": now}
    decided = decide(engine, line.id, second, Action.SET, score=Fraction(4), seen=0, **why, **sent)
    assert [str(formula) for formula in decided.judgement.trace.lines] == [
        "RECALL_Essential_Formula: (5 + 4) / 2 = 4.5",
        "RECALL_Bonus_Formula: (0) / (2 * 1 * 2) = 0",
        "RECALL_Combined_Formula: 4.5 + 0 = 4.5",
        "RECALL_Final_Score_Calculation: min(5, 4.5) = 4.5",
        "RECALL_Final_Score: 4.5",
    ]

    # The run knows both means, and how many of how many examples they cover.
    summary = run_summary(engine, run_id)
    assert (str(summary.judge_mean), str(summary.mean)) == ("3 (1 of 1)", "4.5 (1 of 1)")

    # The file to take away has the judge's value, the one that counts, who set it and why.
    exported = export_run(engine, run_id, ExportFormat.CSV, now=now)
    rows = list(csv.DictReader(exported.content.decode("utf-8-sig").splitlines()))
    assert [(row["judge_score"], row["score_now"]) for row in rows] == [
        ("5", "5"),
        ("1", "4"),
        ("0", "0"),
    ]
    assert (rows[1]["reviewer"], rows[1]["note"]) == ("Mara", "seven days are a week")
