import { InputError } from "../../domain/failures.js";

/** A header as it was given; it may hold a secret in any place. */
export interface HeaderLine {
  readonly text: string;
  /** Which of them it is, for messages: `--header @file, line 2`. */
  readonly where: string;
}

/** Headers that are forwarded, and those that say what becomes of the answer. */
export interface ProxyHeaders {
  readonly forward: ReadonlyMap<string, HeaderLine>;
  readonly rules: readonly HeaderLine[];
  readonly contentType: HeaderLine | undefined;
}

const FORWARD = "x-fp-proxy-fwd-";
const INGRESS_RULE = "x-fp-proxy-ingress-rule";
const INGRESS_TYPE = "x-fp-proxy-ingress-content-type";

/** Reads header lines; what is returned holds their values alone. @throws InputError that quotes nothing */
export function proxyHeaders(lines: readonly HeaderLine[]): ProxyHeaders {
  const forward = new Map<string, HeaderLine>();
  const rules: HeaderLine[] = [];
  let contentType: HeaderLine | undefined;
  for (const { text, where } of lines) {
    const [, name = "", value = ""] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/.exec(text) ?? [];
    if (name === "") throw refused(where, 'is not of the form "name: value"');
    const lower = name.toLowerCase();
    const line = { text: value, where };
    const forwarded = lower.startsWith(FORWARD) ? lower.slice(FORWARD.length) : "";
    if (lower === INGRESS_RULE) rules.push(line);
    else if (lower === INGRESS_TYPE) {
      if (contentType !== undefined) throw refused(where, `has the same name as ${contentType.where}`);
      contentType = line;
    } else if (forwarded !== "") {
      const first = forward.get(forwarded);
      if (first !== undefined) throw refused(where, `has the same name as ${first.where}`);
      forward.set(forwarded, line);
    } else throw refused(where, "has a name that is not accepted here");
  }
  return { forward, rules, contentType };
}

function refused(where: string, problem: string): InputError {
  return new InputError(
    `${where}: the header ${problem}. Nothing was started. Names that are accepted: ${FORWARD}<name>, ${INGRESS_RULE} and ${INGRESS_TYPE}, ` +
      "each once, except for rules; other headers of a proxy have a flag or a column.",
  );
}
