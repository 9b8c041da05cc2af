import { z } from "zod";
import { OPERATIONS } from "../operations/index.js";
import type { Operation } from "../operations/operation.js";
import { bare, descriptionOf, isRequired } from "../schemas/accepted-form.js";

export interface ParameterFacts {
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
