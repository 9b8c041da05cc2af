import { Random } from "../../../sandbox/world/random.js";

/** A refusal that quotes values of its request, as services do. */
interface MadeUpRefusal {
  readonly values: readonly string[];
  readonly body: string;
  /** Whether the body was cut. */
  readonly isCut: boolean;
  /** Whether nothing in it can hide a value, so that something must be shown. */
  readonly isPlain: boolean;
}

const NAMES =
  "Jean-Luc|O'Neil|Zoë Dvořák|Müller|Anna Annason|van der Berg|Иван Петров|山田太郎|Nguyễn Thị Hạnh|D'Angelo|Al-Khalīl|Smith".split(
    "|",
  );
const PLACES = "1600 Pennsylvania Avenue|12 Elm St.|Rue de l'Été 7|Čs. armády 41/b|Apt #4".split("|");
const WRITTEN = "zoe.ohara@example.com|jl@post.fr|US|GB|checking|gold plan|M&M's".split("|");

/** The service's own words; no value has three letters in common with one. */
export const OWN =
  "no such playbook|this field|is not supported|must be shorter|not found|is required|was rejected|could not be parsed".split(
    "|",
  );

/** Ways in which a value comes back; the first ones are plain. */
const PLAIN: readonly ((value: string, pick: (below: number) => number) => string)[] = [
  (value) => value,
  (value) => value.toUpperCase(),
  (value) => value.toLowerCase(),
  (value) => `"${value}"`,
  (value) => `'${value}'`,
  (value) => value.normalize("NFKD").replace(/\p{M}/gu, ""),
  (value) => value.replace(/[^\p{L}\p{N}]/gu, ""),
  (value) => value.replace(/[^\p{L}\p{N}]/gu, " "),
  (value) =>
    value
      .split(/[^\p{L}\p{N}]+/u)
      .reverse()
      .join(", "),
  (value, pick) => `${value.slice(0, 2 + pick(value.length))}...`,
  (value, pick) => `***${value.slice(pick(Math.max(1, value.length - 2)))}`,
  (value) => `x_${value}_y`,
  (value) => value.split("").join(" "),
];
const HIDING: typeof PLAIN = [
  (value) => encodeURIComponent(value).replace(/[^%\w]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
  (value) => JSON.stringify(JSON.stringify(value)).slice(1, -1),
  (value) => [...value].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""),
  (value) => [...value].map((sign) => `&#${sign.codePointAt(0)};`).join(""),
  (value) =>
    value.replace(/'/g, "&#39;").replace(/[^\0-\x7f]/g, (sign) => `&#x${sign.charCodeAt(0).toString(16)};`),
  (value, pick) => {
    const at = 1 + pick(value.length - 1);
    return `${value.slice(0, at)}${["\u200b", "\u00ad", "\u0000", "\u202e"][pick(4)]}${value.slice(at)}`;
  },
];

/** Makes refusals, the same ones for a seed. */
export function* madeUpRefusals(seed: number, count: number): Generator<MadeUpRefusal> {
  const random = new Random(seed);
  const pick = (below: number) => Math.floor(random.next() * below);
  const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const digits = (size: number) => Array.from({ length: size }, () => pick(10)).join("");
  const value = () =>
    [
      () => one(NAMES),
      () => `${one(NAMES)} ${one(NAMES)}`,
      () => one(PLACES),
      () => one(WRITTEN),
      () => `+1 (${digits(3)}) ${digits(3)}-${digits(4)}`,
      () => `${digits(3)}-${digits(2)}-${digits(4)}`,
      () => `19${digits(2)}-0${1 + pick(9)}-1${pick(10)}`,
      () => `${digits(4)}.${digits(2)}`,
      () => `fp_id_${digits(8)}`,
    ][pick(9)]?.() ?? "";
  for (let made = 0; made < count; made += 1) {
    const values = Array.from({ length: 1 + pick(6) }, value);
    const isHiding = pick(5) === 0;
    const quotes = Array.from({ length: 1 + pick(2) }, () =>
      one(isHiding ? [...PLAIN, ...HIDING] : PLAIN)(one(values), pick),
    );
    const text = [one(OWN), ...quotes.flatMap((quote) => [quote, one(OWN)])].join(
      one([" ", ": ", ", ", " - "]),
    );
    const isCut = pick(12) === 0;
    const form = pick(5);
    const body =
      form === 0
        ? text
        : form === 1
          ? `<html><body><h1>${text}</h1></body></html>`
          : form === 2
            ? JSON.stringify({ errors: [{ field: one(OWN), text }] })
            : JSON.stringify({ error: { message: text } });
    const whole = isCut ? body.slice(0, body.length - pick(Math.floor(body.length / 2))) : body;
    yield { values, body: whole, isCut, isPlain: !isCut && !isHiding && form !== 1 && form !== 2 };
  }
}

/** A part of a value, of three letters or more, that a text shows beside the service's own words. */
export function partShown(text: string, values: readonly string[]): string | undefined {
  const fold = (one: string) =>
    one
      .normalize("NFKD")
      .replace(/[\p{M}\p{C}]/gu, "")
      .toLowerCase();
  const own = new RegExp(
    `\\[value\\]|(?<![\\p{L}\\p{N}])(?:${OWN.flatMap((words) => words.split(" ")).join("|")}|errors?|field|text|message)(?![\\p{L}\\p{N}])`,
    "giu",
  );
  const left = fold(text.replace(own, "|"))
    .split("|")
    .map((piece) => piece.replace(/[^\p{L}\p{N}]/gu, ""));
  for (const value of values.map((one) => [...fold(one).replace(/[^\p{L}\p{N}]/gu, "")])) {
    for (let at = 0; at + 3 <= value.length; at += 1) {
      const part = value.slice(at, at + 3).join("");
      if (left.some((piece) => piece.includes(part))) return part;
    }
  }
  return undefined;
}
