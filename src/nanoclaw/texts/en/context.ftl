# A company's context: its files, proposed changes, documents, interviews.

context-ask = Change **{ $file }**? { $summary }
context-ask-new = Make the file **{ $file }**? { $summary }
context-ask-delete = Delete the file **{ $file }**? { $summary }
context-diff-shown = The difference is below.
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
context-area-company = Company
context-area-product = Product
context-area-audience = Audience
context-area-brand = Brand
context-area-market = Market

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

command-interview = answer questions, and let the answers become the company's context
demo-context-proposed = I have put the change to people: they see the difference on a card and decide.
demo-context-refused = That could not be proposed. { $said }
demo-context-which = Which file is it about? Write it like this: /update-context pricing: 690 instead of 490
demo-document-unread = I could not read the document. { $said }
demo-document-nothing = The document has no section whose heading names one of the context files.
