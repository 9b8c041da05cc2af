import type { FollowUp } from "../../domain/webhooks/follow-up.js";
import type { SealedStore } from "../store/sealed-store.js";

const ASKED = "_staging/follow-ups/";
const TAKEN = "_staging/follow-ups-taken/";

/** A follow-up that is asked for. */
export interface StagedFollowUp extends FollowUp {
  /** That of the event which asked for it. */
  readonly name: string;
}

/** Asks for a follow-up, durably; under the name of its event, so that a repetition asks once. */
export async function stageFollowUp(
  sealed: SealedStore,
  { name, ...followUp }: StagedFollowUp,
): Promise<void> {
  await sealed.put(`${ASKED}${name}`, followUp, { durable: true });
}

/** Names of follow-ups that are asked for, the oldest first. */
export async function followUpNames(sealed: SealedStore): Promise<string[]> {
  const asked = await sealed.list(ASKED);
  asked.sort((a, b) => a.modifiedAt.getTime() - b.modifiedAt.getTime());
  return asked.map(({ key }) => key.slice(ASKED.length));
}

/** A follow-up; undefined where it was taken since. */
export async function stagedFollowUp(sealed: SealedStore, name: string): Promise<StagedFollowUp | undefined> {
  const followUp = await sealed.get<FollowUp>(`${ASKED}${name}`);
  return followUp && { name, ...followUp };
}

/** Notes which follow-ups a run takes; they stay asked for until {@link endTaking}. */
export async function noteTaken(sealed: SealedStore, runId: string, names: readonly string[]): Promise<void> {
  await sealed.put(`${TAKEN}${runId}`, names, { durable: true });
}

/** Ends the taking of a run: what it has taken is not asked for any more, unless the run did not start. */
export async function endTaking(sealed: SealedStore, runId: string, started: boolean): Promise<void> {
  const taken = (await sealed.get<string[]>(`${TAKEN}${runId}`)) ?? [];
  for (const name of started ? taken : []) await sealed.delete(`${ASKED}${name}`);
  await sealed.delete(`${TAKEN}${runId}`);
}
