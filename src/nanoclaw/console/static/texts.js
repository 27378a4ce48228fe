// How to say texts, times and durations the person's way.
import { boot } from "./session.js";

export { boot };

/** @param {string} key @param {Record<string, string | number>} [args] @returns {string} */
export function t(key, args = {}) {
  return (boot.texts[key] ?? key).replace(/\{\$(\w+)\}/g, (placeholder, name) => String(args[name] ?? placeholder));
}

// "en" does not say whether the clock has 12 or 24 hours; the browser's "en-GB" or "en-US" does.
export const locale = navigator.languages.find((name) => name.split("-")[0] === boot.language) ?? boot.language;

/** Also by another name than its own list has: that knows Kyiv only as it was spelled before. @param {string} name */
export function isZone(name) {
  try {
    return Boolean(new Intl.DateTimeFormat("en", { timeZone: name }));
  } catch {
    return false;
  }
}

// A zone newer than this browser must not stop the page; its own zone is the next best.
const timeZone = isZone(boot.timezone) ? boot.timezone : undefined;

/** @param {Intl.DateTimeFormatOptions} options @param {string} [language] */
export function dateFormat(options, language = locale) {
  const format = new Intl.DateTimeFormat(language, { timeZone, ...options });
  return (/** @type {string | number} */ at) => format.format(new Date(at));
}

export const clock = dateFormat({ timeStyle: "short" });
export const clockSeconds = dateFormat({ timeStyle: "medium" });
export const moment = dateFormat({ dateStyle: "full", timeStyle: "medium" });
export const dayKey = dateFormat({ year: "numeric", month: "2-digit", day: "2-digit" }, "en-CA");

const shortDay = dateFormat({ day: "numeric", month: "short" });
const longDay = dateFormat({ weekday: "long", day: "numeric", month: "long" });
const longDayAndYear = dateFormat({ day: "numeric", month: "long", year: "numeric" });
const relativeDay = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** @param {string | number} at */
export function dayName(at) {
  const [day, today] = [dayKey(at), dayKey(Date.now())];
  const distance = Math.round((Date.parse(day) - Date.parse(today)) / 86_400_000);
  let name = longDayAndYear(at);
  if (distance === 0 || distance === -1) name = relativeDay.format(distance, "day");
  else if (day.slice(0, 4) === today.slice(0, 4)) name = longDay(at);
  return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
}

/** @param {string | number} at */
export function shortTime(at) {
  return dayKey(at) === dayKey(Date.now()) ? clock(at) : shortDay(at);
}

/** @type {[string, number][]} */
const SIZES = [["day", 86_400_000], ["hour", 3_600_000], ["minute", 60_000], ["second", 1000], ["millisecond", 1]];

/** 850 ms, 2.4 s, 3 min, 5 h: the largest unit that still says something. @param {number} milliseconds */
export function duration(milliseconds) {
  const [unit, size] = SIZES.find(([, each]) => milliseconds >= each) ?? SIZES[SIZES.length - 1];
  return amount(unit, size > 1 ? milliseconds / size : Math.round(milliseconds));
}

// 59 minutes
const longMinutes = new Intl.NumberFormat(locale, { style: "unit", unit: "minute", unitDisplay: "long" });
export const minutes = (/** @type {number} */ count) => longMinutes.format(count);

/** 40 s, 12 min, 3 h, 2 days: how much time is left, in the one unit that a card has for it too. @param {number} milliseconds */
export function span(milliseconds) {
  const seconds = Math.ceil(milliseconds / 1000); // "0 s" would be over.
  if (seconds < 60) return amount("second", seconds);
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 120) return amount("minute", minutes);
  const hours = Math.round(minutes / 60);
  return hours < 48 ? amount("hour", hours) : amount("day", Math.round(hours / 24));
}

const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 });
const tenthsRules = new Intl.PluralRules(boot.language, { maximumFractionDigits: 1 });

/** @param {string} unit @param {number} number */
export function amount(unit, number) {
  const count = tenths.format(number);
  return unit === "day" ? t(`console-span-day-${tenthsRules.select(number)}`, { count }) : t(`console-span-${unit}`, { count });
}

// 25%
const percentFormat = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: 0 });
export const percent = (/** @type {number} */ share) => percentFormat.format(share);

/** $0.0123: two digits, or as many as a small sum needs. @param {number} sum */
export function dollars(sum) {
  return `$${sum.toFixed(sum >= 1 || sum === 0 ? 2 : sum >= 0.0001 ? 4 : 6)}`;
}

// 340, 1.2K: how many, as short as it can be said.
const compactNumber = new Intl.NumberFormat(locale, { notation: "compact", maximumFractionDigits: 1 });
export const compact = (/** @type {number} */ count) => compactNumber.format(count);

/** @type {[string, number][]} */
const BYTES = [["gigabyte", 1e9], ["megabyte", 1e6], ["kilobyte", 1e3], ["byte", 1]];

/** 12 kB @param {number} count */
export function bytes(count) {
  const [unit, size] = BYTES.find(([, each]) => count >= each) ?? BYTES[BYTES.length - 1];
  /** @type {Intl.NumberFormatOptions} */
  const options = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: count >= 10 * size ? 0 : 1 };
  return new Intl.NumberFormat(locale, options).format(count / size);
}

/**
 * Where something was done, in the person's words: all bots of Telegram are "Telegram". What nobody did was done nowhere.
 * @param {string | null} via
 * @returns {string}
 */
export function place(via) {
  const [channel] = (via ?? "").split(":");
  if (channel === "timeout") return "";
  return boot.texts[`console-via-${channel === "web" ? "page" : channel.replace(" ", "-")}`] ?? channel;
}

// Which form of a noun goes with a number: "one", "few", "many" or "other".
const pluralRules = new Intl.PluralRules(boot.language);
export const plural = (/** @type {number} */ count) => pluralRules.select(count);
