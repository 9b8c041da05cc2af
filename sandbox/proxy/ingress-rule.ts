import { isAccepted } from "../vault/identifiers.js";

/**
 * Under what a value of the target's answer goes into a vault, and where it is found
 * (docs/reference/service.md, "Ingress rules").
 */
export interface IngressRule {
  readonly fpId: string;
  readonly identifier: string;
  readonly path: readonly (string | number)[];
}

const SEGMENT =
  /^(?:\.([\p{L}_][\p{L}\p{N}_-]*)|\[(\d{1,9})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\])/u;

/**
 * Reads `<fp_id>.<data identifier>=<JSON path>`; with a user at hand, `<data identifier>=<JSON path>` too.
 * Paths name one value: members and indexes. Wildcards, slices and filters are not taken.
 */
export function parseIngressRule(text: string, fpId?: string): IngressRule | undefined {
  const equals = text.indexOf("=");
  const owner = text.slice(0, Math.max(0, equals));
  const path = jsonPath(text.slice(equals + 1));
  if (!path) return undefined;
  if (fpId !== undefined && isAccepted("proxy", owner)) return { fpId, identifier: owner, path };
  const [, named = "", identifier = ""] = /^([^.]+)\.(.+)$/.exec(owner) ?? [];
  return isAccepted("proxy", identifier) ? { fpId: named, identifier, path } : undefined;
}

/** The value at a path; `undefined` where there is none. */
export function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, segment) => {
    if (typeof inner !== "object" || inner === null || !Object.hasOwn(inner, segment)) return undefined;
    return (inner as Record<string | number, unknown>)[segment];
  }, value);
}

function jsonPath(text: string): (string | number)[] | undefined {
  if (!text.startsWith("$")) return undefined;
  const segments: (string | number)[] = [];
  for (let rest = text.slice(1); rest !== ""; ) {
    const match = SEGMENT.exec(rest);
    if (!match) return undefined;
    const [all, member, index, single, double] = match;
    const quoted = (single ?? double)?.replace(/\\(.)/g, "$1");
    segments.push(index === undefined ? (member ?? quoted ?? "") : Number(index));
    rest = rest.slice(all.length);
  }
  return segments;
}
