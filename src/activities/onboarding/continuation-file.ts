import { open } from "node:fs/promises";
import type { Sealer } from "../../domain/sealer.js";
import type { Delivery } from "./deliver-link.js";

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
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const { delivery_id, sealed } = JSON.parse(line) as { delivery_id: string; sealed: string };
    const bytes = sealer.open(Buffer.from(sealed, "base64"), CONTEXT);
    found.set(delivery_id, JSON.parse(Buffer.from(bytes).toString("utf8")) as Delivery);
  }
  return [...found.values()];
}
