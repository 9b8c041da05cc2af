import { z } from "zod";
import { OPERATIONS } from "../operations/index.js";
import type { NamedSubject, Operation } from "../operations/operation.js";
import { bare, descriptionOf, isRequired } from "../schemas/accepted-form.js";

interface ParameterFacts {
  /** Its name; of a body that is a map or bytes, `body`. */
  readonly name: string;
  readonly in: "path" | "query" | "header" | "body";
  readonly required: boolean;
  readonly rule: string;
  readonly header?: string;
}

/** One operation of the registry, as `nightledger call --list --json` prints it. */
interface OperationFacts {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  readonly auth: string;
  readonly idempotent: boolean;
  readonly params: readonly ParameterFacts[];
}

export function operationFacts(): OperationFacts[] {
  return OPERATIONS.map((operation) => {
    const { name, method, path, auth, idempotent } = operation;
    return { operation: name, method, path, auth, idempotent, params: parametersOf(operation) };
  });
}

/** What an operation takes, in the order of path, query, headers and body. */
export function parametersOf(operation: Operation): ParameterFacts[] {
  const { path, query, headers, body } = operation.params;
  const token: ParameterFacts = {
    name: "client_token",
    in: "header",
    required: true,
    rule: "a client token made for the user",
    header: "x-fp-authorization",
  };
  return [
    ...fieldsOf("path", path),
    ...fieldsOf("query", query),
    ...(operation.auth === "client_token" ? [token] : []),
    ...fieldsOf("header", headers).map((facts) => {
      const header = operation.headerNames?.[facts.name];
      return header === undefined ? facts : { ...facts, header };
    }),
    ...(body === undefined ? [] : bodyFacts(body)),
  ];
}

function fieldsOf(place: ParameterFacts["in"], schema: z.ZodObject | undefined): ParameterFacts[] {
  return Object.entries((schema?.shape ?? {}) as Record<string, z.ZodType>).map(([name, field]) => ({
    name,
    in: place,
    required: isRequired(field),
    rule: descriptionOf(field) ?? "text",
  }));
}

function bodyFacts(schema: z.ZodType): ParameterFacts[] {
  const inner = bare(schema);
  if (inner instanceof z.ZodObject) return fieldsOf("body", inner);
  return [{ name: "body", in: "body", required: isRequired(schema), rule: descriptionOf(schema) ?? "" }];
}

<<<<<<< HEAD
export const AUTH = { secret_key: "secret key", client_token: "client token" } as const;
=======
const HEAD = `# Operations

Generated from the registry in \`src/api/operations/\`; a test fails when it is stale. \`npx vitest run test/api/reference/reference.test.ts -u\` rewrites it.

Every operation of the service, as the client knows it. The client checks a request before it sends anything, and refuses one that breaks a rule with the field, the rule and the accepted form. Answers may hold fields that are not named here; a named field of another type is a \`SchemaError\`, which is not retried. The service's document does not show error bodies, so they are never used: only the status decides (\`errors.md\`). Redirects are never followed.

*Idempotent* means that sending a request twice does no harm. *Lost answer* says how to resolve a request that may have been carried out although no usable answer came. Jobs and \`call --durable\` do this when they repeat a call; the client itself never sends anything twice. If they look for an effect and don't find it, they send the request again no sooner than ten seconds after the lost one, and \`synchronous_timeout_secs\` later where that was given. A request that was refused (a 4xx but 408), or never left, is not lost.

A 2xx answer that is not JSON (a proxy's page, an empty body, truncated JSON) says nothing about what the service did. Where the answer is \`{}\`, anything else says nothing either: another status than 200, a list of errors. For a request that changes something it is a lost answer and is resolved as one: after at most five such answers, to the request or to the search for its effect, in about two minutes, the request fails with a \`LostAnswerError\`, which says where to look. A read is sent again as often. Any other JSON of the wrong shape is a \`SchemaError\`, and so is an answer with a key twice.

An answer may name what it is about. If it names something else than what was asked for, as when a cache mixes up answers, it is not used: that is an \`AnotherSubjectError\`, which is not retried. A field that the answer leaves out, and one for which the request gave nothing, is not compared.

Server operations send the secret key (HTTP Basic, no password); client operations send a client token in \`x-fp-authorization\` and never the key.
`;

/** The text of \`docs/reference/api-operations.md\`. */
export function referencePage(): string {
  const parts = [...new Set(OPERATIONS.map(({ part }) => part))];
  const sections = parts.map((part) => {
    const operations = OPERATIONS.filter((operation) => operation.part === part);
    return `## ${part[0]?.toUpperCase()}${part.slice(1)}\n\n${operations.map(operationText).join("\n")}`;
  });
  return `${HEAD}\n${indexTable()}\n${sections.join("\n")}`;
}

function indexTable(): string {
  const lines = OPERATIONS.map(
    ({ name, method, path, auth, idempotent }) =>
      `| [\`${name}\`](#${name}) | \`${method} ${path}\` | ${AUTH[auth]} | ${idempotent ? "yes" : "no"} |`,
  );
  return `${["| operation | request | authentication | idempotent |", "| --- | --- | --- | --- |", ...lines].join("\n")}\n`;
}

const AUTH = { secret_key: "secret key", client_token: "client token" } as const;
>>>>>>> h3

/** Describes one operation, also as the help of \`nightledger call\`. */
export function operationText(operation: Operation): string {
  const { name, summary, method, path, auth, idempotent, lostAnswer, answer, names, notShown, list } =
    operation;
  const facts = [
    ["Authentication", AUTH[auth]],
    ["Answer", answer],
    ...(names === undefined ? [] : [["Must name what was asked for", names.map(nameWords).join("; ")]]),
    ...(list === undefined ? [] : [["Paging", paging(operation)]]),
    ["Idempotent", idempotent ? "yes" : "no"],
    ["Lost answer", lostAnswer],
    ...(notShown === undefined ? [] : [["Not shown by the document", notShown]]),
  ];
  const lines = facts.map(([word, text]) => `- ${word}: ${text}`);
  return `### ${name}\n\n\`${method} ${path}\`: ${summary}\n\n${parameterTable(parametersOf(operation))}${lines.join("\n")}\n`;
}

function nameWords({ field, parameter }: NamedSubject): string {
  const name = parameter.slice(parameter.indexOf(".") + 1);
  return `${field === "*" ? "each key" : `\`${field}\``} as \`${name}\``;
}

function paging({ list }: Operation): string {
  const rest = "`readList` gives each row once; when the list changes while it is read, it starts again";
  if (list?.style === "next_page") return `\`page\`, \`page_size\`, \`meta.next_page\`. ${rest}`;
  return `\`page\`, \`size\`, \`total\`. ${rest}`;
}

function parameterTable(facts: readonly ParameterFacts[]): string {
  if (facts.length === 0) return "No parameters.\n\n";
  const lines = facts.map(({ name, in: place, required, rule, header }) => {
    const where = header === undefined ? place : `header \`${header}\``;
    return `| \`${name}\` | ${where} | ${required ? "yes" : "no"} | ${cell(rule)} |`;
  });
  return `${["| name | in | required | rule |", "| --- | --- | --- | --- |", ...lines].join("\n")}\n\n`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replace(/<([a-z_ ]+)>/gi, "&lt;$1&gt;");
}
