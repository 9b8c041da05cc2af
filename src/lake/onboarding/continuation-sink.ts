import type { SealedStore } from "../store/sealed-store.js";
import { batchPrefix } from "./frozen-batch.js";

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
