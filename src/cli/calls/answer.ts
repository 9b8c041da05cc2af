import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "../../api/operations/operation.js";
import { HIDDEN, hideSecrets, isSecretHeader } from "../../api/reference/secret-fields.js";

export interface ShownAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Makes of an answer what to show, without secrets unless `showSecrets` is set. */
export function shownAnswer(
  operation: Operation,
  reply: { readonly status: number; readonly headers: IncomingHttpHeaders },
  body: unknown,
  showSecrets: boolean,
): ShownAnswer {
  const { status, headers } = reply;
  if (showSecrets) return { status, headers, body };
  const shown = Object.entries(headers).map(([name, value]) => [name, isSecretHeader(name) ? HIDDEN : value]);
  return { status, headers: Object.fromEntries(shown), body: hideSecrets(operation, body) };
}

/** Makes of bytes what JSON can show: JSON, text, or base64. */
export function shownBytes(body: Buffer, contentType: string | undefined): unknown {
  if (body.length === 0) return null;
  if (/^application\/([\w.+-]+\+)?json\b/i.test(contentType ?? "")) {
    try {
      return JSON.parse(body.toString("utf8"));
    } catch {
      // It is not JSON, whatever its content type says.
    }
  }
  const text = body.toString("utf8");
  const isText = !text.includes("\0") && Buffer.from(text, "utf8").equals(body);
  return isText ? text : { base64: body.toString("base64") };
}

export function prettyBody(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body, null, 2);
}
