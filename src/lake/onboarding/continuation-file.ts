import { type FileHandle, open } from "node:fs/promises";
import { InputError } from "../../domain/failures.js";
import type { Sealer } from "../../domain/sealer.js";
import type { SealedStore } from "../store/sealed-store.js";
import { batchPrefix } from "./frozen-batch.js";

/** What a sink is given of a customer who must go on: holds secrets. */
export interface Delivery {
  /** The same for every repetition: who takes it drops what was taken already. */
  readonly delivery_id: string;
  readonly batch_id: string;
  readonly line: number;
  readonly fp_id: string | null;
  readonly external_id: string | null;
  readonly onboarding_id: string | null;
  readonly link: string;
  readonly token: string;
  readonly expires_at: string;
}

/** What the lines of a continuation file are for: they open under it, wherever the file was copied to. */
const CONTEXT = "continuation";

/**
 * Appends a delivery as one line, durably: `{"delivery_id": …, "sealed": base64}`; the file is its owner's alone.
 * A last line that a crash or a full disk cut short is ended first, so that it takes no other with it.
 */
export async function appendContinuation(path: string, delivery: Delivery, sealer: Sealer): Promise<void> {
  const sealed = sealer.seal(Buffer.from(JSON.stringify(delivery)), CONTEXT);
  const line = { delivery_id: delivery.delivery_id, sealed: Buffer.from(sealed).toString("base64") };
  const file = await open(path, "a+", 0o600);
  try {
    const begin = (await lacksLineEnd(file)) ? "\n" : "";
    await file.appendFile(`${begin}${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

// A device or a pipe has no size and no last byte.
async function lacksLineEnd(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer.toString() !== "\n";
}

/** What a continuation file holds. */
interface Continuations {
  /** In the clear, each once, in their order. */
  readonly deliveries: readonly Delivery[];
  /** Numbers of the lines that were cut short; what they held was handed over again, as another line. */
  readonly torn: readonly number[];
}

/** Opens the lines of a continuation file. @throws InputError when none is one, or the keys are others. */
export function openedContinuations(text: string, sealer: Sealer): Continuations {
  const found = new Map<string, Delivery>();
  const torn: number[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const whole = parsed(line);
    if (whole === undefined) torn.push(at + 1);
    // Version 0.1.0 appended to a torn line without ending it.
    const sealed = whole ?? parsed(line.slice(line.lastIndexOf(BEGINNING)));
    if (sealed === undefined) continue;
    const bytes = sealer.open(Buffer.from(sealed.sealed, "base64"), CONTEXT);
    found.set(sealed.delivery_id, JSON.parse(Buffer.from(bytes).toString("utf8")) as Delivery);
  }
  if (found.size === 0 && torn.length > 0 && !text.startsWith(BEGINNING)) {
    throw new InputError(
      "none of its lines was written by --continuations. Give the file as it was written, with its line ends.",
    );
  }
  return { deliveries: [...found.values()], torn };
}

const BEGINNING = '{"delivery_id":';

function parsed(line: string): { delivery_id: string; sealed: string } | undefined {
  try {
    const { delivery_id, sealed } = JSON.parse(line);
    if (typeof delivery_id === "string" && typeof sealed === "string") return { delivery_id, sealed };
  } catch {
    // A torn line, or one of another file.
  }
  return undefined;
}

/** Where the links go by which customers finish what a playbook could not. */
export type ContinuationSink =
  /** A file that gets a sealed line for each. */
  | { readonly kind: "file"; readonly path: string }
  /** A shell command that gets one JSON line on its standard input, run once for each. */
  | { readonly kind: "command"; readonly command: string };

/** Keeps a batch's sink, sealed: a history must not say where secrets go. The newest command's counts. */
export async function putSink(sealed: SealedStore, batchId: string, sink: ContinuationSink): Promise<void> {
  await sealed.put(sinkKey(batchId), sink, { durable: true });
}

/** A batch's sink; undefined where links are not handed out. */
export async function getSink(sealed: SealedStore, batchId: string): Promise<ContinuationSink | undefined> {
  return sealed.get<ContinuationSink>(sinkKey(batchId));
}

function sinkKey(batchId: string): string {
  return `${batchPrefix(batchId)}sink`;
}
