import type { z } from "zod";
import { InputError } from "../domain/input-error.js";
import type { Operation, ParamsOf } from "./operation.js";
import { fillPath } from "./url-path.js";

/**
 * Checks the parameters of a call and writes them as path and query below the base address.
 *
 * @throws InputError naming operation and parameter, never its value.
 */
export function requestTarget<O extends Operation>(operation: O, params: ParamsOf<O>): string {
  const path = checked(operation, operation.params.path, params.path ?? {});
  const query = checked(operation, operation.params.query, params.query ?? {});
  return `${fillPath(operation.path, path)}${queryText(query)}`;
}

function checked(operation: Operation, schema: z.ZodObject, values: unknown): Record<string, unknown> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const name = issue?.code === "unrecognized_keys" ? issue.keys.join(", ") : issue?.path.join(".");
  throw new InputError(`${operation.name}: parameter ${name}: ${issue?.message}; nothing was sent`);
}

function queryText(query: Record<string, unknown>): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return search.size === 0 ? "" : `?${search}`;
}
