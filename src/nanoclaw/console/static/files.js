// The files that an agent sent: pictures are shown, voices can be heard, anything else is a link with its name and size.
import * as api from "./api.js";
import { copyOf } from "./pieces.js";
import { bytes } from "./texts.js";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const SOUNDS = ["audio/ogg", "audio/mpeg"];
const TEXT = "text/plain";
const A_WHILE = 60_000;
const MOST_KEPT = 50;
const NEAR = "400px"; // What is about to come into sight is fetched as well.

const isPicture = (file) => PICTURES.includes(file.media_type);

// Pictures that came together are one album, the other files follow.
export function showFiles(files) {
  const pictures = files.filter(isPicture).map(drawPicture);
  const others = files.filter((file) => !isPicture(file));
  const drawn = others.map((file) => (SOUNDS.includes(file.media_type) ? drawSound(file) : drawLink(file)));
  if (pictures.length < 2) return [...pictures, ...drawn];
  const album = copyOf("album-template");
  album.append(...pictures);
  return [album, ...drawn];
}

function drawPicture(file) {
  const link = copyOf("picture-template");
  const picture = link.querySelector("img");
  Object.assign(link, { href: file.url, title: file.name });
  picture.alt = file.name;
  bringWhenSeen(link, file, (local) => {
    link.href = local;
    picture.src = local;
  });
  return link;
}

function drawSound(file) {
  const sound = copyOf("sound-template");
  const audio = sound.querySelector("audio");
  audio.ariaLabel = file.name;
  bringWhenSeen(audio, file, (local) => { audio.src = local; }); // Without it the browser offers no button to play.
  sound.append(drawLink(file));
  return sound;
}

function drawLink({ name, media_type: kind, size, url }) {
  const link = copyOf("file-template");
  Object.assign(link, { href: url, title: name });
  if (kind !== TEXT) link.download = name; // Text can be read in a tab of its own; everything else is saved.
  link.querySelector("bdi").textContent = name;
  link.querySelector("small").textContent = bytes(size);
  return link;
}

// An element cannot send the token, so the page fetches the file and gives the element its own copy. The type is the
// one that the page decided on: nothing that an agent made may run here.
const wanted = new WeakMap(); // Element -> what it is to show.
const kept = new Map(); // Address -> the copy, or the promise of one; the one used last is last.

const sight = new IntersectionObserver((changes) => {
  // What fails is tried again when it comes into sight again, or is clicked; its name stands there meanwhile.
  for (const { target, isIntersecting } of changes) if (isIntersecting) bring(target).catch(() => {});
}, { rootMargin: NEAR });

function bringWhenSeen(element, { url, media_type: kind }, take) {
  wanted.set(element, { url, kind, take });
  sight.observe(element);
}

async function bring(element) {
  const { url, kind, take } = wanted.get(element);
  take(await copyOfFile(url, kind));
  sight.unobserve(element);
}

function copyOfFile(url, kind) {
  const copy = kept.get(url) ?? fetchFile(url, kind);
  kept.delete(url);
  kept.set(url, copy);
  if (kept.size > MOST_KEPT) {
    const [[oldest, itsCopy]] = kept;
    kept.delete(oldest);
    itsCopy.then((local) => forget(oldest, local), () => {});
  }
  return copy;
}

async function fetchFile(url, kind) {
  try {
    return URL.createObjectURL(new Blob([await api.readFile(url)], { type: kind }));
  } catch (error) {
    kept.delete(url);
    throw error;
  }
}

// A picture stays as it was drawn, and is fetched again by a click; a voice, when it is seen.
function forget(url, local) {
  URL.revokeObjectURL(local);
  for (const link of document.querySelectorAll(`a[href="${local}"]`)) link.setAttribute("href", url);
  for (const audio of document.querySelectorAll(`audio[src="${local}"]`)) {
    audio.removeAttribute("src");
    sight.observe(audio);
  }
}

// A link to a file of the host: saved under its name, or opened if it is text. Also with the middle button.
for (const kind of ["click", "auxclick"]) {
  document.addEventListener(kind, (event) => {
    const link = event.target.closest("a[href^='/api/']");
    if (!link || event.button > 1) return;
    event.preventDefault();
    if (link.ariaBusy !== "true") openFile(link);
  });
}

async function openFile(link) {
  link.ariaBusy = "true";
  try {
    if (wanted.has(link)) { // A picture that is not there, or no longer.
      await bring(link);
      link.click();
      return;
    }
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
    link.title = error.message;
  } finally {
    link.ariaBusy = null;
  }
}
