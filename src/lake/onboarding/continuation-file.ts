import { type FileHandle, open } from "node:fs/promises";
import { InputError } from "../../domain/failures.js";
import type { Sealer } from "../../domain/sealer.js";
import type { SealedStore } from "../store/sealed-store.js";
import { batchPrefix } from "./frozen-batch.js";

/** Holds secrets. */
export interface Delivery {
  /** The same for every repetition, so that the receiver can drop duplicates. */
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

/** The context that the lines are sealed for, wherever the file is copied to. */
const CONTEXT = "continuation";

/**
 * Appends a delivery as one line, durably: `{"delivery_id": …, "sealed": base64}`; only the owner can read the file.
 * Ends a last line first that a crash or a full disk cut short, so that it does not damage this one.
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

async function lacksLineEnd(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { bytesRead, buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 && buffer.toString() !== "\n";
}

/**
 * Opens the lines of a continuation file: each delivery once, and the numbers of lines that were cut short, whose
 * deliveries were repeated on later lines.
 *
 * @throws InputError where no line is a delivery, or the keys are wrong.
 */
export function openedContinuations(
  text: string,
  sealer: Sealer,
): { readonly deliveries: readonly Delivery[]; readonly torn: readonly number[] } {
  const found = new Map<string, Delivery>();
  const torn: number[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const sealed = parsed(line);
    if (sealed === undefined) {
      torn.push(at + 1);
      continue;
    }
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
  } catch {}
  return undefined;
}

/** The path of a batch's file, sealed, because a history must not say where secrets go. A later command replaces it. */
export function keptLinksFile(sealed: SealedStore, batchId: string) {
  return sealed.kept<string>(`${batchPrefix(batchId)}links-file`);
}
