// A new task, for times of its own.
import { html } from "../../vendor/index.js";
import { TaskForm } from "./form.js";

export default () => html`<${TaskForm} kind="scheduled" />`;
