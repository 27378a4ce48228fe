// A person: what they may do everywhere and in single agent groups, and whether they are blocked.
import { patch } from "../../call.js";
import { Card } from "../../components/card.js";
import { isMeant } from "../../components/dialog.js";
import { Field } from "../../components/form.js";
import { IconButton } from "../../components/icon.js";
import { useKeptFocus } from "../../components/settled.js";
import { to } from "../../router.js";
import { boot, t } from "../../texts.js";
import { html, useRef, useState } from "../../vendor/index.js";
import { useSaving } from "./saving.js";

/** @import { Person, PersonChange } from "api" */

const choicesOf = (/** @type {string[]} */ roles) => roles.map((value) => ({ value, text: t(`console-role-${value}`) }));

/** @param {{ person: Person, groups: string[], onChange: (person: Person) => void }} props */
export function PersonCard({ person, groups, onChange }) {
  const { id, name, handle, blocked, memberships } = person;
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const { save, isBusy, problemOf } = useSaving(onChange);
  const [chosen, setChosen] = useState(/** @type {Record<string, string>} */ ({})); // Not stored yet, by agent group.
  useKeptFocus(card, () => card.current?.querySelector("select"));

  /** @param {PersonChange} wanted @param {string} [place] */
  async function change(wanted, place = "") {
    await save("", () => patch("/api/people/{person}", { person: id }, wanted));
    setChosen((was) => ({ ...was, [place]: "" }));
  }

  /** What gives someone power over others, or takes away what they have, is asked about first. */
  async function changeIfMeant(/** @type {string} */ doubt, /** @type {PersonChange} */ wanted, place = "", words = {}) {
    const say = (/** @type {string} */ part) => t(`console-people-${doubt}${part}`, { name, ...words });
    const act = say(doubt === "block" ? "" : "-act");
    if (await isMeant({ title: say("-title"), sentence: say("-sentence"), act })) await change(wanted, place);
    else setChosen((was) => ({ ...was, [place]: "" }));
  }

  const giveRole = (/** @type {string} */ role) => {
    setChosen({ ...chosen, "": role });
    changeIfMeant(role === "none" ? "no-role" : role, { role });
  };
  const giveRoleIn = (/** @type {string} */ group, /** @type {string} */ role) => {
    setChosen({ ...chosen, [group]: role });
    if (role === "admin") changeIfMeant("group-admin", { role, group }, group, { group });
    else change({ role, group }, group);
  };

  const others = groups.filter((group) => !memberships.some((one) => one.group === group));
  const isLocalOwner = handle === boot.handle; // Whoever holds this machine is its owner, whatever anyone chooses here.
  return html`
    <${Card} label=${name} class=${`person ${blocked ? "blocked" : ""}`} isBusy=${isBusy} problem=${problemOf("")} ref=${card}>
      <div class="person-head">
        <p>
          <a class="person-name" href=${to`/people/${id}`}><bdi>${name}</bdi></a>
          ${person.username && html` <span class="person-username">@${person.username}</span>`}
          ${blocked && html` <span class="mark blocked-mark">${t("console-people-blocked")}</span>`}
        </p>
        <p class="quiet handle">${handle}</p>
      </div>
      ${isLocalOwner && html`<p class="quiet local-owner">${t("console-people-local-owner")}</p>`}
      ${!isLocalOwner && html`
        <div class="person-rights">
          <${Field} label=${t("console-people-role")} choices=${choicesOf(["owner", "admin", "none"])} value=${chosen[""] || person.role}
                    onChange=${(/** @type {any} */ { target }) => giveRole(target.value)} />
          <ul class="memberships" aria-label=${t("console-people-memberships")}>
            ${memberships.map(({ group, role }) => html`
              <li class="membership" key=${group}>
                <${Field} label=${group} aria-label=${t("console-people-role-in", { group })} choices=${choicesOf(["admin", "member"])} value=${chosen[group] || role}
                          onChange=${(/** @type {any} */ { target }) => giveRoleIn(group, target.value)} />
                <${IconButton} icon="close" label=${t("console-people-leave", { group })}
                               onClick=${() => changeIfMeant("leave", { role: "none", group }, group, { group })} />
              </li>`)}
          </ul>
          ${others.length > 0 && html`
            <${Field} label=${t("console-people-join")} value=""
                      choices=${[{ value: "", text: t("console-people-join-which") }, ...others.map((group) => ({ value: group, text: group }))]}
                      onChange=${(/** @type {any} */ { target }) => change({ role: "member", group: target.value })} />`}
        </div>
        <p class="person-actions">
          <button type="button" class="link" onClick=${() => blocked ? change({ blocked: false }) : changeIfMeant("block", { blocked: true })}>
            ${t(blocked ? "console-people-unblock" : "console-people-block")}
          </button>
        </p>`}
    <//>`;
}
