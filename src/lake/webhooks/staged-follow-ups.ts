import type { FollowUp } from "../../domain/webhooks/follow-up.js";
import type { SealedStore } from "../store/sealed-store.js";

const ASKED = "_staging/follow-ups/";
const TAKEN = "_staging/follow-ups-taken/";

export interface StagedFollowUp extends FollowUp {
  /** Name of the event that asked for it. */
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
