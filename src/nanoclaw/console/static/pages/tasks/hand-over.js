// Work that begins at once, and takes long.
import { html } from "../../vendor/index.js";
import { TaskForm } from "./form.js";

export default () => html`<${TaskForm} kind="background" />`;
