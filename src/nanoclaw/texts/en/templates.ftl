# Process templates: what is wrong with one, and where.

mistake-allowed = { $said }; allowed: { $allowed }

mistake-too-big = The file is larger than { $kilobytes } kB
mistake-not-utf-8 = This line is not UTF-8 text. Save the file as UTF-8
mistake-not-text = This line holds characters that are no text
mistake-unreadable = The file cannot be read ({ $said })
mistake-no-file = This is not a file
mistake-no-title = The title is missing in the first line
mistake-title = The title is empty or too long
mistake-title-twice = There is a second title. Headings of sections begin with ##
mistake-before-title = "{ $said }" stands before the title
mistake-stray = "{ $said }" belongs to no heading
mistake-comment-open = This comment is never closed
mistake-unknown-heading = There is no heading "{ $said }"
mistake-heading-twice = The heading "{ $said }" stands here a second time
mistake-after-steps = "{ $said }" stands after "## Steps:". Write each step on a line of its own below it
mistake-no-value = "{ $said }" has no value
mistake-no-steps-heading = There is no heading for the steps
mistake-no-steps = There are no steps
mistake-many-steps = There are too many steps
mistake-trigger = "{ $said }" is neither a command nor a phrase in quotes
mistake-trigger-taken = The command { $said } already belongs to the host or to a skill. Choose another one
mistake-trigger-twice = The command { $said } already belongs to the template { $other }. Choose another one

mistake-no-step = "{ $said }" is not a step
mistake-lettered = "{ $said }" is no number of a step. Steps are numbered 1, 2, 3; one that runs together with step 2 says so
mistake-number-twice = There is a second step { $said }
mistake-number-order = Step { $said } stands where step { $wanted } is expected
mistake-no-role = The role is missing
mistake-role = "{ $said }" cannot be a role
mistake-role-long = The role is too long
mistake-role-unknown = There is no skill "{ $said }"
mistake-role-ambiguous = More than one skill is called "{ $said }". Write its path
mistake-skill-broken = The skill { $said } has a fault: `{ $command } doctor` shows it
mistake-empty-part = Nothing stands between two bars
mistake-unknown-key = There is no key "{ $said }"
mistake-key-twice = "{ $said }" stands here twice
mistake-key-of-others = A step of the type { $type } has no "{ $said }"
mistake-human-type = HITL is an approval by a person
mistake-approval-first = There is nothing to approve before this step

mistake-type = "{ $said }" is not a type
mistake-condition = "{ $said }" is not a comparison
mistake-comma = "{ $said }" stands alone after a comma. Write decimals with a point
mistake-gate-number = "{ $said }" after { $sign } is not a number
mistake-gate-of-text = "{ $said }": a text can only be compared with =
mistake-gate-never = "{ $said }" can never be true
mistake-result-unknown = The skill { $skill } gives no "{ $said }"
mistake-timeout = "{ $said }" is not a span of time
mistake-timeout-long = { $said } is too long
mistake-on-timeout = "{ $said }" is not possible when nobody answers
mistake-risk = "{ $said }" is not a risk
mistake-session = "{ $said }" does not say whether it is a session
mistake-session-risk = A session is concluded by one person: it cannot have a risk
mistake-outputs = "{ $said }" is neither a number of outputs nor the name of one
mistake-outputs-count = A step cannot have { $said } outputs
mistake-output-twice = The output { $said } stands here twice
mistake-target-unknown = There is no adaptor for the output "{ $said }"
mistake-model = "{ $said }" is not a model
mistake-model-unknown = There is no model "{ $said }"
mistake-model-defaults = "{ $said }" does not say which steps use which model
mistake-model-twice = Step { $said } gets two models
mistake-retry = "{ $said }" is not a number of retries
mistake-money = "{ $said }" is not a sum of money
mistake-time = "{ $said }" is not a span of time
mistake-range = "{ $said }" ends before it begins
mistake-input = "{ $said }" is neither a step nor a file of the context
mistake-input-approval = Step { $said } is an approval, which makes nothing that another step could be given
mistake-no-context-file = There is no file { $said }
mistake-with = "{ $said }" is not the number of a step
mistake-with-far = A step can only run together with those right before it, not with step { $said }
mistake-with-approval = No step can run while people decide
mistake-step-unknown = There is no step { $said }
mistake-itself = `{ $field }` names the step itself: that would be a circle
mistake-later = `{ $field }` names step { $said }, which comes later: that would be a circle
mistake-beside = `{ $field }` names step { $said }, which runs at the same time
mistake-when-ambiguous = More than one earlier step gives "{ $said }". Say which
mistake-when-unknown = No earlier step gives "{ $said }"
mistake-when-approval = Step { $said } is an approval, which gives no results

error-result-big = The result is larger than { $megabytes } MB. Shorten it.
error-result-not-json = The result is not a JSON object ({ $said }).
error-result-lacks = The result lacks `{ $key }` ({ $kind ->
        [number] a number
        [list] a list of texts
       *[text] a text
    }).
error-result-type = `{ $key }` must be { $kind ->
        [number] a number
        [list] a list of texts
       *[text] a text
    }.
error-result-range = `{ $key }` must be between { $low } and { $high }.
error-result-no-text = The text `{ $name }` is missing or empty.
error-result-many = There are { $count } outputs; { $wanted } are wanted.

help-pipelines = Pipelines: templates of many steps.
help-pipelines-check = Check a template: exits with 0 if it can be used, 1 if it has mistakes.
help-pipelines-file = The template, as a Markdown file.

pipelines-sound = { $file } has no mistakes: { $count ->
        [one] { $count } step
       *[other] { $count } steps
    }.
pipelines-more = { $count ->
        [one] … and { $count } more mistake.
       *[other] … and { $count } more mistakes.
    }
mistake-thinking = "{ $said }" does not say how much to think
