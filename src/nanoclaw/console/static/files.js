// The files that an agent sent: pictures are shown, voices can be heard, anything else is a link with its name and size.
import { copyOf } from "./pieces.js";
import { bytes } from "./texts.js";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const SOUNDS = ["audio/ogg", "audio/mpeg"];

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

function drawPicture({ name, url }) {
  const link = copyOf("picture-template");
  Object.assign(link, { href: url, title: name });
  Object.assign(link.querySelector("img"), { src: url, alt: name });
  return link;
}

function drawSound(file) {
  const sound = copyOf("sound-template");
  Object.assign(sound.querySelector("audio"), { src: file.url, ariaLabel: file.name });
  sound.append(drawLink(file));
  return sound;
}

function drawLink({ name, media_type: kind, size, url }) {
  const link = copyOf("file-template");
  Object.assign(link, { href: url, title: name });
  // Text can be read in a tab of its own; everything else is saved, and must not take the page with it.
  Object.assign(link, kind === "text/plain" ? { target: "_blank", rel: "noopener" } : { download: name });
  link.querySelector("bdi").textContent = name;
  link.querySelector("small").textContent = bytes(size);
  return link;
}
