import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type { Operation } from "../../api/operations/operation.js";
import { answerKey, type KeptAnswer, type ProxyAnswer } from "../../lake/calls/staged-call.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { sealedStream } from "../../lake/store/sealed-stream.js";
import type { OutputFile } from "../terminal/output-file.js";
import { type ShownAnswer, shownAnswer, shownBytes } from "./answer.js";

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
