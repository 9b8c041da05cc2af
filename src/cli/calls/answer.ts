import type { IncomingHttpHeaders } from "node:http";
import type { Operation } from "../../api/operations/operation.js";

export interface ShownAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

export function shownAnswer(
  operation: Operation,
  reply: { readonly status: number; readonly headers: IncomingHttpHeaders },
  body: unknown,
  showSecrets: boolean,
): ShownAnswer {
  const { status, headers } = reply;
  if (showSecrets) return { status, headers, body };
  const masked = Object.entries(headers).map(([name, value]) => [
    name,
    isSecretHeader(name) ? HIDDEN : value,
  ]);
  const paths = (operation.secrets ?? []).map((path) => path.split("."));
  return { status, headers: Object.fromEntries(masked), body: hide(body, paths) };
}

/** JSON, text, or base64. */
export function shownBytes(body: Buffer, contentType: string | undefined): unknown {
  if (body.length === 0) return null;
  if (/^application\/([\w.+-]+\+)?json\b/i.test(contentType ?? "")) {
    try {
      return JSON.parse(body.toString("utf8"));
    } catch {
      // Whatever its content type says.
    }
  }
  const text = body.toString("utf8");
  const isText = !text.includes("\0") && Buffer.from(text, "utf8").equals(body);
  return isText ? text : { base64: body.toString("base64") };
}

export function prettyBody(body: unknown): string {
  return typeof body === "string" ? body : JSON.stringify(body, null, 2);
}

const HIDDEN = "[hidden]";

const SECRET_NAME = /(^|_)(token|secret|password|api_key)$/i;

function isSecretHeader(name: string): boolean {
  return /^(set-)?cookie$|authorization|token|secret|api-key/i.test(name);
}

/** Hides secrets, and the values at the paths that the operation names. */
function hide(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.map((item) => hide(item, paths));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      const below = paths.filter(([head]) => head === name || head === "*").map(([, ...rest]) => rest);
      const secret = below.some((rest) => rest.length === 0) || SECRET_NAME.test(name);
      return [name, secret && item !== null ? HIDDEN : hide(item, below)];
    }),
  );
}
