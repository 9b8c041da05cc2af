import { identifierProblem } from "./vault/vault-identifier.js";

/** docs/reference/service.md, "Ingress rules". */
export const INGRESS_RULE_FORM =
  "<fp_id>.<data identifier>=<JSON path>, such as fp_id_1.custom.pan=$.card.number";

/** Why a text is not an ingress rule, without quoting it. */
export function ingressRuleProblem(text: string): string | undefined {
  const equals = text.indexOf("=");
  if (equals < 0) return "no = between identifier and JSON path";
  const target = text.slice(0, equals);
  const dot = target.indexOf(".");
  if (!/^[A-Za-z0-9_-]+$/.test(target.slice(0, Math.max(0, dot))))
    return "no fp_id before the data identifier";
  // "id.x=…" alone reads as the user "id" with the identifier "x".
  const problem = identifierProblem("ingress", target.slice(dot + 1));
  if (problem !== undefined) return problem.rule;
  return segmentsOfJsonPath(text.slice(equals + 1)) === undefined ? "no JSON path after the =" : undefined;
}

const SEGMENT =
  /\.\.?(?:[\p{L}_][\p{L}\p{N}_-]*|\*)|(?:\.\.)?\[(?:\*|-?\d{1,9}|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|-?\d*:-?\d*(?::-?\d+)?|\?[^[\]]+)\]/uy;

/** The segments of a JSON path (of RFC 9535, what is used here); undefined for another text. */
export function segmentsOfJsonPath(text: string): string[] | undefined {
  if (!text.startsWith("$")) return undefined;
  const segments: string[] = [];
  SEGMENT.lastIndex = 1;
  for (let at = 1; at < text.length; at = SEGMENT.lastIndex) {
    const segment = SEGMENT.exec(text)?.[0];
    if (segment === undefined) return undefined;
    segments.push(segment);
  }
  return segments;
}
