import { refuse } from "../http/answer.js";
import { isDay } from "../world/days.js";

const MONTHS = [
  ...["January", "February", "March", "April", "May", "June"],
  ...["July", "August", "September", "October", "November", "December"],
];

/** A directive of a date format: how it is read, and how it is written. */
interface Directive {
  readonly pattern: string;
  readonly part: "year" | "month" | "day";
  readonly read: (text: string) => number;
  readonly write: (value: number) => string;
}

const two = (value: number) => String(value).padStart(2, "0");
const named = (length: number | undefined): Directive => ({
  pattern: MONTHS.map((month) => month.slice(0, length)).join("|"),
  part: "month",
  read: (text) => MONTHS.findIndex((month) => month.slice(0, length) === text) + 1,
  write: (month) => (MONTHS[month - 1] ?? "").slice(0, length),
});

/** The directives of strftime that make a day; what the contract's formats look like is not shown there. */
const DIRECTIVES: Readonly<Record<string, Directive>> = {
  "%Y": { pattern: "\\d{4}", part: "year", read: Number, write: (year) => String(year).padStart(4, "0") },
  "%y": {
    pattern: "\\d{2}",
    part: "year",
    read: (text) => centuryOf(Number(text)),
    write: (year) => two(year % 100),
  },
  "%m": { pattern: "\\d{2}", part: "month", read: Number, write: two },
  "%d": { pattern: "\\d{2}", part: "day", read: Number, write: two },
  "%e": { pattern: "[ \\d]?\\d", part: "day", read: Number, write: (day) => String(day).padStart(2, " ") },
  "%b": named(3),
  "%B": named(undefined),
};

/** Reads a day by one format and writes it by another. @throws Refusal 400 that does not quote the day. */
export function reformatDate(value: string, from: string, to: string): string {
  const parts = directivesIn(from);
  const pattern = from
    .replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
    .replace(/%[A-Za-z%]/g, (directive) =>
      directive === "%%" ? "%" : `(${DIRECTIVES[directive]!.pattern})`,
    );
  const match = new RegExp(`^${pattern}$`).exec(value);
  if (!match) refuse("transforms: date_format: the value is not of the format it is read by");
  const day = { year: 1970, month: 1, day: 1 };
  parts.forEach(({ part, read }, index) => {
    day[part] = read(match[index + 1] ?? "");
  });
  if (!isDay(`${String(day.year).padStart(4, "0")}-${two(day.month)}-${two(day.day)}`)) {
    refuse("transforms: date_format: the value is not a day");
  }
  directivesIn(to);
  return to.replace(/%[A-Za-z%]/g, (directive) => {
    if (directive === "%%") return "%";
    const { part, write } = DIRECTIVES[directive]!;
    return write(day[part]);
  });
}

function directivesIn(format: string): Directive[] {
  const found = [...format.matchAll(/%(.?)/gs)].map(([directive]) => directive).filter((one) => one !== "%%");
  if (found.length === 0 || found.some((directive) => !DIRECTIVES[directive])) {
    refuse(`transforms: date_format: accepted in a format are ${Object.keys(DIRECTIVES).join(" ")}`);
  }
  return found.map((directive) => DIRECTIVES[directive]!);
}

// As POSIX reads two digits.
function centuryOf(year: number): number {
  return year < 69 ? 2000 + year : 1900 + year;
}
