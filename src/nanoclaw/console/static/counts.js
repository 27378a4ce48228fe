// How many things wait for the person; the bar shows it beside the page where they are.
import * as api from "./api.js";
import * as news from "./news.js";
import { effect, signal } from "./vendor/index.js";

export const questions = signal(0);
export const requests = signal(0);

// A count that cannot be had now comes with the next news, or when the stream is up again.
const countQuestions = news.oneByOne(async () => {
  const found = await api.listQuestions(1).catch(() => null);
  if (found) questions.value = found.total;
});
const countRequests = news.oneByOne(async () => {
  const found = await api.listRequests().catch(() => null);
  if (found) requests.value = found.requests.length;
});

export function keepCounting() {
  effect(() => { if (news.questions.value) countQuestions(); });
  effect(() => { if (news.rooms.value) countRequests(); });
}
