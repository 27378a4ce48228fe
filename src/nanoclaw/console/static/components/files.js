// The files that an agent sent: pictures are shown, voices can be heard, anything else is a link with its name and size.
import * as api from "../api.js";
import { bytes } from "../texts.js";
import { html, useEffect, useRef, useState } from "../vendor/index.js";
import { copyOfFile } from "./file-copies.js";
import { Icon } from "./icon.js";

/** @typedef {{ name: string, media_type: string, size: number, url: string }} Attachment */

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const SOUNDS = ["audio/ogg", "audio/mpeg"];
const TEXT = "text/plain";
const A_WHILE = 60_000;
const NEAR = "400px"; // What is about to come into sight is fetched as well.

/** Pictures that came together are one album, the other files follow. @param {{ files: Attachment[] }} props */
export function Files({ files }) {
  const isPicture = (/** @type {Attachment} */ file) => PICTURES.includes(file.media_type);
  const pictures = files.filter(isPicture).map((file) => html`<${Picture} key=${file.url} file=${file} />`);
  const others = files.filter((file) => !isPicture(file)).map((file) =>
    SOUNDS.includes(file.media_type) ? html`<${Sound} key=${file.url} file=${file} />` : html`<${FileLink} key=${file.url} file=${file} />`);
  return html`${pictures.length < 2 ? pictures : html`<div class="album">${pictures}</div>`}${others}`;
}

/** @param {{ file: Attachment }} props */
function Picture({ file }) {
  const link = useRef(/** @type {any} */ (null));
  const [shown, setShown] = useState(""); // Stays as it was drawn, also when the copy is gone.
  const [local, setLocal] = useState(""); // What a click opens.

  async function bring() {
    const made = await copyOfFile(file.url, file.media_type, () => setLocal(""));
    setShown(made);
    setLocal(made);
    return made;
  }
  useSight(link, bring);

  /** A picture that is not there, or no longer, is fetched by the click. @param {MouseEvent} event */
  async function open(event) {
    if (local || event.button > 1) return;
    event.preventDefault();
    try {
      link.current.href = await bring();
      link.current.click();
    } catch (error) {
      link.current.title = /** @type {Error} */ (error).message;
    }
  }

  return html`
    <a class="picture" target="_blank" rel="noopener" ref=${link} href=${local || file.url} title=${file.name}
       onClick=${open} onAuxClick=${open}><img alt=${file.name} src=${shown || undefined} /></a>`;
}

/** @param {{ file: Attachment }} props */
function Sound({ file }) {
  const audio = useRef(/** @type {any} */ (null));
  const [local, setLocal] = useState(""); // Without it the browser offers no button to play.
  const [forgotten, setForgotten] = useState(0);
  const bring = async () => setLocal(await copyOfFile(file.url, file.media_type, () => {
    setLocal("");
    setForgotten((times) => times + 1);
  }));
  useSight(audio, bring, forgotten);
  return html`
    <div class="sound">
      <audio controls preload="metadata" ref=${audio} aria-label=${file.name} src=${local || undefined}></audio>
      <${FileLink} file=${file} />
    </div>`;
}

/** Text can be read in a tab of its own; everything else is saved. @param {{ file: Attachment }} props */
const FileLink = ({ file }) => html`
  <a class="file" href=${file.url} title=${file.name} download=${file.media_type === TEXT ? undefined : file.name}>
    <${Icon} name="file" />
    <bdi>${file.name}</bdi>
    <small>${bytes(file.size)}</small>
  </a>`;

/**
 * Fetches once the element comes into sight. What fails is tried again when it comes into sight again, or is clicked;
 * its name stands there meanwhile.
 * @param {{ current: Element }} element
 * @param {() => Promise<unknown>} bring
 */
function useSight(element, bring, again = 0) {
  useEffect(() => {
    const sight = new IntersectionObserver((changes) => {
      // A busy browser tells of several changes at once; the last one is how it is.
      if (changes.at(-1)?.isIntersecting) bring().then(() => sight.disconnect(), () => {});
    }, { rootMargin: NEAR });
    sight.observe(element.current);
    return () => sight.disconnect();
  }, [again]);
}

// A link to a file of the host: saved under its name, or opened if it is text. Also with the middle button.
for (const kind of /** @type {const} */ (["click", "auxclick"])) {
  document.addEventListener(kind, (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href^='/api/']") : null;
    if (!(link instanceof HTMLAnchorElement) || event.defaultPrevented || event.button > 1) return;
    event.preventDefault();
    if (link.ariaBusy !== "true") openFile(link);
  });
}

/** @param {HTMLAnchorElement} link */
async function openFile(link) {
  link.ariaBusy = "true";
  try {
    const content = await api.readFile(link.href);
    const isText = !link.download && content.type.split(";")[0] === TEXT;
    const type = isText ? `${TEXT};charset=utf-8` : "application/octet-stream";
    const address = URL.createObjectURL(new Blob([content], { type }));
    const way = Object.assign(document.createElement("a"), { href: address });
    if (isText) Object.assign(way, { target: "_blank", rel: "noopener" });
    else way.download = link.download || link.title;
    way.click();
    setTimeout(() => URL.revokeObjectURL(address), A_WHILE);
  } catch (error) {
    link.title = /** @type {Error} */ (error).message;
  } finally {
    link.ariaBusy = null;
  }
}
