import { go, to } from "./router.js";

export const showWhy = (id) => go(to`/why/${id}`);
