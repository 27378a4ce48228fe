// A file that an agent sent: a picture is shown, anything else is a link with its name and size.
import { copyOf } from "./pieces.js";
import { bytes } from "./texts.js";

const PICTURES = ["image/png", "image/jpeg", "image/gif", "image/webp"];

export function fileLink({ name, media_type: kind, size, url }) {
  const isPicture = PICTURES.includes(kind);
  const link = copyOf(isPicture ? "picture-template" : "file-template");
  link.href = url;
  link.title = name;
  if (isPicture) {
    Object.assign(link.querySelector("img"), { src: url, alt: name });
  } else {
    // Text can be read in a tab of its own; everything else is saved, and must not take the page with it.
    Object.assign(link, kind === "text/plain" ? { target: "_blank", rel: "noopener" } : { download: name });
    link.querySelector("bdi").textContent = name;
    link.querySelector("small").textContent = bytes(size);
  }
  return link;
}
