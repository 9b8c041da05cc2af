import type { BrokenRule } from "../row-problem.js";
import { hasLoneSurrogate } from "../service/transaction-values.js";

/** How a value is written into a body. */
type BodyForm = "json" | "form" | "text";

/** A body with places for values of a row: `{{column}}`. A name with a dot is a placeholder of the service and stays. */
export interface BodyTemplate {
  readonly text: string;
  readonly form: BodyForm;
}

/** A rule that a row breaks, and the column to blame; null for the body as a whole. */
type TemplateProblem = BrokenRule & { readonly column: string | null };

const COLUMN = /\{\{\s*([^{}\s.](?:[^{}.]*[^{}\s.])?)\s*\}\}/g;
const PLACEHOLDER = /\{\{[^{}]*\}\}/g;

/** The form of a body of this content type. */
export function bodyForm(contentType: string): BodyForm {
  if (/[/+]json\s*(;|$)/i.test(contentType)) return "json";
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(contentType) ? "form" : "text";
}

/** Fills the values of a row in. A value is never read as a part of the template. */
export function filledBody({ text, form }: BodyTemplate, row: Readonly<Record<string, unknown>>): string {
  return text.replace(COLUMN, (_, name: string) => valueText(row[name], form));
}

/** Why a row's values can't be filled in; none quotes a value. */
export function templateProblems(
  template: BodyTemplate,
  row: Readonly<Record<string, unknown>>,
): readonly TemplateProblem[] {
  const names = new Set([...template.text.matchAll(COLUMN)].map(([, name = ""]) => name));
  const problems = [...names].flatMap((column) => {
    const broken = Object.hasOwn(row, column) ? valueProblem(row[column]) : MISSING;
    return broken === undefined ? [] : [{ column, ...broken }];
  });
  if (problems.length > 0) return problems;
  const filled = filledBody(template, row);
  const expected = placeholders(template.text.replace(COLUMN, "x"));
  if (placeholders(filled).join() !== expected.join()) return [{ column: null, ...MAKES_PLACEHOLDER }];
  return template.form === "json" && !isJson(filled) ? [{ column: null, ...NO_JSON }] : [];
}

const MISSING = { code: "missing", rule: "is missing, and the body template needs it" };
const DECIMAL = {
  code: "inexact_number",
  rule: "is a number with decimals, or a large one: give it as text, or its digits may change",
};
const LONE_SURROGATE = { code: "lone_surrogate", rule: "has a lone surrogate" };
const MAKES_PLACEHOLDER = {
  code: "makes_placeholder",
  rule: "has a value that would be a placeholder of the service in the body",
};
const NO_JSON = { code: "not_json", rule: "does not make JSON of the body template" };

function valueProblem(value: unknown): BrokenRule | undefined {
  if (typeof value === "number") return Number.isSafeInteger(value) ? undefined : DECIMAL;
  if (typeof value === "string") return hasLoneSurrogate(value) ? LONE_SURROGATE : undefined;
  return hasInexactNumber(value) ? DECIMAL : undefined;
}

/** Whether a JSON value holds a number that JavaScript changed when it read it. */
export function hasInexactNumber(value: unknown): boolean {
  if (typeof value === "number") {
    return Number.isInteger(value) ? !Number.isSafeInteger(value) : !Number.isFinite(value);
  }
  return typeof value === "object" && value !== null && Object.values(value).some(hasInexactNumber);
}

function valueText(value: unknown, form: BodyForm): string {
  if (form === "json")
    return typeof value === "string" ? JSON.stringify(value).slice(1, -1) : jsonText(value);
  const text = typeof value === "string" ? value : jsonText(value);
  return form === "form" ? encodeURIComponent(text) : text;
}

function jsonText(value: unknown): string {
  return JSON.stringify(value) ?? "";
}

function placeholders(text: string): readonly string[] {
  return text.match(PLACEHOLDER) ?? [];
}

/** The service may put anything in the place of its placeholders, in a text or as a value. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(PLACEHOLDER, "0"));
    return true;
  } catch {
    return false;
  }
}
