# A company's context: its files, proposed changes, documents, interviews.

context-ask = Change **{ $file }**? { $summary }
context-ask-new = Make the file **{ $file }**? { $summary }
context-ask-delete = Delete the file **{ $file }**? { $summary }
context-diff-shown = The difference is below.
context-diff-rest = … { $count } more characters: they are in the document above the card, and in the inbox.
context-write = Write the new text of **{ $file }**, or only what changes, for example: 690 instead of 490. Above is what was proposed.
context-changed = ✅ **{ $file }** is changed. Agents know it from the next message on.
context-deleted = 🗑 **{ $file }** is deleted. `{ $command } context restore` brings it back.
context-outdated = ⚠️ **{ $file }** was changed meanwhile, so nothing was written. Here is the same change to what it says now.
context-stale-head = 🗓 These files of the context have not been changed for longer than expected:
context-stale-line = - **{ $file }**: { $days ->
        [one] one day
       *[other] { NUMBER($days, useGrouping: 0) } days
    } old, expected every { $rhythm ->
        [year] year
        [quarter] quarter
       *[month] month
    }
context-stale-foot = Change one with `/update-context AREA: what is new`, or answer questions with `/interview`.

option-apply = ✅ Yes
option-show-diff = 🔍 Show diff
option-edit-text = ✏️ Edit
option-skip = ⏭ Skip
option-back = ⬅️ Back
option-stop = ⏹ Stop

error-no-such-context-file = There is no context file "{ $name }". There are: { $known }.
error-context-no-place = "{ $name }" is neither an area nor a file of the context. Areas: { $areas }. Files: { $known }.
error-context-file-unclear = "{ $name }" can mean several files: { $known }. Name one of them.
error-context-file-missing = { $file } does not exist yet.
error-context-no-change = { $file } says that already.
error-context-empty = The text is empty. A file is deleted by an owner only, with `{ $command } context delete`.
error-context-too-long = The text is too long: a file has at most { NUMBER($most, useGrouping: 0) } characters.
error-context-forbidden = Only people of this company can propose changes to its context.
error-context-delete-forbidden = Only an owner can delete a context file.
error-context-no-company = There is no company "{ $company }" that an agent group works for.
error-no-such-version = { $file } has no version { $version }.
error-no-such-proposal = There is no proposal { $id }.

error-document-outside = only files below /work can be read.
error-document-missing = there is no such file.
error-document-empty = the file is empty.
error-document-too-big = the file has more than { $megabytes } MB.
error-document-big = it takes too much memory: it may be a broken or hostile file. Send its text another way.
error-document-kind = only PDF, Word (.docx), Markdown, text and HTML files can be read.
error-document-encrypted = it is protected by a password. Send a copy without one.
error-document-broken = the file is broken, or it is not what its name says.
error-document-no-text = there is no text in it. It may be a scan.
error-document-slow = it took longer than { $seconds } seconds.
error-document-no-packages = the packages for reading documents are not installed on this machine.

context-rhythm = { $rhythm ->
        [year] every year
        [quarter] every quarter
       *[month] every month
    }

context-file-company-identity = Identity
context-file-company-team = Team
context-file-company-operations = Operations
context-file-product-spec = Product
context-file-product-pricing = Pricing
context-file-product-positioning = Positioning
context-file-audience-icp = Ideal customers
context-file-audience-jtbd = Jobs to be done
context-file-audience-voc = Voice of the customer
context-file-audience-awareness = Awareness
context-file-brand-voice = Voice
context-file-brand-visual = Visual identity
context-file-brand-guidelines = Guidelines
context-file-market-intelligence = Market intelligence
context-file-market-competitors = Competitors
context-file-market-channels = Channels
context-file-market-geo-aeo = Search and AI answers

context-purpose-company-identity = Who you are, what you do, for whom, and since when
context-purpose-company-team = Who does what, by role
context-purpose-company-operations = How a normal week goes, hours, places, rules
context-purpose-product-spec = What exactly is sold, and what is in it
context-purpose-product-pricing = Prices, discounts, refunds
context-purpose-product-positioning = Why people choose you and not something else
context-purpose-audience-icp = Which customers fit best, and which do not
context-purpose-audience-jtbd = What people want to get done when they come to you
context-purpose-audience-voc = What customers say, in their own words
context-purpose-audience-awareness = What people know before they meet you
context-purpose-brand-voice = How you speak and write
context-purpose-brand-visual = Colours, fonts, pictures
context-purpose-brand-guidelines = What is always done, and what never
context-purpose-market-intelligence = What moves in your market
context-purpose-market-competitors = What people do instead, and who else offers it
context-purpose-market-channels = Where you meet your customers
context-purpose-market-geo-aeo = How search engines and AI assistants find and cite you

command-interview = answer questions; the answers become the company's context
demo-context-proposed = I have put the change to people: they see the difference on a card and decide.
demo-context-refused = That could not be proposed. { $said }
demo-context-which = Which file is it about? Write it like this: /update-context pricing: 690 instead of 490
demo-context-not-there = { $file } does not say "{ $old }", so there is nothing to replace. `{ $command } context show { $file }` and the page Context show what it says.
demo-document-which = "{ $name }" is neither an area nor a file of the context, so I proposed nothing. Areas: { $areas }. Files: { $known }.
demo-document-unread = I could not read the document. { $said }
demo-document-nothing = The document has no section whose heading names one of the context files.

context-restored = as it was in version { $version }
context-age = { $days ->
        [0] changed today
        [one] changed yesterday
       *[other] changed { NUMBER($days, useGrouping: 0) } days ago
    }
context-missing = not there yet
context-stale = stale
context-waiting = { $count ->
        [one] a change waits for a decision
       *[other] { NUMBER($count, useGrouping: 0) } changes wait for a decision
    }
context-none = There are no context files.
context-file-none = (There is no such file yet.)
context-no-history = Nothing of it is committed yet.
context-same = They are the same.
context-no-proposals = Nothing was proposed yet.
context-proposal-state = { $state ->
        [open] waits for a decision
        [editing] someone writes a text of their own
        [written] written
        [applied] written and committed
        [outdated] outdated: the file had changed
       *[cancelled] cancelled
    }
context-decide = Decide with: { $command } decide { $id } apply
error-context-text-or-words = Give either the change in words, for example "690 instead of 490", a whole text with --from, or a document with --file.
error-context-too-big = { $file } has more than { $megabytes } MB.
context-still-reading = The agent has not answered yet. What it proposes comes to the inbox.
error-context-not-there = The file does not say "{ $old }", so there is nothing to replace.
error-context-unreadable = { $file } cannot be read: { $said }

help-context = A company's context: its 17 files, changes to them, and earlier versions. On its own: lists them.
help-context-list = The files: purpose, age, expected rhythm, and which are stale.
help-context-show = What a file says, and the changes that wait for a decision.
help-context-propose = Propose a change: nanoclaw context propose pricing "690 instead of 490". People see the difference and decide.
help-context-delete = Propose to delete a file; only owners decide that.
help-context-restore = Propose what a file said in an earlier version.
help-context-history = Who changed a file when.
help-context-compare = How an earlier version differs from another, or from what the file says now.
help-context-proposals = Proposed changes and what became of them, newest first.
help-context-file = A file, as product/pricing, pricing or prices.
help-context-words = The change in words: one thing instead of another, or what is to be added.
help-context-from = File with the whole new text; - for standard input.
help-context-document = A document (PDF, Word, Markdown) from which the agent proposes changes; FILE then limits them to a file or an area.
help-context-summary = What changes, in one line.
help-context-company = Company; default: that of the main agent group.
help-context-yes = Approve it at once, as the owner.
help-context-version = Version, as shown by history.
help-context-other = Another version; default: what the file says now.

doctor-context-stale = { $count ->
        [one] One context file has
       *[other] { NUMBER($count, useGrouping: 0) } context files have
    } not been changed for longer than expected: { $files }. Look with: { $command } context

# The interview: each answer becomes a section of its file.
interview-company-identity-what = What do you sell or do, and for whom? One or two sentences.
heading-company-identity-what = What we do
interview-company-identity-since = Since which year, and where?
heading-company-identity-since = Since when
interview-company-identity-missed = What would customers miss if you closed tomorrow?
heading-company-identity-missed = What people would miss
interview-company-team-roles = Who does what? Name roles, not private contacts.
heading-company-team-roles = Roles
interview-company-team-decides = Who decides about prices, texts and complaints?
heading-company-team-decides = Who decides
interview-company-operations-week = What happens in a normal week, on which days and hours?
heading-company-operations-week = A normal week
interview-company-operations-wrong = What goes wrong most often, and what do you do then?
heading-company-operations-wrong = What goes wrong
interview-product-spec-items = What exactly can be bought? List it with what is included.
heading-product-spec-items = What is sold
interview-product-spec-limits = What is not included, or what do people wrongly expect?
heading-product-spec-limits = What it is not
interview-product-pricing-prices = What does each thing cost? With currency and period.
heading-product-pricing-prices = Prices
interview-product-pricing-discounts = Which discounts exist, who may give them, and how much at most?
heading-product-pricing-discounts = Discounts
interview-product-pricing-refunds = When does money go back, and how fast?
heading-product-pricing-refunds = Refunds
interview-product-positioning-instead = What would people buy or do without you?
heading-product-positioning-instead = Instead of what
interview-product-positioning-why = Why do they choose you? Give a reason that a customer said.
heading-product-positioning-why = Why us
interview-audience-icp-best = Describe the last three good customers by their situation.
heading-audience-icp-best = Best customers
interview-audience-icp-refused = Whom do you refuse, or advise to go elsewhere?
heading-audience-icp-refused = Not for
interview-audience-jtbd-job = What do people want to get done when they come to you?
heading-audience-jtbd-job = The job
interview-audience-jtbd-trigger = What happens right before they look for you?
heading-audience-jtbd-trigger = What starts it
interview-audience-voc-phrases = Which sentences do customers write again and again? Word for word.
heading-audience-voc-phrases = Their words
interview-audience-voc-complaints = What do they complain about?
heading-audience-voc-complaints = Complaints
interview-audience-awareness-know = What do people already know or believe before they meet you?
heading-audience-awareness-know = What they know
interview-audience-awareness-doubts = What makes them hesitate?
heading-audience-awareness-doubts = Doubts
interview-brand-voice-tone = How do you speak? Paste a sentence of yours that you like.
heading-brand-voice-tone = Tone
interview-brand-voice-never = Which words do you never want to read?
heading-brand-voice-never = Words to avoid
interview-brand-visual-look = Which colours, fonts and kinds of pictures are yours?
heading-brand-visual-look = Look
interview-brand-visual-avoid = What must never appear in a picture?
heading-brand-visual-avoid = Not ours
interview-brand-guidelines-always = What is always done in your texts and answers?
heading-brand-guidelines-always = Always
interview-brand-guidelines-never = What is never promised or said?
heading-brand-guidelines-never = Never
interview-market-intelligence-moves = What has changed in your market during the last months?
heading-market-intelligence-moves = What moves
interview-market-intelligence-sources = Where do you read about it?
heading-market-intelligence-sources = Sources
interview-market-competitors-who = Who else offers it? With prices, if you know them.
heading-market-competitors-who = Competitors
interview-market-competitors-better = Where are they better than you, and where worse?
heading-market-competitors-better = Where they are better
interview-market-channels-where = Where do customers find you? Order by importance.
heading-market-channels-where = Channels
interview-market-channels-works = What worked best lately, and what did not?
heading-market-channels-works = What works
interview-market-geo-aeo-asked = What would people ask a search engine or an AI assistant to find you?
heading-market-geo-aeo-asked = Questions people ask
interview-market-geo-aeo-cited = What do such assistants say about you today?
heading-market-geo-aeo-cited = What they answer

interviewing-head = **{ $title }** · { $number } of { $count }
interviewing-begin = I will ask { $count ->
        [one] one question
       *[other] { NUMBER($count, useGrouping: 0) } questions
    }. Answer in your own words, and skip what you do not know. You can stop at any time and go on with /interview. In the end you see a card for each file and decide.
interviewing-on = Let us go on: { $left ->
        [one] one question is left
       *[other] { NUMBER($left, useGrouping: 0) } questions are left
    }.
interviewing-rests = The interview rests. Your answers are kept: go on with /interview.
interviewing-writing = Thank you, that was the last question. Now I write the files; you decide about each on a card.
interviewing-nothing = There were no answers to write down. Begin again with /interview.
interviewing-summary = from the interview
interview-problem-short = That is too short to be useful. Please say a little more, or skip it.
interview-problem-long = That is too long: at most { $most } characters. Please shorten it.
interview-problem-number = A number is needed here, for example a price or a year. Please give it, or skip the question.
error-interview-what = I do not know "{ $name }". Areas: company, product, audience, brand, market; or a file, for example pricing.

# On the page

console-context = Context
console-context-about = What agents know of your company. Every change is shown as a difference, and written only after a yes.
console-context-document = Propose changes from a document
console-context-document-about = Drop a PDF, Word (.docx) or Markdown file here, up to { $megabytes } MB. An agent reads it in a box and proposes what it changes; you decide about each file.
console-context-document-choose = Choose a document
console-context-document-reading = { $name }: the agent reads it …
console-context-document-big = { $name } has more than { $megabytes } MB.
console-context-document-one = Drop one document at a time.
console-context-document-chat = Open the chat
console-context-company = Company
console-context-area-company = Company
console-context-area-product = Product
console-context-area-audience = Audience
console-context-area-brand = Brand
console-context-area-market = Market
console-context-stale = stale
console-context-waits = waiting: { $count }
console-context-waiting = Changes that wait for a decision
console-context-missing = This file is not there yet. Edit it to make it.
console-context-history = History
console-context-edit = Edit
console-context-delete = Delete this file
console-context-delete-title = Delete this file?
console-context-delete-sentence = Agents would not know any of it any more. You decide about it once more on a card; earlier versions stay in the history.
console-context-diff = Difference
console-context-yes = Yes, write it
console-context-deletes = Delete this file
console-context-source-chat = in a chat
console-context-source-file = from a document
console-context-source-interview = from an interview
console-context-source-page = on this page
console-context-source-command-line = on the command line
console-context-source-git = from git
console-context-told-written = Written. Agents know it from the next message on.
console-context-told-applied = Written and committed. Agents know it from the next message on.
console-context-told-cancelled = Cancelled. Nothing has changed.
console-context-told-outdated = The file was changed meanwhile. Here is the same change to what it says now.
console-context-told-open = Noted. The host is still at work on it.
console-context-edit-title = Edit: { $title }
console-context-text = Text (Markdown)
console-context-summary = What changes, in one line
console-context-propose = Show the difference
console-context-proposed = Nothing is written yet: look at the difference, and decide.
console-context-history-title = History of { $file }
console-context-no-history = Nothing of it is committed yet.
console-context-when = When
console-context-what = What
console-context-who = Who
console-context-compare = Compare
console-context-version = Version
console-context-against = Compared with
console-context-now = what it says now
console-context-same = They are the same.
console-context-restore = Bring this version back
error-context-file-odd = { $file } is not read: it is a link, or not a plain file ({ $reason }). Replace it by the file itself.
