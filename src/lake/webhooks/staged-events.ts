import { createHash } from "node:crypto";
import type { FollowUp } from "../../domain/webhooks/event-plan.js";
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

const ASKED = "_staging/follow-ups/";
const TAKEN = "_staging/follow-ups-taken/";

export interface StagedFollowUp extends FollowUp {
  readonly name: string;
}

/** Stages a follow-up, durably; under the name of its event, so that a repeated event asks once. */
export async function stageFollowUp(
  sealed: SealedStore,
  { name, ...followUp }: StagedFollowUp,
): Promise<void> {
  await sealed.put(`${ASKED}${name}`, followUp, { durable: true });
}

export async function followUpNames(sealed: SealedStore): Promise<string[]> {
  const asked = await sealed.list(ASKED);
  asked.sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime());
  return asked.map(({ key }) => key.slice(ASKED.length));
}

/** A follow-up; undefined where a run has taken it since. */
export async function stagedFollowUp(sealed: SealedStore, name: string): Promise<StagedFollowUp | undefined> {
  const followUp = await sealed.get<FollowUp>(`${ASKED}${name}`);
  return followUp && { name, ...followUp };
}

/** Records which follow-ups a run takes; they stay staged until {@link endTaking}. */
export async function noteTaken(sealed: SealedStore, runId: string, names: readonly string[]): Promise<void> {
  await sealed.put(`${TAKEN}${runId}`, names, { durable: true });
}

/** Deletes the follow-ups that a run has taken, unless the run did not start. */
export async function endTaking(sealed: SealedStore, runId: string, started: boolean): Promise<void> {
  const taken = (await sealed.get<string[]>(`${TAKEN}${runId}`)) ?? [];
  for (const name of started ? taken : []) await sealed.delete(`${ASKED}${name}`);
  await sealed.delete(`${TAKEN}${runId}`);
}
