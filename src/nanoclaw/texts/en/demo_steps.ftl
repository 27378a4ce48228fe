# What the demo agent hands in as a step of a pipeline. It looked nothing up: the texts fit any subject, and invent no facts.

demo-step-research = # { $title }: what is known

    ## Question and reader

    What should somebody with little time know about "{ $subject }" before they spend a week on it? The reader leads a small team and decides alone.

    ## Findings

    { $findings }

    ## Against it

    Some teams gain nothing from "{ $subject }" because the work that it touches is too rare. We looked for a rule that says beforehand which teams these are, and found none.

    ## Angle

    Not what "{ $subject }" is, but how to find out within six weeks whether it is worth anything here.

    ## Gaps

    No figures of our own yet: somebody has to count for a week how often the matter comes up.
demo-step-findings = People ask about "{ $subject }" first what it costs them in time, and only then in money (grade C: judgement) | A trial of six weeks with one number before and after settles more about "{ $subject }" than a report (grade C: judgement) | Whoever owns the daily work should own the trial of "{ $subject }", not an expert from outside (grade C: judgement)
demo-step-brief = # Brief: how people look for "{ $subject }"

    - **Intent and reader:** to learn; somebody who has to decide soon
    - **Main keyword:** { $subject }, in the title, the first paragraph and one heading
    - **Other keywords:** { $keywords }

    ## Questions to answer

    { $questions }

    ## To be quoted by assistants

    A definition in one sentence, one number with its date, and an answer that stands alone under each heading.

    ## From the research

    The angle: how to find out within six weeks whether "{ $subject }" is worth anything here.
demo-step-keywords = { $subject } | how to begin with { $subject } | { $subject } for small teams | { $subject } examples | { $subject } costs | { $subject } mistakes | is { $subject } worth it | { $subject } step by step
demo-step-questions = What is "{ $subject }" good for in a small team? | What does "{ $subject }" cost in time? | How do we begin with "{ $subject }"? | How do we see that it works? | When should we stop?
demo-step-outline = # { $title }: find out in six weeks

    - **Promise:** after this article the reader can try "{ $subject }" without betting the year on it
    - **Angle:** { $angle }
    - **Decisions:** { $decisions }

    ## 1. Begin with a question, not with a tool
    Why most attempts start at the wrong end. About 300 words.

    ## 2. Try it small, with one number before and after
    Six weeks, one owner, one number. About 400 words.

    ## 3. What usually goes wrong
    Four mistakes, and how one notices them early. About 400 words.

    ## 4. Decide, and say why
    Go on, change or stop: what each of them needs. About 300 words.

    ## 5. What to do on Monday
    One page, one date, one person. About 250 words.

    - **Beginning:** the meeting in which everybody agrees and nobody starts
    - **End:** write the one question on a sheet of paper today
demo-step-angle = how to find out within six weeks whether it is worth anything here
demo-step-decisions = style: practical | tone: one colleague to another
demo-step-short = # { $title }, in short

    Ask one question about "{ $subject }" that a number can answer. Try it for six weeks with one owner. Compare the number before and after, then go on, change it or stop.

    This text is short on purpose: the demo agent was asked for a short one, so that a gate on its length can be seen to fail.
demo-step-changes = cut the sentences that only announced others | put the point of each section into its first sentence | same words for the same thing throughout
demo-step-doubts = the six weeks are a rule of thumb, not a measured figure
demo-step-text = # { $title }

    This is what the demo agent hands in for this step. It follows a script and looks nothing up; with a key, a real model does the work that the skill describes.

    ## What matters

    Ask one question about "{ $subject }" that a number can answer, and ask it before the work begins.

    ## What follows

    Try it small, for six weeks, with one owner. Write down beforehand which number would change your mind.

    ## What to do next

    Put the question, the number and the name of the owner on one page, and send it to the people whom it concerns.
demo-step-telegram = **{ $title }: find out in six weeks**

    Most teams discuss it for half a year. Six weeks and one number are enough to know.

    - Write down one question that a number can answer
    - Count for a week how things are now
    - Try it with one owner, for six weeks
    - Count again, then go on, change it or stop

    The hard part is the first line: most questions about "{ $subject }" cannot be answered by anything that happens.

    Which number would change your mind?
demo-step-linkedin = We talked about "{ $subject }" for half a year. Then we tried it for six weeks.

    The talks had been good. Everybody agreed, everybody had read something, and after each meeting nothing was different.

    So we wrote one question on a sheet of paper, and below it the number that would answer it. One person owned the trial. Nobody else had to change anything.

    After six weeks we compared two numbers. The discussion took ten minutes.

    What I take from it: the question was the work. The trial was easy once we knew what it should tell us.

    Which of your open topics could be settled by one number? Tell us in the comments.

    { $hashtags }
demo-step-newsletter = Subject: { $topic }: six weeks are enough
    Preview: One question, one owner, one number before and after. Then you know.
    From: {"{{sender_name}}"}

    Hello {"{{first_name}}"},

    you can know in six weeks whether "{ $subject }" is worth your time. Most of us discuss it for longer.

    The way there is short. Write down one question that a number can answer. Count for a week how things are now. Give the trial to one person. After six weeks count again, and decide.

    {"**"}The question is the work**: a trial that cannot fail tells you nothing.

    Take a sheet of paper and write your question down today. If no number could answer it, it is not ready yet.

    {"{{sender_name}}"}

    You get this mail because you asked for it. [Unsubscribe]({"{{unsubscribe_url}}"})
demo-cues-short = short | briefly
demo-cues-long = long | longer | words | full
demo-step-handed-in = Handed in.
demo-step-not-handed-in = I could not hand it in: { $said }

demo-step-article-1 = # { $title }: find out in six weeks

    There is a meeting that every small team knows. Somebody brings up "{ $subject }", everybody has read something about it, everybody agrees that it matters, and an hour later people leave the room with a good feeling and without a single thing to do. A month later the same meeting takes place again. Nobody is lazy, and nobody is wrong. What is missing is a way to find out, with the time and the people that are there, whether the matter is worth anything in this company, for these customers, in this year.

    This article describes such a way. It takes six weeks, one person who owns it, and one number. It does not need a new budget, a consultant or a big decision at the beginning. It ends with a decision, and that is the point: after six weeks you go on, you change something, or you stop and know why. All three are good results. The only bad one is to be still talking about it.
demo-step-article-2 = ## Begin with a question, not with a tool

    Most attempts start at the wrong end. A tool is chosen, an account is opened, a colleague who likes new things spends some evenings with it, and then somebody asks what it has brought. Nobody can say, because nobody had said before what it should bring. The tool is neither good nor bad: it was never asked anything.

    So begin with a question. A good question about "{ $subject }" has three properties. It is about your own work and not about the world: not "will this change our industry?" but "do we answer our customers faster with it?". It can be answered by something that happens, within weeks, in front of your eyes. And it can be answered with no. If you cannot imagine the answer no, you have written down a wish, and a wish cannot be tried.

    Take an hour for it, alone, with paper. Write ten questions and cross out nine. Show the last one to the person whose daily work it touches most, and ask: if the answer were yes, what would you do differently on the next day? If the answer to that is "nothing", the question is not the right one yet. This hour is the most valuable one of the whole undertaking, and the one that is most often left out.
demo-step-article-3 = ## Try it small, with one number before and after

    Now choose the number. It should be one that you have already, or can count by hand: hours, days, messages, orders, returns, complaints. Do not build anything to measure it. A tally on a sheet of paper beside the screen is better than a chart that will be ready in a month. Count for one week before anything changes. That week is dull, and without it the rest is worthless, because later nobody remembers how things were.

    Then give the trial to one person. Not to a group, not to a committee, and not to an expert from outside. It should be somebody who does the work that the trial touches, because only they notice the small things: that it takes two clicks more, that customers ask back, that on Fridays nobody uses it. This person may change details at any time, and writes down what was changed and when. One line for each change is enough.

    Keep everything else as it is. The temptation is great to tidy up two other things on the occasion. Resist it: with three changes at once the number will move, and you will never know which of them moved it. If something else has to change, write it down with the date, and count that week separately.

    Six weeks are long enough for the novelty to wear off. In the first two weeks everything new works, because people pay attention. In the third and fourth it becomes annoying. Only in the fifth and sixth do you see what it will be like when nobody looks at it any more, and that is the state in which you would have to live with it.
demo-step-article-4 = ## What usually goes wrong

    Four mistakes come up again and again, with "{ $subject }" as with anything else that is new. None of them is stupid, and all of them can be noticed early.

    The first: the trial is too big. It touches three teams, needs two agreements and a training, and begins in autumn. A trial that cannot begin next week should be cut in half until it can. What is left over can be the second trial.

    The second: nobody has the time. This is said as if it were a fact like the weather. It is a decision: the person who owns the trial needs half a day in each week, and somebody has to say which other thing will not be done meanwhile. If nobody can say it, the trial will be done in the evenings, and it will be judged by how tired people are.

    The third: success is defined afterwards. After six weeks there are always some good stories. They are true, and they prove nothing. Write down before the beginning from which number on you will go on, and below which you will stop. Two numbers, one date, signed by those who decide. It feels exaggerated, and it saves the longest discussion of all.

    The fourth: bad news arrives late. People do not like to tell that something does not work, least of all when the boss likes it. So ask each week, always on the same day, the same three questions: what did you count, what did you change, what annoyed you? Ten minutes are enough. What annoys people in the second week is what will make them stop in the twelfth.
demo-step-article-5 = ## Who does what

    Three roles are enough, and two of them may be the same person. The owner does the trial, counts and writes down what changes. The one who decides has read the question, has signed the two numbers, and keeps their hands off in between. And somebody asks the three questions each week, someone without an interest in the result. In a small team this is often a colleague from another room, who gets a coffee for it.

    Everybody else should know three things: that there is a trial, how long it lasts, and whom they can tell when something goes wrong. One message is enough. Do not announce that "{ $subject }" is being introduced. It is not being introduced, it is being tried, and the difference decides whether people tell you the truth about it.

    If customers are touched, tell them too, in plain words and before they notice it themselves. People forgive a trial. They do not forgive being made part of one without being told. And if personal data are involved, ask the person who is responsible for them at the beginning, not at the end. The answer is usually yes, with two conditions that are easy to keep as long as nothing has been built.
demo-step-article-6 = ## Decide, and say why

    On the agreed day, put three things on the table: the number from before, the number from now, and the list of what was changed meanwhile. Read them aloud. Then let the owner speak first, and let the one who decides speak last. A discussion that begins with the opinion of the boss ends with it too.

    There are three possible results. Go on: then "{ $subject }" becomes ordinary work, with somebody who is responsible for it after the trial, with its costs in the plan, and with a date on which you look at the number again. Change: then name the one thing that should be different, and run it for another six weeks, with the same number. More than one such round is rarely worth it. Or stop: then switch everything off on the same day, tell all who took part what you have learned, and thank them. A trial that is stopped cleanly costs six weeks. One that is never stopped costs a little every day, for years.

    Whatever you decide, write half a page about it: the question, the two numbers, the decision, and what surprised you. Keep it where the next person will look. In a year somebody will bring up the matter again, and this half page will save them six weeks, or show them what has changed since.
demo-step-article-7 = ## What it costs, honestly

    The costs are small, but they are not zero, and they should be named beforehand. Half a day in each week for the owner makes three days in all. The week of counting costs everybody who takes part a few minutes a day. The weekly questions cost ten minutes. Together with the decision at the end, that is about one working week for the whole team.

    Compare this with what you spend without a trial. Count the meetings of the last half year in which the matter came up, multiply by the people in the room, and you will find that you have paid for several trials already, without getting a result. This calculation, made once and without blame, convinces more people than any argument about the thing itself.
demo-step-article-8 = ## What to do on Monday

    Take one page. At the top write the question about "{ $subject }" that a number can answer. Below it the number, how you will count it, and from which value on you will go on or stop. Then the name of the owner, the name of the one who decides, and two dates: the day on which counting begins, and the day of the decision. Leave the rest of the page empty: there will be something to write down.

    Show it to the people whom it concerns, on the same day, while it is still easy to change. If they laugh about the question, ask why: there is often a better one behind the laughter. If they ask for more time, give them a day, not a month. And then begin to count, even if not everything is clear. It becomes clear by counting.

    Six weeks from now you will know more about "{ $subject }" than most people who write about it, and what you know will be about your own work. Write your one question on a sheet of paper today.
