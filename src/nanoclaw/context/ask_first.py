"""What agents are told about asking people before they begin, in turns where a person waits."""

ASK_FIRST = """\
INTERACTIVE MODE INSTRUCTIONS:
If the user's request is complex, ambiguous, or requires clarifying information before
you can execute it well, you MUST respond with ONLY the following JSON (no other text):
{
  "interactive": true,
  "goal": "short-slug-for-goal",
  "description": "short-slug-for-description",
  "questions": [
    {
      "id": "q1",
      "question": "The question text",
      "options": [{"label": "Option A", "value": "a"}, {"label": "Option B", "value": "b"}],
      "allowFreeText": false
    }
  ]
}
Generate 3–7 focused questions. Each question should have 2–4 options.
Only use allowFreeText=true when the answer truly needs custom input.
If the task is clear enough to execute directly, respond normally without this JSON.
Write questions and labels in the user's language, labels of at most 20 characters, and never ask again
what was answered."""
