import { UnsendableError } from "../../domain/failures.js";

const CONTROL_OR_SURROGATE = /[\p{Cc}\p{Surrogate}]/u;

/**
 * Fills a path template (`/users/{fp_id}`), encoding each value as exactly one segment.
 *
 * @throws UnsendableError for a value that would not stay one segment on every server between here and the
 * service: empty, `.`, `..`, with a slash, a backslash, a control character or a lone surrogate.
 */
export function fillPath(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replace(/\{([^{}]+)\}/g, (_, name: string) => encodeSegment(name, values[name]));
}

function encodeSegment(name: string, value: unknown): string {
  const problem = segmentProblem(value);
  if (problem !== undefined) {
    const rule = `path parameter ${name} ${problem}`;
    throw new UnsendableError(rule, `${rule}; nothing was sent. Give the id as the service issued it`);
  }
  return encodeURIComponent(value as string);
}

/** Why a value can't be a path segment, without quoting it; undefined when it can. */
export function segmentProblem(value: unknown): string | undefined {
  if (typeof value !== "string") return "is not text";
  if (value === "") return "is empty";
  if (value === "." || value === "..") return "is a relative path";
  if (/[/\\]/.test(value)) return "has a slash";
  if (CONTROL_OR_SURROGATE.test(value)) return "has a control character or a lone surrogate";
  return undefined;
}
