import { refuse } from "../http/answer.js";

type Parameter = "count" | "text" | "maybe_empty";

const FORMS: Readonly<Record<string, readonly Parameter[]>> = {
  to_lowercase: [],
  to_uppercase: [],
  to_ascii: [],
  prefix: ["count"],
  suffix: ["count"],
  replace: ["text", "maybe_empty"],
  date_format: ["text", "text"],
  hmac_sha256: ["text"],
  encrypt: ["text", "text"],
  wrap_quotes: [],
};

const ARGUMENT = /^(?:'(?<text>(?:[^'\\]|\\['\\])*)'|(?<count>\d{1,9}))(?:,(?=.)|$)/s;

/** A transform taken apart. */
export interface ParsedTransform {
  readonly name: string;
  readonly texts: readonly string[];
  readonly count: number;
}

/**
 * Takes a transform apart (docs/reference/service.md, "Transforms"). How a quote inside an argument is written is
 * not shown: here `\'`, and `\\` for a backslash; nothing else may follow a backslash, and no spaces
 * are between arguments.
 * @throws Refusal 400 that quotes no argument, for it may be a key.
 */
export function parseTransform(text: unknown): ParsedTransform {
  const [, name = "", , list] = /^([a-z0-9_]+)(\((.*)\))?$/s.exec(String(text)) ?? [];
  const form = FORMS[name];
  if (typeof text !== "string" || !form) refuse("transforms: not one of the accepted forms");
  const given = list === undefined ? [] : argumentsOf(name, list);
  if (given.length !== form.length || (form.length === 0 && list !== undefined)) {
    refuse(`transforms: ${name} takes ${form.length} arguments`);
  }
  form.forEach((parameter, index) => {
    const isCount = typeof given[index] === "number";
    if (isCount !== (parameter === "count"))
      refuse(`transforms: ${name}: argument ${index + 1} is of the wrong kind`);
    if (parameter === "text" && given[index] === "")
      refuse(`transforms: ${name}: argument ${index + 1} is empty`);
  });
  const texts = given.filter((value) => typeof value === "string");
  return { name, texts, count: given.find((value) => typeof value === "number") ?? 0 };
}

function argumentsOf(name: string, list: string): (string | number)[] {
  const found: (string | number)[] = [];
  for (let rest = list; rest !== ""; ) {
    const match = ARGUMENT.exec(rest);
    if (!match) refuse(`transforms: ${name}: arguments must be numbers or texts in single quotes`);
    const { text, count } = match.groups ?? {};
    found.push(text === undefined ? Number(count) : text.replace(/\\(['\\])/g, "$1"));
    rest = rest.slice(match[0].length);
  }
  return found;
}
