import { segmentsOfJsonPath } from "./json-path.js";
import { identifierProblem } from "./vault-identifier.js";

/**
 * Where a proxy finds a value in the target's answer, and under what it goes into a vault
 * (docs/reference/service.md, "Ingress rules").
 */
interface IngressRule {
  readonly fpId: string;
  readonly identifier: string;
  /** JSON path into the target's answer: `$.card.number`. */
  readonly jsonPath: string;
}

/** The form of a rule, for people. */
export const INGRESS_RULE_FORM =
  "<fp_id>.<data identifier>=<JSON path>, such as fp_id_1.custom.pan=$.card.number";

/** Reads `<fp_id>.<data identifier>=<JSON path>`; undefined when it is not of this form. */
export function parseIngressRule(text: string): IngressRule | undefined {
  const result = read(text);
  return typeof result === "string" ? undefined : result;
}

/** Why a text is not an ingress rule, without quoting it; undefined when it is. */
export function ingressRuleProblem(text: string): string | undefined {
  const result = read(text);
  return typeof result === "string" ? result : undefined;
}

/** Writes a rule in its form; throws a RangeError for parts that would not be read back as they are. */
export function ingressRuleText(rule: IngressRule): string {
  const text = `${rule.fpId}.${rule.identifier}=${rule.jsonPath}`;
  const back = read(text);
  if (typeof back === "string") throw new RangeError(`ingress rule: ${back}. Accepted: ${INGRESS_RULE_FORM}`);
  if (back.fpId === rule.fpId && back.identifier === rule.identifier && back.jsonPath === rule.jsonPath) {
    return text;
  }
  throw new RangeError(`ingress rule: a part that the form can't hold. Accepted: ${INGRESS_RULE_FORM}`);
}

function read(text: string): IngressRule | string {
  const equals = text.indexOf("=");
  if (equals < 0) return "no = between identifier and JSON path";
  const target = text.slice(0, equals);
  const dot = target.indexOf(".");
  const fpId = target.slice(0, Math.max(0, dot));
  if (!/^[A-Za-z0-9_-]+$/.test(fpId)) return "no fp_id before the data identifier";
  const identifier = target.slice(dot + 1);
  const problem = identifierProblem("ingress", identifier);
  // "id.x=…" alone reads as the user "id" with the identifier "x".
  if (problem !== undefined) return problem;
  const jsonPath = text.slice(equals + 1);
  if (segmentsOfJsonPath(jsonPath) === undefined) return "no JSON path after the =";
  return { fpId, identifier, jsonPath };
}
