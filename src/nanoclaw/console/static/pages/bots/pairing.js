// The code that makes its sender an owner: as text, as a link and as a picture for the camera of a phone.
import * as api from "../../api.js";
import { CopyButton } from "../../components/markup.js";
import { clock, minutes, t } from "../../texts.js";
import { html, useEffect, useRef, useState } from "../../vendor/index.js";

const LOOK_AGAIN_AFTER = 1000;

/** @param {{ bot: import("api").Bot, name: string, code: import("./bots.js").Code, onOver: () => void }} props */
export function Pairing({ bot, name, code, onOver }) {
  const block = useRef(/** @type {HTMLElement | null} */ (null));
  const words = useRef(/** @type {HTMLElement | null} */ (null));
  const [left, setLeft] = useState(minutesTo(code.until));
  const address = bot.username ? `https://t.me/${bot.username}?start=${code.code}` : "";
  useEffect(() => {
    block.current?.focus({ preventScroll: true });
    block.current?.scrollIntoView({ block: "nearest" });
    const timer = setInterval(() => {
      setLeft(minutesTo(code.until));
      if (minutesTo(code.until) <= 0) onOver();
    }, LOOK_AGAIN_AFTER);
    return () => clearInterval(timer);
  }, []);
  return html`
    <section class="pairing" tabindex="-1" role="group" aria-labelledby="pairing-title" ref=${block}>
      <h3 id="pairing-title">${t("console-bots-pairing")}</h3>
      <p class="pairing-sentence">${t("console-bots-pairing-sentence", { bot: name })}</p>
      <div class="pairing-code">
        <pre ref=${words}>/pair ${code.code}</pre>
        <${CopyButton} of=${() => words.current} />
      </div>
      <p class="pairing-until quiet">${t("console-bots-pairing-until", { until: clock(code.until), left: minutes(left) })}</p>
      ${address && html`
        <div class="pairing-link">
          <a class="button primary" href=${address} target="_blank" rel="noopener noreferrer">${t("console-bots-open")}</a>
          <p class="quiet">${t("console-bots-scan")}</p>
          <${Qr} address=${address} label=${t("console-bots-qr", { bot: name })} />
        </div>`}
    </section>`;
}

const minutesTo = (/** @type {number} */ moment) => Math.ceil((moment - Date.now()) / 60_000);

/** Drawn by the host. Without it the link and the code still do. @param {{ address: string, label: string }} props */
function Qr({ address, label }) {
  const [drawn, setDrawn] = useState("");
  useEffect(() => {
    let isGone = false;
    let made = "";
    api.drawQr(address).then((blob) => {
      if (isGone) return;
      made = URL.createObjectURL(blob);
      setDrawn(made);
    }, () => {});
    return () => {
      isGone = true;
      URL.revokeObjectURL(made);
    };
  }, [address]);
  return drawn && html`<img class="qr" src=${drawn} alt=${label} />`;
}
