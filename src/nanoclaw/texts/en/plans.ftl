# Plans: questions with buttons before an agent begins.
command-plan = questions first, then the work
plan-usage = Usage: /plan <task description>
plan-head = 📋 **Planning: { $task }**
plan-progress = Q{ $number } of { $count } { $bar }
plan-thinking = ⏳ Thinking of questions...
plan-checking = ⏳ Checking for follow-up questions...
plan-type = ✍️ Type your own
plan-type-now = ✍️ Write your answer as a message (in a group: as a reply to this card).
plan-button-back = ← Back
plan-button-cancel = ✖ Cancel
plan-button-confirm = ✅ Confirm & Start
plan-button-edit = ✏️ Edit Answers
plan-said = ✅ { $answer }
plan-below = It goes on below.
plan-use-buttons = Please use the buttons to answer ☝️
plan-use-numbers = Please type one of the numbers above ☝️
plan-stop-open = Nothing is running here, but your plan “{ $task }” is open. *Cancel* on its card gives it up; /plan shows the card again.
plan-ready = ✅ **Plan Ready**
plan-task = **Task:** { $task }
plan-saved = 📁 Saved to: `{ $path }`
plan-not-saved = ⚠️ The plan could not be saved as a file. The agent gets all answers all the same.
plan-edit-head = ✏️ **Which answer do you want to change?**
plan-edit-press = Choose a question.
plan-starting = 🚀 Starting...
plan-cancelled = ❌ Planning cancelled.
plan-no-questions = No questions this time: the agent begins right away.
plan-waits = ⏳ { $reason } The questions come as soon as that changes.
plan-rests = 💤 Nobody answered for a day, so this plan rests. Press a button or send /plan, and it goes on.
plan-which =
    You are already planning: **{ $old }**
    The new one would be: **{ $new }**

    Which one do you want to keep?
plan-keep-old = ↩️ The old one
plan-take-new = 🆕 The new one
plan-kept = You go on with the old one.
plan-replaced = ❌ Given up for another plan.

error-plan-first-question = This is the first question: there is nothing before it.
error-plan-of-other = This plan belongs to { $name }. Send /plan with your own task to begin one.
error-plan-answered = This question was answered before. Nothing was changed.
error-plan-over = This card no longer counts: the plan is over, or goes on below. Nothing was changed.
error-plan-moved-on = The card has changed meanwhile. Look again, then press.
error-plan-no-agent = No agent listens to you in this chat yet. Write something to it first, then plan.
error-plan-task-long = A task for a plan may have { $most } characters, and yours has { $count }. Put the details into a file.
error-plan-answer-long = An answer may have { $most } characters, and yours has { $count }. Please say it shorter.

# What the agent gets, as if the person had written it.
plan-prompt =
    We planned this together: you asked, I answered. Please begin now, and do not ask again what is answered here.

    Task: { $task }
plan-prompt-answers = My answers:
plan-prompt-answer =
    Q: { $question }
    A: { $answer }
plan-prompt-file = The plan is in the file { $path }.

# The file of the plan.
plan-file-title = Plan: { $task }
plan-file-created = **Created:** { $time }
plan-file-session = **Session:** { $id }
plan-file-task = Task
plan-file-requirements = Requirements (Q&A)
plan-file-question = Q: { $question }
plan-file-answer = A: { $answer }
plan-file-context = Context for Implementation
plan-file-gathered = The following answers were gathered from the user to clarify requirements:
plan-file-next = Next Steps
plan-file-waiting = The plan waits for a person's confirmation.
plan-file-given-up = The plan was given up. Nothing was started.
plan-file-started = The agent was started with this full context to implement the task.

why-plan-asked = Round { $round }: { $count ->
    [0] the model has no more questions
    [one] the model asks { $count } question
   *[other] the model asks { $count } questions
} ({ $seconds } s).
why-plan-waited = The model could not be asked: { $error }
why-plan-answered = Question { $number } was answered: { $answer }
why-plan-rested = Nobody answered for a day: the plan rests.
why-plan-taken-up = The plan was taken up again.
why-plan-confirmed = The person confirmed the plan with { $count ->
    [one] { $count } answer.
   *[other] { $count } answers.
}
why-plan-ended = { $how ->
    [plan-cancelled] The person gave the plan up.
    [plan-replaced] The plan was given up for another one.
    [plan-kept] The person stayed with the plan from before.
   *[other] The plan is over.
}
why-plan-started = { $how ->
    [plan-no-questions] The model had no usable questions, so the agent got the task as it is.
   *[other] The agent got the task with all answers.
}
reason-plan-use-buttons = the open question of the plan takes only its buttons
reason-plan-answer-long = the answer to the question of the plan is too long
reason-plan-answered = the question of the plan was answered before the voice message could be heard
reason-plan-over = the plan was over before the voice message could be heard
