# What the demo agent writes in a batch: topics, and sentences from which texts are put together.

demo-batch-things = first orders | delivery times | fair prices | customer questions | quiet seasons | small teams | sturdy packaging | regular guests | daily routines | new products | honest reviews | opening hours
demo-batch-sides = Three mistakes with | What nobody says about | A short guide to | How we learned to love | Five minutes for | The numbers behind | Myths about | Before and after: | A day with | Why it pays to rethink
demo-batch-readers = for beginners | for busy owners | on a Monday morning | before the holidays | without a budget | in a small town | with a new team | when customers complain | after the first year | step by step
demo-batch-why-1 = Most people notice it only when something goes wrong. By then the easy remedies are gone, and what is left costs time.
demo-batch-why-2 = Ask ten colleagues and you hear ten opinions. Look at last month's notes instead, and a pattern appears within minutes.
demo-batch-why-3 = It sounds like a detail. Yet whoever writes to us a second time mentions exactly this, nearly every week.
demo-batch-why-4 = There is a quiet hour between lunch and the afternoon rush. That is when this question comes up again and again.
demo-batch-why-5 = A year ago we shrugged at it too. Then one letter from a reader changed how the whole workshop plans its days.
demo-batch-why-6 = Good habits hide behind boring names. This is one of them: dull on paper, surprisingly pleasant once it runs by itself.
demo-batch-why-7 = Somebody has to begin. Usually it is the person who answers the phone, because every complaint lands there first.
demo-batch-how-1 = Write down what happens between the first click and the finished parcel. Cross out each step that helps no one.
demo-batch-how-2 = Pick one example from yesterday and follow it to its end, with a pencil and without a meeting.
demo-batch-how-3 = Compare two weeks side by side: one as usual, one with a single change. Keep whichever felt lighter.
demo-batch-how-4 = Tell a newcomer about it in four sentences. Wherever they frown, your explanation still has a hole.
demo-batch-how-5 = Start with the smallest version that works on paper. Machines, forms and colours can wait until spring.
demo-batch-how-6 = Let customers choose between three clear answers. Silence is an answer too, so count it honestly.
demo-batch-how-7 = Put the rule where hands are: on the shelf, beside the scale, above the sink. Folders forget, walls remember.
demo-batch-do-1 = Try it on Thursday and tell us in the comments what surprised you.
demo-batch-do-2 = Which part would you leave out? We collect your ideas until Sunday evening.
demo-batch-do-3 = Save this note for the next planning round, and show it to whoever makes the list.
demo-batch-do-4 = Tomorrow we share a checklist that fits on half a page.
demo-batch-do-5 = If you already do it, send a picture: the best one becomes our new header.
demo-batch-do-6 = Send this to a friend who has been putting it off since January.
demo-batch-do-7 = Give it seven days. Nothing else needs to change before that.
demo-batch-list = - first
    - second
    - third
    - fourth
    - fifth
    - sixth
demo-batch-wish = As you wished: { $wish }
