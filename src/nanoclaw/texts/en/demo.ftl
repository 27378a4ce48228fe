# What the demo model says. It follows this script; a real model replaces it once a key is set.

demo-greeting = Hello! I am the demo agent of NanoClaw OS. I follow a small script and need no key, but everything around me is real: your message was stored, queued, run and delivered as it will be with a real model.

    Ask me about the example company, for instance *How much is the office plan?* or *Who are our competitors?* Write `/demo` for a short tour, or `/help` for the commands.
demo-thanks = You are welcome. Ask me anything else about the company, or write `/demo` for the tour.
demo-identity = I am the demo agent of NanoClaw OS: the native runtime with a scripted model. I read the same three layers of prompt that a real model gets (foundation, company context, skill and memory), and answer from the company's context in its own words.
demo-abilities = Here is what works today:

    - **Talk in two places.** The terminal and the web page are two doors to the same host. Several rooms, each with its own conversation.
    - **Nothing gets lost.** A message is on disk before it is acknowledged. Kill the host in the middle of an answer: after the restart you get it, once.
    - **Ask why.** `/why` tells the story of your last message: received, admitted, queued, started, finished, delivered.
    - **Knows the company.** The answers come from `companies/demo/context/`. Edit a file and ask again: no restart needed.
    - **Skills.** `/post`, `/news`, `/analyze` and `/interview` choose a skill; the default is the general assistant. Their work itself needs a real model.
    - **A human in the loop.** `? Publish now | yes | tomorrow` makes me ask: a card with buttons here, in `/inbox` and on your phone, and I go on with what you choose. `? Which name…` asks for your own words.
    - **Work together, then decide.** *Review this refactoring and decide* makes me ask for a session with you: open it with `nanoclaw session open` or on the page, talk, look at files, and conclude; I go on with the result.
    - **Questions before work.** `/plan add JWT authentication` asks you a few things with buttons before anything begins. And tell me *I need to fix the auth bug*: then I am the one who is unsure, and ask first.
    - **Take it elsewhere.** Tell me *this is too big for a chat*, or send `/export_session`: the conversation is packed for Claude.ai, you see what would leave, and bring the result back with `/import_analysis`.
    - **Work that starts itself.** `@ every monday 8:00 | send me the news` schedules it (so does `/schedule every monday 8:00 send me the news`); `& $ sleep 20; date` hands over something that takes long. `/tasks` lists both.
    - **Hands in a box.** `$ ls -la` runs a command in the sandbox of this group, with no network and nothing but the group's own files. `/stop` stops it.
    - **Two languages.** Write in Ukrainian or English; `/language` and `/timezone` are yours to set.

    Write `/demo` to see some of it.
demo-tour = <internal>The person asked for the tour. This line shows that thoughts stay inside: nobody outside sees it.</internal>### A short tour

    1. **This answer streams.** It grew word by word while I wrote it, here and in every other window that shows this room.
    2. **Markdown arrives whole**: lists, **bold**, `code`, and tables:

    | you write | what happens |
    |---|---|
    | *How much is the office plan?* | I answer from the company's context |
    | `/why` | the host tells the story of your last message |
    | `/status` | what the host is doing right now |
    | *We decided that the course costs EUR 140* | I remember it, in every chat: *What did we decide about the course?* |
    | `/plan add JWT authentication` | a few questions with buttons first, then one run with all answers |
    | *I need to fix the auth bug* | I am unsure, so I ask before I answer |
    | two messages while I am writing | they wait and become one turn |

    3. **Code keeps its shape**:

    ```python
    def promise(message):
        store(message)      # before anything else
        return "answered exactly once"
    ```

    4. **What I think stays inside.** There was a thought at the start of this answer. You did not see it.

    Now try: *What is our tone of voice?*
demo-from-context = From the company's context, `{ $file }`, **{ $heading }**:
demo-skill = The skill **{ $skill }** was chosen for this. A real model would now follow its instructions; the demo model only shows that the choice works. Ask `/why` to see it recorded.
demo-unsure = I found nothing about that in the company's context. As a demo agent I only know the files in `companies/demo/context/`.

    Try *How much is the office plan?*, *When do you ship?*, *Who are our competitors?*, or `/demo` for the tour.

demo-cues-greeting = hello | hi | hey | hi there | hello there | good morning | good evening | good day
demo-cues-thanks = thanks | thank you | thank you very much | thx | great, thanks
demo-cues-abilities = what can you do | what do you do | what is this | how does this work | your features | show me your features | what else can you do | help
demo-cues-identity = who are you | what are you | are you a bot | are you real | what model are you
demo-common-words = the and for are was what which who how many when where why does did our your you can with from that this have has tell about please give show there their they will would should company
# Only the Ukrainian list is used; it bridges both ways.
demo-word-pairs = price:much
demo-ran = I ran it in the box of this group. It printed:
demo-ran-badly = I tried it in the box of this group, and it did not work:
demo-file = I got **{ $name }**. It is in my box as `{ $path }`.
demo-file-missing = **{ $name }** came, and this is all I know of it: { $said }
demo-asked = I asked. { $said }
demo-asked-badly = I could not ask. { $said }
demo-asked-what = You asked: *{ $question }*
demo-chose = { $name } chose **{ $label }**.
demo-wrote = { $name } wrote: { $said }
demo-wrote-too = They wrote: { $said }
demo-default-taken = Nobody answered in time, so this is taken: **{ $label }**.
demo-unheard = **{ $name }** came, but this host has no ears: nothing turns voice into text here. Whoever runs it sets `voice.engine`.
demo-woken = I was woken by an answer. { $said }
demo-asked-open = I asked, and nobody has decided yet. I stop here and go on when someone has.
demo-ran-silently = I ran it in the box of this group. It printed nothing.
demo-handed-over = It is written down; its card says when and how.
demo-not-handed-over = That could not be done. { $said }
demo-cues-wish = every |each |remind me|tell me when you|in the background|tomorrow |щодня|щопонеділка|щотижня|кожен|кожного|нагадай|коли закінчиш|у фоні|завтра
demo-wish = I am the demo and follow a script, so I do not understand wishes; a real model does. Write it like this:

    - `/schedule every monday at 8:00 send me the news`
    - `& audit all competitors` for something that takes long (`& $ sleep 20; date` really does)
demo-task = This was my task: *{ $said }*. I am the demo and cannot do it; a real model would now send you its result.
demo-remembered = I will remember that: every chat of the company can ask me about it. { $said }
demo-remembered-as = Remembered: { $ids }.
demo-not-remembered = I could not remember that: { $said }
demo-from-memory = From what I remember:
