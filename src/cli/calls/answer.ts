import type { IncomingHttpHeaders } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { Operation } from "../../api/operations/operation.js";
import { answerKey, type KeptAnswer, type ProxyAnswer } from "../../lake/calls/staged-call.js";
import { type SealedStore, sealedStream } from "../../lake/store/sealed-store.js";
import type { OutputFile } from "../terminal/whole-file.js";

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
  const paths = (operation.secrets ?? []).map((path) => path.split("."));
  return { status, headers: Object.fromEntries(shown), body: hide(body, paths) };
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

export interface KeptShown {
  readonly answered_at: string;
  /** Given where a proxy's target answered. */
  readonly target?: Pick<ShownAnswer, "status" | "headers">;
  readonly body: unknown;
}

/**
 * Reads what to show of the answer that is kept below a prefix, without secrets unless they are asked for. With a file,
 * writes the whole body there.
 */
export async function showKept(
  sealed: SealedStore,
  prefix: string,
  operation: Operation,
  showSecrets: boolean,
  file: OutputFile | undefined,
): Promise<KeptShown> {
  const { at, body } = await sealed.require<KeptAnswer<unknown>>(answerKey(prefix));
  const answered_at = new Date(at).toISOString();
  const show = (reply: Pick<ProxyAnswer, "status" | "headers">, given: unknown) =>
    shownAnswer(operation, reply, given, showSecrets);
  if (operation.answers !== "bytes") {
    const given = file === undefined ? body : await written(file, Readable.from([JSON.stringify(body)]));
    return { answered_at, body: show({ status: 200, headers: {} }, given).body };
  }
  const answer = body as ProxyAnswer;
  const bytes = await bytesOf(sealed, answer);
  const type = answer.headers["content-type"];
  const given =
    file === undefined ? shownBytes(await buffer(bytes), type?.toString()) : await written(file, bytes);
  const { status, headers, body: shown } = show(answer, given);
  return { answered_at, target: { status, headers }, body: shown };
}

async function written(file: OutputFile, bytes: Readable): Promise<unknown> {
  await pipeline(bytes, file.sink);
  return { file: file.path, bytes: await file.keep() };
}

async function bytesOf(sealed: SealedStore, { body }: ProxyAnswer): Promise<Readable> {
  const stream = await sealedStream(sealed, body);
  if (stream === undefined)
    throw new Error(`${body} is missing from the lake's staging area, so the answer is lost`);
  return Readable.from(stream.open());
}

const HIDDEN = "[hidden]";

// Wherever an answer of an unknown shape has one of these, it opens something.
const SECRET_NAME = /(^|_)(token|secret|password|api_key)$/i;

function isSecretHeader(name: string): boolean {
  return /^(set-)?cookie$|authorization|token|secret|api-key/i.test(name);
}

/** Hides the secrets of an answer's body, and the personal values at the paths that its operation names. */
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
