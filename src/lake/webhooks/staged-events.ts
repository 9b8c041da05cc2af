import { createHash } from "node:crypto";
import type { ObjectEntry } from "../store/object-store.js";
import type { SealedStore } from "../store/sealed-store.js";

const EVENTS = "_staging/webhooks/";

export interface StagedEvent {
  readonly messageId: string;
  readonly receivedAt: string;
  readonly body: string;
}

/** The name under which a message is staged: 32 hex digits. */
export function stagedEventName(messageId: string): string {
  return createHash("sha256").update(messageId).digest("hex").slice(0, 32);
}

/** Stages an event, sealed and durable, until it is in the table; `false` when it is staged already. */
export async function stageEvent(sealed: SealedStore, event: StagedEvent): Promise<boolean> {
  return sealed.putIfAbsent(`${EVENTS}${stagedEventName(event.messageId)}`, event);
}

export async function stagedEvent(sealed: SealedStore, name: string): Promise<StagedEvent | undefined> {
  return sealed.get<StagedEvent>(`${EVENTS}${name}`);
}

export async function stagedEvents(
  sealed: SealedStore,
): Promise<(Omit<ObjectEntry, "key"> & { readonly name: string })[]> {
  const entries = await sealed.list(EVENTS);
  return entries
    .map(({ key, ...rest }) => ({ name: key.slice(EVENTS.length), ...rest }))
    .sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime());
}

export async function dropStagedEvent(sealed: SealedStore, name: string): Promise<void> {
  await sealed.delete(`${EVENTS}${name}`);
}
