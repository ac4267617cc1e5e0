"""Judgeval's own sample, against the desk: JUDGMENT_API_URL, JUDGMENT_API_KEY, JUDGMENT_ORG_ID."""

from judgeval import JudgmentClient
from judgeval.data import Example
from judgeval.scorers import ContextualRecallScorer

client = JudgmentClient()
example = Example(
    input="What's your return policy for a pair of socks?",
    # Replace this with your LLM system's output
    actual_output="We offer a 30-day return policy for all items, including socks!",
    # Replace this with the ideal output from your RAG generator model
    expected_output="All customers are eligible for a 30-day return policy, no questions asked.",
    # Replace this with the contexts retrieved by your RAG retriever
    retrieval_context=[
        "Return policy, all items: 30-day limit for full refund, no questions asked."
    ],
)
# supply your own threshold
scorer = ContextualRecallScorer(threshold=0.8)

results = client.run_evaluation(
    examples=[example],
    scorers=[scorer],
    model="gpt-4o",
)
print(results)
