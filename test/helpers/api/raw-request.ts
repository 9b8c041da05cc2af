import { headerLines } from "../../../src/api/http/request.js";
import type { Operation } from "../../../src/api/operations/operation.js";

/** Writes a request as it is, past the client's checks. */
export function rawRequest(
  url: string,
  operation: Operation,
  params: Readonly<Record<string, unknown>>,
  credentials: Readonly<Record<string, string>>,
): Request {
  const part = (name: string) => (params[name] ?? {}) as Readonly<Record<string, unknown>>;
  const path = operation.path.replace(/\{([^}]+)\}/g, (_, name: string) =>
    encodeURIComponent(String(part("path")[name] ?? "")),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(part("query"))) query.append(name, String(value));
  const headers = new Headers(credentials);
  for (const [name, value] of Object.entries(headerLines(operation, part("headers")))) {
    for (const line of [value].flat()) headers.append(name, line);
  }
  const { body } = params;
  if (body !== undefined && operation.sends !== "bytes") headers.set("content-type", "application/json");
  return new Request(`${url}${path}${query.size > 0 ? `?${query}` : ""}`, {
    method: operation.method,
    headers,
    redirect: "manual",
    ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
  });
}
