"""LangWatch's own sample, against the desk: LANGWATCH_ENDPOINT and LANGWATCH_API_KEY say where."""

import langwatch

df = langwatch.dataset.get_dataset("dataset-id").to_pandas()

evaluation = langwatch.evaluation.init("my-incredible-evaluation")

for index, row in evaluation.loop(df.iterrows()):
    # The sample leaves this name to the reader; the row has it.
    expected_contexts = row["expected_contexts"]
    evaluation.run(
        "ragas/context_recall",
        index=index,
        data={
            "contexts": row["contexts"],
            "expected_contexts": expected_contexts,
        },
        settings={},
    )
