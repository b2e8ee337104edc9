// Dates, money and sizes in the reader's locale, and names of codes.

const locale = navigator.language;
const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' });
const dateOnly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
const dayOnly = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const monthOnly = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const timeOnly = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });
const dollars = new Intl.NumberFormat(locale, { style: 'currency', currency: 'USD' });
const integer = new Intl.NumberFormat(locale);
const percentage = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

/** @param {number} cents */
export const money = (cents) => dollars.format(cents / 100);
/** @param {number} value */
export const number = (value) => integer.format(value);
/** @param {number} share between 0 and 1 */
export const percent = (share) => percentage.format(share);
/** @param {string} at */
export const dateAndTime = (at) => dateTime.format(new Date(at));
/** @param {string} at */
export const date = (at) => dateOnly.format(new Date(at));
/** @param {string} day `2026-11-22`, a day in UTC */
export const utcDay = (day) => dayOnly.format(new Date(`${day}T00:00:00Z`));
/** @param {string} at */
export const time = (at) => timeOnly.format(new Date(at));
/** @param {string} month `2026-11` */
export const monthName = (month) => monthOnly.format(new Date(`${month}-01T00:00:00Z`));

/**
 * Returns a value of a fact; a date without a year (`--03-12`, ISO 8601) as the day of a month.
 * @param {string} value
 */
export function factValue(value) {
  const date = value.match(/^--(\d\d)(?:-(\d\d))?$/);
  if (!date) return value;
  const at = Date.UTC(2000, Number(date[1]) - 1, Number(date[2] ?? 1));
  const day = date[2] ? /** @type {const} */ ('numeric') : undefined;
  return new Intl.DateTimeFormat(locale, { month: 'long', day, timeZone: 'UTC' }).format(at);
}

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [['day', 86_400], ['hour', 3_600], ['minute', 60], ['second', 1]];

/**
 * Returns how long ago a time is; the date after a month.
 * @param {string} at
 */
export function ago(at) {
  const seconds = (new Date(at).getTime() - Date.now()) / 1000;
  if (Math.abs(seconds) > 30 * 86_400) return date(at);
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? UNITS[3];
  return relative.format(Math.round(seconds / size), unit);
}

/** @param {number} bytes */
export function size(bytes) {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'];
  const index = Math.min(3, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3));
  const options = { style: 'unit', unit: units[index], unitDisplay: index ? 'short' : 'long', maximumFractionDigits: 1 };
  return new Intl.NumberFormat(locale, /** @type {any} */ (options)).format(bytes / 1000 ** index);
}

/**
 * Returns a position in a video: `1:05`.
 * @param {number} ms
 */
export function position(ms) {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/**
 * Returns a code as words: `awaiting_upload` is "Awaiting upload".
 * @param {string} code
 */
export function words(code) {
  const text = code.replaceAll(/[_.]/g, ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * @param {number} count
 * @param {string} one
 * @param {string} [many]
 */
export const plural = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;
