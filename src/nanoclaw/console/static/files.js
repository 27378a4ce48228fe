// The files that an agent sent: pictures are shown, voices can be heard, anything else is a link with its name and size.
import * as api from "./api.js";
import { copyOf } from "./pieces.js";
import { bytes } from "./texts.js";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const SOUNDS = ["audio/ogg", "audio/mpeg"];
const TEXT = "text/plain";
const A_WHILE = 60_000;

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

function drawPicture({ name, url, media_type: kind }) {
  const link = copyOf("picture-template");
  const picture = link.querySelector("img");
  link.title = name;
  picture.alt = name;
  bring(url, kind, (local) => {
    link.href = local;
    picture.src = local;
  });
  return link;
}

function drawSound(file) {
  const sound = copyOf("sound-template");
  const audio = sound.querySelector("audio");
  audio.ariaLabel = file.name;
  bring(file.url, file.media_type, (local) => { audio.src = local; });
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
const local = new Map(); // By address. A line that is drawn again gets the same copy.

function bring(url, kind, take) {
  if (local.has(url)) return take(local.get(url));
  api.readFile(url).then((content) => {
    if (!local.has(url)) local.set(url, URL.createObjectURL(new Blob([content], { type: kind })));
    take(local.get(url));
  }, () => {}); // The name of the file stands there instead.
}

// A link to a file of the host: saved under its name, or opened if it is text. Also with the middle button.
for (const kind of ["click", "auxclick"]) {
  document.addEventListener(kind, (event) => {
    const link = event.target.closest("a[href^='/api/']");
    if (!link || event.button > 1) return;
    event.preventDefault();
    openFile(link);
  });
}

async function openFile(link) {
  if (link.ariaBusy === "true") return;
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
    link.title = error.message;
  } finally {
    link.ariaBusy = null;
  }
}
