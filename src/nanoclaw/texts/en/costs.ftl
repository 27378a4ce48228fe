# What model calls cost: `nanoclaw costs`, `/costs`, and the words of the page "Costs".

help-costs = What model calls have cost: by company, model, day and more.
help-costs-by = By what to add up.
help-costs-since = Since when: a date such as 2026-11-01, 7d, week, month, today, all.
help-costs-company = Only this company.
help-costs-limit = At most so many lines; the others are added up in one. Days are all shown.
help-costs-csv = For a spreadsheet, with exact amounts.

error-costs-since = I do not know since when: "{ $said }". Write a date such as 2026-11-01, a number of days such as 7d, or week, month, today, all.
error-costs-by = Costs cannot be added up by "{ $said }". Choose one of these: { $known }.
error-costs-one-format = Choose --csv or --json, not both.
error-costs-not-for-you = Only owners can see costs by { $by }. You can have them by model, flow, skill and day.

costs-head = Today { $today }, this month { $month }.
costs-forecast = By the end of the month about { $expected } ({ $low } to { $high }), if the other days are like { $days ->
        [one] the last day with spending
       *[other] the last { $days } days with spending
    }.
costs-no-forecast = A forecast needs at least one earlier day with spending.
costs-none = No model call has cost anything in this time.
costs-total = Total
costs-others = { $count ->
    [one] 1 other
   *[other] { $count } others
}
costs-on-the-way = { $count ->
    [one] Included is 1 call that is still under way, with the most it can cost: { $money }.
   *[other] Included are { $count } calls that are still under way, with the most they can cost: { $money }.
}
costs-rounded = Amounts are rounded here; the total is the sum of the exact ones.

costs-column-calls = Calls
costs-column-input = Tokens in
costs-column-cached = From cache
costs-column-output = Tokens out
costs-column-saved = Saved
costs-column-cost = Cost

costs-by-company = Company
costs-by-model = Model
costs-by-flow = Kind of work
costs-by-skill = Skill
costs-by-person = Person
costs-by-group = Group
costs-by-chat = Chat
costs-by-task = Task
costs-by-run = Pipeline run or chain
costs-by-day = Day

costs-flow-a = Conversation
costs-flow-b = Session transfer
costs-flow-c = Handoff between agents
costs-flow-d = Pipeline
costs-flow-e = Questions to people
costs-flow-f = Tasks
costs-flow-g = Memory
costs-flow-h = Company context
costs-flow-i = Batches
costs-flow-j = Checks by the host

costs-none-company = Unknown
costs-none-model = Unknown
costs-none-flow = Unknown
costs-none-skill = No skill
costs-none-person = Unknown
costs-none-group = Unknown
costs-none-chat = Unknown
costs-none-task = No task
costs-none-run = No pipeline run
costs-none-day = Unknown

command-costs = what agents have cost
costs-chat-head = 💰 **{ $company }**: today { $today }, this month { $month }.
costs-chat-since-today = Today { $money } in { $calls ->
        [one] 1 call
       *[other] { $calls } calls
    }.
costs-chat-since-week = In the last 7 days { $money } in { $calls ->
        [one] 1 call
       *[other] { $calls } calls
    }.
costs-chat-since-month = This month { $money } in { $calls ->
        [one] 1 call
       *[other] { $calls } calls
    }.
costs-chat-since-all = Since the beginning { $money } in { $calls ->
        [one] 1 call
       *[other] { $calls } calls
    }.
costs-chat-since-date = Since { $since } { $money } in { $calls ->
        [one] 1 call
       *[other] { $calls } calls
    }.
costs-chat-by = **{ $by }**
costs-chat-line = - { $name }: { $money } ({ $share })
costs-chat-line-plain = - { $name }: { $money }
costs-chat-others = - { $count ->
        [one] 1 other
       *[other] { $count } others
    }: { $money }
costs-chat-saved = Saved by the cache { $cache }, by batches { $batch }.
costs-chat-turns = **Most expensive answers**
costs-chat-turn = - { $at }, { $what }: { $money }
costs-chat-no-company = This chat has no agent whose costs you may see.
costs-chat-foot = More: `/costs week`, `/costs by skill`.
costs-all-companies = All companies

member-limit-asked = 💰 { $name } asks, and an admin decides: a member may start work for { $start } at a time and { $day } a day. Estimate: { $asked ->
    [unknown] unknown
   *[other] at most { $asked }
  }. Spent or started by { $name } today: { $today }. { $most ->
    [unknown] {""}
   *[other] With your yes it may cost up to { $most }.
  }
member-limit-waits = ⏳ { $asked ->
    [unknown] Nobody knows yet what this will cost
   *[other] This may cost { $asked }
  }; you may start work for { $start } at a time and { $day } a day, and today { $today } is spent or started. I have asked an admin. You need not do anything: it starts when they agree.
member-limit-admin-asked = ⏳ This costs more than you may start yourself. I have asked an admin.
member-limit-run-asked = Task { $id }, “{ $title }”, of { $name } is due. May it run?
member-limit-resubmit-asked = May { $count } texts of the batch “{ $subject }” be written again?
error-member-limit = This is beyond what a member may start: { $start } a start, { $day } a day, and { $today } is spent or started today. An admin of the group can start it.
error-member-limit-inside = Nothing is left of what { $name } may start today ({ $day } a day), so an admin must agree first, and a sub-agent cannot wait for that. Hand the work over with type "callback": an admin is asked, and you are woken with the result.
error-member-limit-declined = It needs the yes of an admin, because it is beyond what a member may start in a day, and nobody gave it.
error-batch-asked-again = It is asked already whether texts of batch { $id } may be written again. An admin decides.
