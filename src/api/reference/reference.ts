import { z } from "zod";
import { OPERATIONS } from "../operations/index.js";
import type { NamedSubject, Operation } from "../operations/operation.js";
import { bare, descriptionOf, isRequired } from "../schemas/accepted-form.js";

interface ParameterFacts {
  /** `body` where that is a map or bytes. */
  readonly name: string;
  readonly in: "path" | "query" | "header" | "body";
  readonly required: boolean;
  readonly rule: string;
  readonly header?: string;
}

/** As `nightledger call --list --json` prints it. */
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

/** In the order of path, query, headers and body. */
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

export const AUTH = { secret_key: "secret key", client_token: "client token" } as const;

/** Also the help of `nightledger call`. */
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
