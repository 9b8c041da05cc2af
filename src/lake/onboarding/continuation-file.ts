import { open } from "node:fs/promises";
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

/** Appends a delivery as one line, durably: `{"delivery_id": …, "sealed": base64}`; the file is its owner's alone. */
export async function appendContinuation(path: string, delivery: Delivery, sealer: Sealer): Promise<void> {
  const sealed = sealer.seal(Buffer.from(JSON.stringify(delivery)), CONTEXT);
  const line = { delivery_id: delivery.delivery_id, sealed: Buffer.from(sealed).toString("base64") };
  const file = await open(path, "a", 0o600);
  try {
    await file.appendFile(`${JSON.stringify(line)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** The deliveries of a continuation file in the clear, each once, in their order. @throws InputError */
export function openedContinuations(text: string, sealer: Sealer): Delivery[] {
  const found = new Map<string, Delivery>();
  for (const [at, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const { delivery_id, sealed } = parsed(line, at + 1);
    const bytes = sealer.open(Buffer.from(sealed, "base64"), CONTEXT);
    found.set(delivery_id, JSON.parse(Buffer.from(bytes).toString("utf8")) as Delivery);
  }
  return [...found.values()];
}

function parsed(line: string, number: number): { delivery_id: string; sealed: string } {
  try {
    const { delivery_id, sealed } = JSON.parse(line);
    if (typeof delivery_id === "string" && typeof sealed === "string") return { delivery_id, sealed };
  } catch {
    // Says the same of a torn line and of another file.
  }
  throw new InputError(
    `line ${number} is none that --continuations wrote. Give the file as it was written, line ends kept.`,
  );
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
