// The "Inbox" panel: questions that wait for a person, what came of earlier ones, and permits.
import { showDecisions } from "./decisions.js";
import { showPermits } from "./permits.js";
import { byId } from "./pieces.js";
import { lookUp, showQuestions } from "./questions.js";
import { makeTabs, oneByOne } from "./tabs.js";

const inbox = makeTabs(byId("inbox"), {
  questions: showQuestions,
  decisions: showDecisions,
  permits: showPermits,
});

export const showInbox = inbox.open;

// A question is new, was voted on or is decided, here or anywhere else.
export const noteQuestions = oneByOne(async () => {
  const tab = inbox.inSight();
  const looks = tab ? [inbox.look()] : [];
  // A count that cannot be had now comes with the next news, or when the stream is up again.
  if (tab !== "questions") looks.push(lookUp().catch(() => {}));
  await Promise.all(looks);
});
