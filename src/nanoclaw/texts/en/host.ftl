# What the host itself says in a chat, and how it explains a message.

help-head = What you can write here:
help-how = `/help tasks` tells more about one line, `/help schedule` about one command.
help-more = More of this kind: `/help { $topic }`
help-unknown = Nothing here is called "{ $word }". Write /help to see what there is.
help-unknown-near = Nothing here is called "{ $word }". Did you mean `/help { $near }`? Write /help to see what there is.
help-topic-chat = chat
help-about-chat = talk to the agent, and see what became of a message
help-topic-questions = questions
help-about-questions = decide what agents ask you
help-topic-tasks = tasks
help-about-tasks = have something done later or regularly
help-topic-pipelines = pipelines
help-about-pipelines = have several agents work on one subject
help-topic-batches = batches
help-about-batches = get many texts at once, at half the price
help-topic-transfers = transfers
help-about-transfers = take a conversation elsewhere, and bring the result back
help-topic-memory = memory
help-about-memory = what the company knows
help-topic-costs = costs
help-about-costs = what agents cost, and what they may spend
help-topic-settings = settings
help-about-settings = your language and your time zone
help-topic-skills = skills
help-about-skills = what agents are good at, each with a word of its own
help-topic-people = people
help-about-people = who may speak, and what each of them may do
help-topic-chats = chats
help-about-chats = which agents are in a chat, and when they answer
help-topic-host = host
help-about-host = what the host did, and what it did not admit
help-foot = Anything else goes to the agent.
command-help = this list, or more about a word of it
command-start = say hello and see this list
command-status = what the host is doing right now
command-why = the story of your last message, or of the one with that id
command-retry = try the last message again that went wrong
command-language = the language in which the host speaks to you
command-timezone = the zone in which you see times
start-head = Hello, { $name }. This is NanoClaw OS. Write to the agent here as you would to a colleague.

order-unknown = There is no command /{ $name }. Write /help to see the commands.
order-unknown-near = There is no command /{ $name }. Did you mean /{ $near }? Write /help to see all commands.
order-forbidden = The command /{ $name } needs the role { $role }; { $yours ->
        [stranger] you have none
       *[other] yours is { $yours }
    } here.
order-language-set = From now on the host speaks English to you.
order-language-unknown = Write /language en or /language uk.
order-timezone-set = Your times are shown in { $zone }; it is { $time } there.
order-timezone-now = Your zone is { $zone }. Write a name to change it, such as /timezone Europe/Kyiv.
order-timezone-unknown = There is no zone "{ $zone }". Write a name such as /timezone Europe/Kyiv.
order-retry-done = It is tried again.
order-retry-none = Nothing went wrong here, so there is nothing to retry. If you stopped something, write it once more.
order-why-none = There is no such message. Write /why for your last one, or /why with an id.
order-status =
    { $running ->
        [0] No turn is running
        [one] One turn is running
       *[other] { $running } turns are running
    }, { $waiting ->
        [0] no message waits
        [one] one message waits
       *[other] { $waiting } messages wait
    }, { $undelivered ->
        [0] everything is delivered
        [one] one answer is on its way
       *[other] { $undelivered } answers are on their way
    }{ $failed ->
        [0] .
        [one] ; one could not be delivered (`{ $command } failed list`).
       *[other] ; { $failed } could not be delivered (`{ $command } failed list`).
    }

declined-empty = The message is empty, so there is nothing to answer. Write a few words and send it again.
declined-too-long = The message has { $length } characters; at most { $longest } can be taken at once. It is stored, but the agent did not get it: send it in parts.
turn-failed = Something went wrong and there is no answer: { $reason }

    Your message is kept: /retry tries it again.

state-waiting = { $place ->
        [0] The message waits for the turn that runs before it.
        [1] The message is next.
       *[other] The message waits; its place in the queue is { $place }.
    }
state-running = The agent is working on it.
state-asks = The agent has asked and waits for a decision. The inbox shows the question.
state-rests = The host ended { $deaths } times while it worked on this. It may be the cause, so it rests until { $time } and is then tried again. /stop in its chat gives it up.
state-answered = The message was answered.
state-refused = The host did not take the message, and said why.
state-failed = It went wrong. The message is kept and can be retried.
state-silent = The agent chose to say nothing.
state-dropped = The message was not admitted.

why-received = received on { $channel } and stored
why-admitted = admitted to { $groups }
why-dropped = not admitted: { $reason }
why-refused = refused: { $reason }
why-commanded = understood as the command /{ $name } and answered by the host
why-queued = queued for { $group }
why-started = turn started with { $messages ->
        [one] this message
       *[other] { $messages } messages
    }
why-chosen = skill { $skill } ({ $reason }), runtime { $runtime }
why-money-waits = waits for money that other answers have set aside and may give back
why-not-recalled = answered without memory: { $reason }
why-memory = Memory used:
why-started-again = started again, attempt { $attempt }: the host that ran it stopped
why-first-token = the first word of the answer came
why-finished = the answer is complete ({ $length ->
        [one] one character
       *[other] { $length } characters
    })
answer-asked-first = Before I begin, I asked:
why-asked-first = instead of an answer it asked { $count ->
        [one] one question
       *[other] { $count } questions
    }, as a card
why-silent = the agent chose to say nothing
why-failed = failed: { $error }
why-retried = put back into the queue by a person
why-delivered = delivered on { $channel }
why-delivery-delayed = could not be delivered: { $error } Next try in { $seconds } s
why-delivery-failed = given up: { $error }
why-delivery-unknown = handed over, and nothing was heard back; it may or may not have arrived
why-delivery-retried = to be delivered again, as a person asked
why-delivery-dropped = need not be delivered, a person decided
why-delivery-proven = it did arrive: someone replied to it, or pressed its button
why-delivery-again = sent again with a note, because nobody could tell whether it had arrived
why-draft-lost = the first words may stand in the chat a second time: nothing was heard back when they were sent

reason-recall-slow = looking it up took too long
reason-recall-failed = it could not be looked up
reason-unknown-sender = the sender is not known here
reason-not-wired = no agent group is wired to this chat
reason-empty = the message is empty
reason-too-long = the message is too long
reason-unknown-command = there is no such command
reason-forbidden-command = the command needs another role
reason-command-refused = the command could not be carried out as it was written
reason-command = chosen by its command
reason-default = the group's default
reason-classified = chosen by what was written
reason-topic = the skill of topic { $topic }
reason-topic-classified = chosen by what was written, among the skills of topic { $topic }
reason-missing = the group's skill was not found

error-too-many-attempts = it was begun { $attempts } times, and each time the host stopped or the agent gave no sign of life.
error-agent-silent = the agent gave no sign of life for { $seconds ->
        [one] a second
       *[other] { $seconds } seconds
    }.
error-runtime-missing = the runtime "{ $runtime }" is not available.
error-unexpected = an unexpected error ({ $said }).
error-chat-gone = the chat of this conversation is gone.
error-not-connected = the channel { $channel } is not connected.
error-document-not-written = the document that goes with it could not be written to disk ({ $reason }).
error-send-cut = the host stopped in the middle of this send.
error-far-end-silent = the far end does not answer ({ $said }).
error-far-end-busy = the far end asks to wait.
error-far-end-failed = the far end failed with { $status }.
error-far-end-refused = the far end refused: { $said }

command-stop = stop what the agent is doing here
command-clear = begin anew: the agent forgets this conversation
order-stop-done = Stopped.
order-stop-none = Nothing is running here.
order-clear-done = A fresh start: the agent no longer sees what was said here before.
turn-stopped = stopped here
answer-cut-by-budget = The answer ends here because the budget does not pay for more.
money-waits = waits for money that other answers have set aside
answer-cut = [The rest is left out: an answer has at most { $most } characters.]
turn-held = { $reason }

    Your message is kept and will be answered as soon as it can be; you need not write it again.
state-stopped = It was stopped.
why-joined = came while the agent was working, and was handed to it
why-tool = { $failed ->
        [yes] tool { $name } failed after { $seconds } s: { $shown }
       *[other] tool { $name }, { $seconds } s: { $shown }
    }
why-spent = { $calls ->
        [one] one model call
       *[other] { $calls } model calls
    } ({ $model }): { $input } tokens in, { $output } out, { $money }
why-held = held: { $error }
why-stuck = no sign of life: { $error } It is tried again
why-stopped = stopped by a person
error-too-many-steps = the agent took { $steps } steps without coming to an end. Ask for less at once, or raise turns.most_steps.

error-agent-died = the agent's program ended ({ $said }).
error-agent-not-started = the agent's program could not be started ({ $said }). If this goes on, /clear begins a fresh conversation.
error-model-said = the model refused: { $said }
error-model-garbled = the model's answer could not be understood ({ $said }).
error-model-endless = the model's answer did not end, and was cut off. Try again, or choose another model.
error-model-declined = the model declined to answer this. Ask in other words, or start a new conversation with /clear.
error-model-unknown = the model "{ $model }" is not known: { $said }
error-model-of-other-vendor = the runtime claude-code cannot use the model "{ $model }". Use runtime = "native" for it, in group.toml or the skill.
error-key-absent = there is no key of { $vendor }. Set one with: { $command } key set { $vendor }
error-base-url-absent = the vendor "local" needs an address: set agents.base_url in nanoclaw.toml, such as "http://localhost:8000/v1".

# Model gateway
error-price-unknown = The price of the model { $model } is not known, so it was not asked. Set one in nanoclaw.toml, in dollars per million input and output tokens: [prices] "{ $model }" = "1.0/5.0"
error-price-unreadable = [prices] "{ $model }" = "{ $written }" cannot be read. Write dollars per million input and output tokens, for example "1.0/5.0".
error-budget-spent = The budget is used up: { $spent } of { $limit } are spent, and what is left is too little for the next answer. There is money again when the next day or month begins, or when an owner adds some.
error-budget-of-run-spent = The budget of this run is used up: { $spent } of { $limit } are spent, and what is left is too little for the next answer.
error-budget-of-step-spent = The budget of this step is used up: { $spent } of { $limit } are spent, and what is left is too little for the next answer.
error-budget-of-group-spent = The budget of this group is used up: { $spent } of { $limit } are spent, and what is left is too little for the next answer. There is money again when the next day or month begins, or when an owner adds some.
error-budget-of-person-spent = Your budget is used up: { $spent } of { $limit } are spent, and what is left is too little for the next answer. There is money again when the next day or month begins, or when an owner adds some.
error-budget-of-task-spent = The budget of this task is used up: { $spent } of { $limit } are spent, and what is left is too little for the next answer. There is money again when the next day or month begins, or when an owner adds some.
error-model-not-allowed = The model { $model } may not be used here. Allowed are: { $allowed }.
error-model-outage = The model of { $vendor } cannot be reached right now ({ $said }).
error-model-key-missing = There is no key for the model. Set one with `{ $command } key set`, and start the host again.
error-model-key-refused = The vendor did not accept the key for the model ({ $said }). Set another one with `{ $command } key set`, and start the host again.
error-network-pattern = "{ $written }" is no host that an agent could be allowed to reach. Write example.com, *.example.com or example.com:8080.

# Voices

error-voice-empty = There is no sound in this voice message. Record it again.
error-voice-silent = No words could be heard in this voice message. Speak closer to the microphone, or write.
error-voice-too-big = The sound file is bigger than { $megabytes } MB, which is the most that is listened to. Send it in parts.
error-voice-too-long = The sound is longer than { $hours } hours, which is the most that is listened to. Send it in parts.
error-voice-unreadable = The file of the voice message cannot be opened ({ $said }). Send it again.
error-voice-slow = The voice message was not turned into text within { $seconds } seconds. Try again, or send a shorter one.
error-voice-failed = The voice message could not be turned into text: { $said }. Try again later, or write.
error-voice-garbled = What the speech engine answered cannot be read. Check that `voice.base_url` is the address of an OpenAI-compatible audio API.
error-voice-key = The speech engine did not accept the key. Set another one with `{ $command } key set openai` (or `local`), and start the host again.
error-voice-budget = The budget is used up: { $spent } of { $limit } are spent, so the voice message was not sent to the speech engine. There is money again when the next day or month begins, or when an owner adds some.
error-voice-no-whisper = Voices are to be heard by faster-whisper on this machine, but its packages are not installed: the extra "whisper". They are installed by: { $command } up
error-voice-no-model = The model "{ $model }" of faster-whisper could not be loaded: { $said }. Check `voice.whisper_model`, the network and the free space.
error-sound-no-ffmpeg = This kind of sound must be converted first, and ffmpeg is not installed. Install it: `apt install ffmpeg`.
error-sound-unreadable = The file cannot be read as sound ({ $said }). Send it as a voice message, or as MP3, M4A, OGG or WAV.
error-sound-slow = The sound could not be converted within { $seconds } seconds. Send a shorter one.
error-speech-empty = There is nothing in this text that could be spoken.
error-speech-too-long = A text of more than { $most } characters is not spoken. It is sent as text.
error-speech-slow = The text was not turned into a voice within { $seconds } seconds. It is sent as text.
error-speech-failed = The text could not be turned into a voice: { $said }. It is sent as text.
error-speech-garbled = What the speech engine answered is no sound. Check `voice.base_url` and `voice.speech_model`. The text is sent as it is.
error-speech-key = The speech engine did not accept the key. Set another one with `{ $command } key set openai` (or `local`), and start the host again.
error-speech-budget = The budget is used up: { $spent } of { $limit } are spent, so no voice was made. The text is sent as it is.

# Chat networks

command-retry-failed = send again whatever could not be delivered
command-pair = become the owner with a code from the machine
button-retry = Try again
button-send-again = Send again
button-drop = Drop it
press-taken = Taken.
press-old = This was decided before, or is no longer open. Nothing was changed.
press-forbidden = You may not decide this.
press-signed = { $label }: { $name }
order-start-unpaired =
    This bot has no owner yet. If it is yours: run `nanoclaw pair` on the machine where it runs, and send the code here as `/pair CODE`.
order-pair-done = Welcome, { $name }. You are an owner now, and the agent listens to you here. /help shows what can be done.
order-pair-wrong = That code is not right, is too old, or was used. `nanoclaw pair` on the machine gives a new one.
order-pair-already = You are an owner already.
order-retry-failed =
    { $count ->
        [0] Nothing waits to be sent again.
        [one] One message is sent again.
       *[other] { $count } messages are sent again.
    }
alert-failed =
    A message to { $chat } could not be delivered: { $reason }

    > { $text }

    Send it again with the button, /retry_failed, or `{ $command } failed retry --all`.
alert-unknown =
    It is not known whether a message to { $chat } arrived: { $reason } It will be sent again, with a note, when they write next. Sent now, it may be seen twice.

    > { $text }

    Decide with the buttons, /retry_failed, or `{ $command } failed`.
alert-bot = The bot { $bot } cannot work: { $reason }
why-edited = the sender changed its words before an agent saw it
why-fetched =
    { $count ->
        [0] no file was fetched
        [one] one file was fetched
       *[other] { $count } files were fetched
    }
why-not-fetched = the file { $name } is missing or was not heard: { $said }
reason-not-addressed = it was not said to the bot: no mention, no reply, no command
error-telegram-busy = Telegram asked us to wait.
error-telegram-forbidden = Telegram does not let the bot speak there: { $said }
error-telegram-token = Telegram does not accept the token of this bot any more. Get a new one from BotFather and run `{ $command } telegram connect`.
error-telegram-token-odd = That is no bot token. BotFather gives one like 123456789:AAE...; copy all of it.
error-telegram-token-unknown = Telegram does not know this token. Copy it again from BotFather, all of it.
error-telegram-unreachable = Telegram cannot be reached at { $url }: { $said }. Check the network and telegram.api_base, and try again.
error-telegram-conflict = Another program fetches the updates of this bot, or a webhook of another one is set. Stop the other one, or give this host a bot of its own.
error-telegram-silent = Telegram did not answer ({ $said }).
error-telegram-failed = Telegram failed ({ $said }).
error-telegram-moved = The group has another address now; it is sent there.
error-telegram-refused = Telegram refused it: { $said }
error-telegram-too-big = It is too big for Telegram.
error-telegram-empty = There is nothing in it that Telegram would show.
error-telegram-file-too-big = The file { $name } is too big: Telegram takes at most 50 MB from a bot.
error-telegram-file-gone = The file { $name } is not kept any more.
error-telegram-file-refused = Telegram does not hand out { $name }: { $said }
error-file-not-there = { $name } is not there to be fetched.
error-file-too-long = { $name } is bigger than { $megabytes } MB, the most that is fetched.
error-no-such-bot = There is no bot { $bot }. Connected: { $known }.
error-bot-in-settings = The token of { $bot } is in nanoclaw.toml or TELEGRAM_BOT_TOKEN. Take it out there, and restart the host.
error-telegram-pace = Others are before it; Telegram allows only so many messages at a time.
error-chat-closed = Nothing can be said in this chat any more: { $said }
error-store-away = The database could not be used: { $said }
order-pair-how = Write the code from `nanoclaw pair` behind it: /pair CODE
order-pair-too-often = Too many wrong codes. For an hour none is looked at.
state-undelivered = The message was answered, but the answer did not arrive.

# When it is not known whether something arrived

delivery-again = This may have reached you already:
alert-said-again = They wrote again, so it was sent again, with a note.
alert-arrived = It did arrive.

# What the host notices about itself

alert-suspect =
    The host ended { $deaths ->
        [one] once
       *[other] { $deaths } times
    } while it worked on the same thing ({ $kind } { $key }{ $chat ->
        [none] { "" }
       *[other] , in { $chat }
    }). It may be the cause, so it rests for { $minutes ->
        [one] a minute
       *[other] { $minutes } minutes
    } before the next try. `/stop` in that chat gives it up.
alert-clock-apart = The clock of this machine is { $seconds } s apart from the database's. Times are the database's; set this machine's clock (timedatectl set-ntp true).
alert-aside = A message to { $bot } could not be taken in, and was set aside with its error: `nanoclaw telegram aside` shows it. Everyone else is heard.
error-host-ill = the host fails at every message ({ $said }); nothing is confirmed to the network until it is well again. The log has the reason; `nanoclaw doctor` looks for it.
error-telegram-connecting = not connected to Telegram yet; nobody is heard.
error-telegram-aside = { $count ->
    [one] one update could not be processed today
   *[other] { $count } updates could not be processed today
}: `nanoclaw telegram aside` lists them.
error-telegram-deaf = nothing was heard from Telegram for { $seconds } s.
error-update-fails = a message could not be taken in ({ $said }); it is tried again.

# What stands for something in the usage of a command.
usage-area = AREA
usage-batch = BATCH
usage-choice = CHOICE
usage-code = CODE
usage-company = COMPANY
usage-count = COUNT
usage-group = GROUP
usage-id = ID
usage-name = NAME
usage-note = NOTE
usage-numbers = NUMBERS
usage-permit = PERMIT
usage-person = PERSON
usage-purpose = PURPOSE
usage-question = QUESTION
usage-request = REQUEST
usage-run = RUN
usage-step = STEP
usage-subject = SUBJECT
usage-target = TARGET
usage-task = TASK
usage-text = TEXT
usage-transfer = TRANSFER
usage-what = WHAT
usage-when = WHEN
usage-word = WORD
usage-words = WORDS
