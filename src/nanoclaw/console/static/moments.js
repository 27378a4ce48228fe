// Moments on the person's clock, with its distance from UTC; and days as that clock counts them, as "2026-11-16".
import { boot, clock, clockSeconds, dateFormat, dayKey, isZone, locale, shortTime, t } from "./texts.js";

const DAY = 86_400_000;

const shortDay = dateFormat({ weekday: "short", day: "numeric", month: "short" });
const shortDayAndYear = dateFormat({ weekday: "short", day: "numeric", month: "short", year: "numeric" });

/** @typedef {string | number} Moment as the host writes it, or in milliseconds */

/** Mon, Nov 16, 8:00 AM (+02:00): nobody has to guess whose clock it is. @param {Moment} at */
export function zoned(at) {
  const isThisYear = dayKey(at).slice(0, 4) === dayKey(Date.now()).slice(0, 4);
  return `${(isThisYear ? shortDay : shortDayAndYear)(at)}, ${clock(at)} (${offset(at)})`;
}

/**
 * The same where the clock of a task goes otherwise than the person's: what it shows there comes with it.
 * @param {Moment} at
 * @param {string} zone
 */
export function zonedAlso(at, zone) {
  if (!isZone(zone) || offset(at, zone) === offset(at)) return zoned(at);
  const time = dateFormat({ timeStyle: "short", timeZone: zone })(at);
  return `${zoned(at)} · ${t("console-time-there", { time, zone })}`;
}

/** @param {Moment} at @param {string} [timeZone] */
function offset(at, timeZone) {
  return dateFormat({ timeZoneName: "longOffset", ...(timeZone && { timeZone }) }, "en")(at).split("GMT")[1] || "+00:00";
}

export const allZones = () => [...new Set([boot.timezone, ...Intl.supportedValuesOf("timeZone")])];

/** 2026-11-16 08:00, as a task of that zone can be told it again. @param {Moment} at @param {string} timeZone */
export function wallTime(at, timeZone) {
  const zone = isZone(timeZone) ? { timeZone } : {};
  return dateFormat({ dateStyle: "short", timeStyle: "short", hourCycle: "h23", ...zone }, "sv")(at);
}

/** 6 AM, 6:30 AM, 06:00: where there is little room. @param {Moment} at */
export const briefTime = (at) => clock(at).replace(/[:.]00(?=\D)/, "");

/** @param {Moment} at */
const isToday = (at) => dayKey(at) === dayKey(Date.now());

/** 08:00:12 today, otherwise 16 Nov 08:00. @param {Moment} at */
export const exactTime = (at) => isToday(at) ? clockSeconds(at) : `${shortTime(at)} ${clock(at)}`;

/** The same, without the seconds. @param {Moment} at */
export const dayAndTime = (at) => isToday(at) ? clock(at) : `${shortTime(at)} ${clock(at)}`;

// Days

export const today = () => dayKey(Date.now());

/** @param {string} text */
export const isDay = (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));

/** @param {string} day @param {number} count */
export const addDays = (day, count) => new Date(Date.parse(day) + count * DAY).toISOString().slice(0, 10);

/** The same day of another month, or its last one. @param {string} day @param {number} count */
export function addMonths(day, count) {
  const [year, month, date] = day.split("-").map(Number);
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return new Date(Date.UTC(year, month - 1 + count, Math.min(date, last))).toISOString().slice(0, 10);
}

// Monday in most places, Sunday in others; browsers that cannot tell begin with Monday.
const chosen = /** @type {any} */ (new Intl.Locale(locale)); // TypeScript does not know yet what it tells of weeks.
const firstDay = (chosen.getWeekInfo?.() ?? chosen.weekInfo)?.firstDay ?? 1;

/** @param {string} day */
export function weekOf(day) {
  const first = addDays(day, -((new Date(day).getUTCDay() - firstDay + 7) % 7));
  return Array.from({ length: 7 }, (_, index) => addDays(first, index));
}

/** Whole weeks, from that of the first day of its month to that of the last one. @param {string} day */
export function monthOf(day) {
  const first = `${day.slice(0, 8)}01`;
  const last = addDays(addMonths(first, 1), -1);
  const weeks = [];
  for (let week = weekOf(first); week[0] <= last; week = weekOf(addDays(week[6], 1))) weeks.push(week);
  return weeks;
}

/** A day has no zone of its own any more. @param {Intl.DateTimeFormatOptions} options */
const named = (options) => dateFormat({ ...options, timeZone: "UTC" });
export const monthName = named({ month: "long", year: "numeric" });
export const weekdayName = named({ weekday: "short" });
export const fullDay = named({ weekday: "long", day: "numeric", month: "long" });
const range = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });

/** @param {string[]} days */
export const weekName = (days) => range.formatRange(Date.parse(days[0]), Date.parse(days[6]));
