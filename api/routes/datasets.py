"""Datasets: bring one in, look at what there is, read its examples."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel
from starlette.responses import Response

from api.routes.dataset_shapes import (
    Change,
    Datasets,
    DatasetShape,
    Delete,
    ExampleShape,
    ExamplesParams,
    ExamplesShape,
    ListParams,
    RemarkShape,
    TakesShape,
    UploadParams,
    UploadShape,
)
from api.routes.parameters import DatasetId
from api.web.answers import Answer, FieldProblem, Problem
from api.web.operations import DELETED, MEGABYTE, Call, Gives, Noun, Operation, Takes
from db.datasets import (
    DatasetCard,
    archive_dataset,
    delete_dataset,
    find_by_hash,
    get_dataset,
    list_datasets,
    read_examples,
    rename_dataset,
    save_dataset,
    unarchive_dataset,
)
from db.tokens import Scope
from recall_core.ingest import (
    SPLITS,
    ColumnMapping,
    Preview,
    References,
    Role,
    RowNotice,
    RowProblem,
    Table,
    parse_examples,
    preview,
    read_file,
    suggest_mapping,
)
from recall_core.types import Example

UPLOAD_LIMIT = 200 * MEGABYTE
"""As in the dashboard; a larger file: python -m api import."""
SHOWN_REMARKS = 100
MEDIA = ("application/json", "application/x-ndjson", "text/csv", "application/octet-stream")
UPLOAD = (
    "The body is the file itself: JSON, JSON lines, CSV, Excel or Parquet; what it is is told from "
    "its content. All rows are saved, or none: bad rows refuse the file unless `skip_bad`."
)

REFERENCES = {"join": References.JOIN, "essential": References.EACH_ESSENTIAL}


def operations() -> list[Operation[Any, Any]]:
    """What can be done with datasets."""
    noun, every, one = Noun("Datasets"), "/api/v1/datasets", "/api/v1/datasets/{dataset_id}"
    saved = Gives(UploadShape, 201, description="Saved; 200 with dry_run.", also=(200,))
    file = Takes(media=MEDIA, limit=UPLOAD_LIMIT)
    bring, rename = "Bring a file in as a dataset", "Rename a dataset, or put it away"
    page = "Read the examples of a dataset, page by page"
    evaluate, admin = Scope.EVALUATE, Scope.ADMIN
    return [
        noun.read(every, "List the datasets", ListParams, Datasets, list_all_datasets),
        noun.act("POST", every, bring, UploadParams, file, saved, upload, evaluate, told=UPLOAD),
        noun.read(one, "Read about one dataset", DatasetId, DatasetShape, read_dataset),
        noun.act("PATCH", one, rename, DatasetId, Change, DatasetShape, change_dataset, evaluate),
        noun.act("DELETE", one, "Delete a dataset", Delete, None, DELETED, delete, admin),
        noun.read(f"{one}/examples", page, ExamplesParams, ExamplesShape, read_dataset_examples),
    ]


def list_all_datasets(call: Call[ListParams, bytes]) -> BaseModel:
    cards = list_datasets(call.engine, archived=call.params.archived)
    return Datasets([DatasetShape.model_validate(card) for card in cards])


def read_dataset(call: Call[DatasetId, bytes]) -> BaseModel:
    return _shape(call, call.params.dataset_id)


def change_dataset(call: Call[DatasetId, Change]) -> BaseModel:
    dataset_id, wanted = call.params.dataset_id, call.body
    get_dataset(call.engine, dataset_id)
    if wanted.name is not None:
        rename_dataset(call.engine, dataset_id, wanted.name)
    if wanted.archived is True:
        archive_dataset(call.engine, dataset_id, now=call.now)
    if wanted.archived is False:
        unarchive_dataset(call.engine, dataset_id)
    return _shape(call, dataset_id)


def delete(call: Call[Delete, bytes]) -> Response:
    delete_dataset(
        call.engine,
        call.params.dataset_id,
        author=call.caller.name,
        now=call.now,
        with_runs=call.params.with_runs,
    )
    return Response(status_code=204)


def read_dataset_examples(call: Call[ExamplesParams, bytes]) -> BaseModel:
    asked = call.params
    card = get_dataset(call.engine, asked.dataset_id)
    examples = read_examples(call.engine, asked.dataset_id, offset=asked.offset, limit=asked.limit)
    return ExamplesShape(
        total=card.examples, offset=asked.offset, examples=[example_shape(e) for e in examples]
    )


def example_shape(example: Example) -> ExampleShape:
    """The example as JSON has it."""
    return ExampleShape.model_validate(example)


async def upload(call: Call[UploadParams, bytes]) -> Answer:
    """A file that is brought in, where it holds up no short request."""
    return await call.desk.files.run(_upload, call)


def _upload(call: Call[UploadParams, bytes]) -> Answer:
    """Read the file twice, once to count and once to save, from disk, so that memory stays flat."""
    asked = call.params
    with tempfile.NamedTemporaryFile(prefix="recall-upload-") as file:
        file.write(call.body)
        file.flush()
        table = read_file(Path(file.name), asked.filename)
        mapping = _mapping(table, asked)
        counted = preview(table, mapping, shown_rows=0)
        if counted.errors and not (asked.skip_bad or asked.dry_run):
            raise _bad_rows(counted)
        before = find_by_hash(call.engine, counted.content_hash)
        saved = None if asked.dry_run else _save(call, table, mapping, counted)
    shape = UploadShape(
        dataset=None if saved is None else _shape(call, saved),
        description=table.description,
        columns={role.value: column for role, column in mapping.columns.items()},
        metadata=list(mapping.metadata_columns(table.columns)),
        good=counted.good,
        warnings=counted.warnings,
        errors=counted.errors,
        content_hash=counted.content_hash,
        same_as=None if before is None else before.id,
        problems=_remarks(counted.problems),
        notices=_remarks(counted.notices),
        judges=[TakesShape.model_validate(judge) for judge in counted.judges],
    )
    return Answer(shape, status=200 if asked.dry_run else 201)


def _remarks(remarks: Sequence[RowProblem | RowNotice]) -> list[RemarkShape]:
    return [RemarkShape.model_validate(remark) for remark in remarks[:SHOWN_REMARKS]]


def _save(
    call: Call[UploadParams, bytes], table: Table, mapping: ColumnMapping, counted: Preview
) -> int:
    def examples() -> Iterator[Example]:
        for row in parse_examples(table, mapping):
            if row.example is not None:
                yield row.example

    return save_dataset(
        call.engine,
        call.params.name,
        examples(),
        content_hash=counted.content_hash,
        source=table.filename,
        author=call.caller.name,
        now=call.now,
    )


def _bad_rows(counted: Preview) -> Problem:
    fields = [
        FieldProblem(
            f"row {problem.row}" + (f", {problem.field}" if problem.field else ""), problem.reason
        )
        for problem in counted.problems[:SHOWN_REMARKS]
    ]
    first = counted.problems[0]
    return Problem(
        422,
        f"Nothing was saved: {counted.errors} of {counted.all} rows are bad. {first} Put them "
        "right, or save the others with skip_bad=true.",
        fields,
    )


def _mapping(table: Table, asked: UploadParams) -> ColumnMapping:
    mapping = suggest_mapping(table.columns, table.sample())
    for assignment in asked.map:
        mapping = _assigned(mapping, table, assignment)
    return replace(
        mapping,
        split_at=_chosen(SPLITS, asked.split_at),
        references=_chosen(REFERENCES, asked.references),
        whole_text_essential=asked.whole_text_essential,
    )


T = TypeVar("T")


def _chosen(values: Mapping[str, T], name: str | None) -> T | None:
    return None if name is None else values[name]


def _assigned(mapping: ColumnMapping, table: Table, assignment: str) -> ColumnMapping:
    role, _, column = assignment.partition("=")
    if role not in set(Role) or column not in table.columns:
        known = ", ".join(table.columns)
        reason = f"It takes ROLE=COLUMN. Roles: {', '.join(Role)}. Columns: {known}."
        raise Problem(422, f"map: {reason}", [FieldProblem("map", reason)])
    if Role(role) is Role.METADATA:
        return mapping.as_metadata(column)
    return mapping.with_column(Role(role), column)


def _shape(call: Call[Any, Any], dataset_id: int) -> DatasetShape:
    card: DatasetCard = get_dataset(call.engine, dataset_id)
    return DatasetShape.model_validate(card)
