import type { IncomingHttpHeaders } from "node:http";
import { withoutValues } from "../../domain/service/quoted-values.js";
import type { Operation } from "../operations/operation.js";

export const MOST_READ = 8 * 1024;
const MOST_SHOWN = 200;

/** Fields that usually hold an error's message; the service documents no shape. */
const SAYING = ["message", "detail", "error_description", "error_message", "description", "msg", "title"];

const MAIL = /[^\s"'`<>()[\]{},;:=@]{1,64}@[^\s"'`<>()[\]{},;:=@]{1,255}/gu;
const OPAQUE = /[A-Za-z0-9+/_=-]{20,}/g;
const NUMBER = /\+?\d(?:[ .\-/():T+]{0,3}\d){5,}Z?/g;

export interface RefusalBody {
  readonly bytes: Buffer;
  readonly isWhole: boolean;
  readonly encoding?: string | undefined;
}

/**
 * Makes the reader of an operation's refusals. Undefined where one may quote values that nobody here knows: those of a read,
 * of bytes, of a proxy's target, of the vault.
 *
 * @param values what must not be quoted: texts, numbers, or what holds them
 */
export function refusalReader(
  { method, sends, answers, secrets }: Pick<Operation, "method" | "sends" | "answers" | "secrets">,
  values: readonly unknown[],
): ((body: RefusalBody) => string | undefined) | undefined {
  if (method === "GET" || sends === "bytes" || answers === "bytes" || secrets?.includes("*"))
    return undefined;
  return (body) => refusalWords(body, values);
}

/**
 * What the service said when it refused a request, safe to show and keep anywhere: at most 200 printable characters,
 * with `[value]` for each value, mail address, long number and opaque text. Undefined where it said nothing readable. No
 * code may decide by it (docs/reference/service.md, "HTTP statuses").
 */
function refusalWords(
  { bytes, isWhole, encoding = "identity" }: RefusalBody,
  values: readonly unknown[],
): string | undefined {
  if (encoding !== "identity" || !isWhole || bytes.length > MOST_READ) return undefined;
  const masked = withoutValues(withoutShapes(spokenBy(bytes.toString("utf8"))), values);
  if (masked === undefined || !/[\p{L}\p{N}]/u.test(masked)) return undefined;
  const characters = [...masked];
  return characters.length <= MOST_SHOWN ? masked : `${characters.slice(0, MOST_SHOWN - 1).join("")}…`;
}

/** The message of simple JSON, the visible text of HTML, else the whole. */
function spokenBy(body: string): string {
  if (/^\s*</.test(body))
    return body
      .replace(/<(script|style)\b[\s\S]*?(<\/\1\s*>|$)/gi, " ")
      .replace(/<!--[\s\S]*?(-->|$)/g, " ")
      .replace(/<[^>]*(>|$)/g, " ");
  try {
    return messageOf(JSON.parse(body));
  } catch {
    return body;
  }
}

function messageOf(json: unknown): string {
  if (typeof json === "string") return json;
  if (typeof json !== "object" || json === null || Array.isArray(json)) return JSON.stringify(json);
  const members = Object.entries(json);
  const [only] = members;
  if (members.length === 1 && only !== undefined && !Array.isArray(only[1])) return messageOf(only[1]);
  const isFlat = members.every(([, value]) => typeof value !== "object" || value === null);
  const message = SAYING.map((name) => (json as Record<string, unknown>)[name]).find(
    (text): text is string => typeof text === "string" && text.trim() !== "",
  );
  return isFlat && message !== undefined ? message : JSON.stringify(json);
}

/** Masks what looks personal or secret, although no request sent it. */
function withoutShapes(text: string): string {
  return text
    .replace(MAIL, "[value]")
    .replace(OPAQUE, (word) => (/\d/.test(word) && /[A-Za-z]/.test(word) ? "[value]" : word))
    .replace(NUMBER, "[value]");
}

/** How the header ends that has the target's own status. */
const UPSTREAM = "-proxy-upstream-status-code";

/** What a refusal says where it may be that of a target behind the service. */
export function relayWords(
  { relays }: Operation,
  status: number | undefined,
  headers: IncomingHttpHeaders,
): string | undefined {
  if (!relays || status === undefined || status < 300) return undefined;
  const name = Object.keys(headers).find((each) => each.endsWith(UPSTREAM));
  if (name !== undefined) {
    const [upstream] = /^\d{3}$/.exec(String(headers[name])) ?? ["unknown"];
    return `the target answered with status ${upstream}. Whether it has acted, the target alone knows: find out before you send the request again`;
  }
  if (status !== 400 && status !== 502) return undefined;
  return `status ${status}, of the target or of the service itself, which may answer so after the target has acted (a header that ends in ${UPSTREAM} would name the target's). It is not known whether the request was carried out: find out before you send it again (docs/reference/api-operations.md)`;
}
