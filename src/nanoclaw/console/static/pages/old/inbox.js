import { noteQuestions, showInbox } from "../../inbox.js";
import { questions } from "../../news.js";
import { makeOld } from "./panel.js";

export default makeOld("inbox", showInbox, questions, noteQuestions);
