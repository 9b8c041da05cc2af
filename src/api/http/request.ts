import { z } from "zod";
import { UnsendableError } from "../../domain/failures.js";
import { CONTRACT_WORDS, type ServiceWords } from "../../domain/service/service-words.js";
import type { CheckedRequest, Operation, ParamsOf } from "../operations/operation.js";
import { acceptedForm, kindOf } from "../schemas/accepted-form.js";
import type { Bytes } from "../schemas/byte-source.js";
import { fillPath } from "../schemas/parameters.js";

/** Writes options as headers: a list as repeated lines, a record under its header's prefix (`x-fp-proxy-fwd-*`). */
export function headerLines(
  operation: Operation,
  options: Readonly<Record<string, unknown>>,
): Record<string, string | string[]> {
  const lines: Record<string, string | string[]> = {};
  for (const [option, value] of Object.entries(options)) {
    const header = operation.headerNames?.[option];
    if (header === undefined || value === undefined) continue;
    if (Array.isArray(value)) lines[header] = value.map(String);
    else if (typeof value !== "object" || value === null) lines[header] = String(value);
    else for (const [name, text] of Object.entries(value)) lines[prefixed(header, name)] = String(text);
  }
  for (const [option, header] of Object.entries(operation.alsoAs ?? {})) {
    if (options[option] !== undefined) lines[header] ??= String(options[option]);
  }
  return lines;
}

export function prefixed(pattern: string, name: string): string {
  return `${pattern.slice(0, -1)}${name.toLowerCase()}`;
}

/** A request without its authentication. */
export interface Request {
  readonly target: string;
  /** The link, the user, or whatever else it names; empty for nothing. */
  readonly subject: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Bytes | undefined;
  readonly extraTimeoutMs: number;
  readonly checked: CheckedRequest;
}

/** Checks a call and serializes it. @throws UnsendableError naming operation, field, rule and form, never a value */
export function compileRequest<O extends Operation>(
  operation: O,
  params: ParamsOf<O>,
  words: ServiceWords = CONTRACT_WORDS,
): Request {
  const checked = checkRequest(operation, params);
  const { path, body } = operation.inWords?.(words, checked.body) ?? { ...operation, body: checked.body };
  const sendsBytes = operation.sends === "bytes";
  const [named = (body as { readonly fp_id?: unknown } | undefined)?.fp_id] = Object.values(checked.path);
  return {
    subject: String(named ?? ""),
    target: `${fillPath(path, checked.path)}${queryText(checked.query)}`,
    headers: {
      ...(body === undefined || sendsBytes ? {} : { "content-type": "application/json" }),
      ...headerLines(operation, checked.headers),
    },
    body: body === undefined ? undefined : sendsBytes ? (body as Bytes) : JSON.stringify(body),
    extraTimeoutMs: operation.extraTimeoutMs?.(checked) ?? 0,
    checked,
  };
}

/** Checks every part of a request and the rules between them. @throws UnsendableError */
export function checkRequest<O extends Operation>(operation: O, params: ParamsOf<O>): CheckedRequest {
  const parts = params as { readonly [N in keyof CheckedRequest]?: unknown };
  const { path, query, headers, body } = operation.params;
  const request: CheckedRequest = {
    path: checked(operation, "parameter", path, parts.path ?? {}) as CheckedRequest["path"],
    query: checked(operation, "parameter", query, parts.query ?? {}) as CheckedRequest["query"],
    headers: (headers === undefined
      ? absent(operation, "header option", parts.headers, {})
      : checked(operation, "header option", headers, parts.headers ?? {})) as CheckedRequest["headers"],
    body:
      body === undefined
        ? absent(operation, "body", parts.body, undefined)
        : checked(operation, "body field", body, parts.body === undefined ? leftOut(body) : parts.body),
  };
  const breach = operation.check?.(request);
  if (breach === undefined) return request;
  throw refusal(operation, breach.field, breach.problem, breach.accepted);
}

/** An omitted body counts as an empty one where no field is required. */
function leftOut(body: z.ZodType): unknown {
  return body instanceof z.ZodObject && body.safeParse({}).success ? {} : undefined;
}

function absent(operation: Operation, part: string, value: unknown, none: unknown): unknown {
  if (value === undefined) return none;
  throw refusal(operation, part, `given as ${kindOf(value)}`, `none: the operation takes no ${part}`);
}

function checked(operation: Operation, part: string, schema: z.ZodType, value: unknown): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const path = issue?.path ?? [];
  if (issue?.code === "unrecognized_keys") {
    const names = issue.keys.map((key) => plainName(key)).join(", ");
    throw refusal(operation, `${part} ${names}`, "not known to this operation", acceptedNames(schema));
  }
  const name = path.map((key) => plainName(key)).join(".");
  const field = name === "" ? part.replace(" field", "") : `${part} ${name}`;
  const problem = `${issue?.message} (given: ${kindOf(valueAt(value, path))})`;
  throw refusal(
    operation,
    field,
    problem,
    acceptedForm(schema, path) ?? `an object of ${acceptedNames(schema)}`,
  );
}

function refusal(operation: Operation, field: string, problem: string, accepted: string): UnsendableError {
  const rule = `${field}: ${problem}`;
  return new UnsendableError(rule, `${operation.name}: ${rule}; nothing was sent. Accepted: ${accepted}`);
}

function acceptedNames(schema: z.ZodType): string {
  const names = "shape" in schema ? Object.keys(schema.shape as object) : [];
  return names.length === 0 ? "none" : names.join(", ");
}

// A key in the wrong place may be a value in the wrong place: only what looks like a name is quoted.
function plainName(key: PropertyKey): string {
  const text = String(key);
  return /^[a-z][a-z_]*(\.[a-z_0-9]+)*$|^x-[a-z-]+$|^\d{1,6}$/.test(text) && text.length <= 64
    ? text
    : "(a name that is not quoted)";
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (at, key) =>
      typeof at === "object" && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined,
    value,
  );
}

function queryText(query: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return search.size === 0 ? "" : `?${search}`;
}
