# Budgets: what a company may spend, how much of it is used, and what follows.

command-budget = what may be spent, and how much is used
command-budget-override = more money for today and this month
help-budget = What companies may spend.
help-budget-show = Show the limits of a company, and what is used of them.
help-budget-set = Set a limit: day or month, and an amount in dollars.
help-budget-override = Add money for today and this month.
help-budget-company = The company; without it, that of the main group.
help-budget-period = day or month
help-budget-amount = Dollars, for example 5 or 20.50; off: no limit.

budget-head = **Budget of { $company }**
budget-used = { $period ->
    [day] Today
   *[month] This month
 }: { $spent } of { $limit } ({ $percent }%)
budget-used-unlimited = { $period ->
    [day] Today
   *[month] This month
 }: { $spent }, no limit
budget-added = Added by an owner today: { $amount }
budget-overdraft = People's own messages may go over the limit by { $amount }.
budget-waiting = { $count ->
    [one] One piece of work waits for money.
   *[other] { $count } pieces of work wait for money.
 }
budget-level-none = No limit is set, so nothing stops the spending.
budget-level-normal = Everything runs on the models that were chosen. From { $percent }% on, smaller ones take over.
budget-level-stepped-down = More than { $percent }% is used: sonnet works in place of opus, and haiku in place of sonnet.
budget-level-smallest = More than { $critical }% is used: everything runs on haiku.
budget-level-spent = The budget is used up. Only what people write themselves is answered, by haiku. Tasks, pipelines and batches wait and go on by themselves when there is money again.
budget-level-over = The budget is used up, also for people's own messages. Nothing is answered, and all work waits until a new day or month begins or an owner adds money.
budget-how = Owners change it: `/budget day 5`, `/budget month 50`, `/budget_override +20`.
budget-set = The { $period ->
    [day] daily
   *[month] monthly
 } limit of { $company } is { $amount ->
    [none] off now
   *[other] now { $amount }
 }.
budget-overridden = { $amount } more for { $of ->
    [group] the group { $company }
    [person] { $company }
    [task] task { $company }
   *[company] { $company }
 }, today and this month. What waited for money goes on.

budget-alert = ⚠️ { $percent }% of the { $period ->
    [day] daily
   *[month] monthly
 } budget of { $company } is used ({ $spent }/{ $limit }). Sonnet now works in place of opus, and haiku in place of sonnet. More money for now: `/budget_override +20`.
budget-alert-critical = 🚨 Critical: { $percent }% of the { $period ->
    [day] daily
   *[month] monthly
 } budget of { $company } is used ({ $spent }/{ $limit }). From now on everything runs on haiku. More money for now: `/budget_override +20`.
budget-alert-spent = 🚨 The { $period ->
    [day] daily
   *[month] monthly
 } budget of { $company } is used up ({ $spent }/{ $limit }). { $overdraft ->
    [yes] Only what people write themselves is answered, by haiku.
   *[no] Nothing is answered.
 } Tasks, pipelines and batches wait and go on by themselves when there is money. More money for now: `/budget_override +20`.
alert-budget-broken = ⚠️ The budget of { $company } cannot be read: { $reason } { $keeps ->
    [yes] Until it is mended, the limits from before count.
   *[no] Until it is mended, nothing is spent there.
 }
alert-bill = ⚠️ { $vendor } says that one call used { $tokens } tokens, which cannot be. It counts as { $money }, the most that it could cost. If a proxy or a server of your own answers for the vendor, look at what it reports: its other bills may be wrong too.
alert-bill-beyond = ⚠️ { $vendor } charged { $money } for one call of { $tokens } tokens. By its own rules the call could cost at most { $most }. It counts as charged, so a budget can read above its limit. If a proxy or a server of your own answers for the vendor, look at what it reports.

answer-smaller-model = Written by { $model }: { $percent }% of { $period ->
    [day] today's
   *[month] this month's
 } budget is used.

error-budget-held = The { $period ->
    [day] daily
   *[month] monthly
 } budget{ $of ->
    [group] { " of this group" }
    [person] { " of this person" }
    [task] { " of this task" }
   *[company] { "" }
 } is used up until { $period ->
    [day] the next day
   *[month] the next month
 } begins or an owner adds money.
error-budget-no-company = There is no company { $company }. Companies are the folders in companies/.
error-budget-no-agent = No agent works here, so there is no budget to show.
error-budget-owners-only = Only an owner can change a budget. /budget shows it to everyone.
error-budget-how = A limit is set as /budget day 5 or /budget month 50, and removed as /budget day off. "{ $written }" is not understood.
error-budget-period = A limit is for a day or a month, not for "{ $written }": nanoclaw budget set day 5
error-budget-override-how = Say how much more may be spent: /budget_override +20, or for one task, group or person with a limit: /budget_override +5 task 7.
error-budget-override-nothing = An override adds money, so it is more than 0: /budget_override +20.
error-budget-override-unlimited = { $of ->
    [group] The group { $company }
    [task] Task { $company }
   *[other] { $company }
 } has no limit, so there is nothing to add to.
error-budget-amount-unreadable = "{ $written }" is not an amount. Write dollars as a number: 20, $20 or 20.50.
error-budget-amount-below-zero = "{ $written }" is below zero. Write 0 if nothing may be spent, or a number such as 20.
error-budget-override-below-zero = "{ $written }" is below zero. An override only adds money: /budget_override +20. A limit is lowered with /budget day 5.
error-budget-unreadable = { $file } cannot be read: { $said }.
error-budget-not-json = { $file } is not valid JSON: { $said }.
error-budget-unknown-key = { $file }: there is no field "{ $key }". The fields are: { $known }.
error-budget-bad-amount = { $file }: { $key } is { $written }. Write dollars as a plain number, 0 or more, without quotes: 50 or 0.5. For no limit write null.
error-budget-bad-share = { $file }: { $key } is { $written }. Write a number between 0 and 1, for example 0.8 for 80 percent, and not less for critical_threshold than for alert_threshold.
error-budget-bad-value = { $file }: { $key } is { $written }: { $said }.

audit-budget-set = set the limit of { $company } for a { $period ->
    [day] day
   *[month] month
 } to { $amount ->
    [none] none
   *[other] { $amount }
 }
audit-budget-overridden = added { $amount } to the budget of { $of ->
    [group] the group { $name } of { $company }
    [person] { $name } in { $company }
    [task] task { $name } of { $company }
   *[company] { $company }
 }

doctor-budget = The budget of { $company } can be read
doctor-budget-broken = A budget cannot be read. { $reason }

why-model-chosen = Model { $model }: { $reason }. { $thinking ->
    [off] It answers without thinking first.
    [low] It thinks a little first.
    [high] It thinks a lot first.
   *[usual] Thinking: as the model usually does.
 }
reason-model-task = the task names it
reason-model-step = the step of the pipeline names it
reason-model-group = the group names it
reason-model-skill = the skill names it
reason-model-default = nothing names one
reason-model-complexity-simple = chosen by itself, the message looks simple
reason-model-complexity-standard = chosen by itself, the message looks like everyday work
reason-model-complexity-complex = chosen by itself, the message looks hard
why-stepped-down = { $model } answered in place of { $instead_of }: { $percent }% of the { $period ->
    [day] daily
   *[month] monthly
 } budget is used

console-budgets = Budgets
console-budget-of = Budget of { $company }
console-budget-day = Today
console-budget-month = This month
console-budget-used = { $spent } of { $limit } ({ $percent }%)
console-budget-unlimited = { $spent }, no limit
console-budget-waiting = { $count ->
    [one] One piece of work waits for money.
   *[other] { $count } pieces of work wait for money.
 }
console-budget-change = Change it
console-budget-period = Limit for
console-budget-amount = Dollars
console-budget-amount-hint = For example 5 or 20.50; off: no limit.
console-budget-save = Set the limit
console-budget-more = More for today and this month, in dollars
console-budget-more-hint = What waits for money goes on at once.
console-budget-add = Add
console-budget-limit-day = a day
console-budget-limit-month = a month
