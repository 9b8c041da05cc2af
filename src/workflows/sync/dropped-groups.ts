import { proxyActivities } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import { HEARTBEATING } from "../policies.js";

const { dropGroup } = proxyActivities<Activities>(HEARTBEATING);

/** Groups whose staging is being deleted, beside whatever comes next; what fails is deleted with the run's. */
export class DroppedGroups {
  #under: Promise<unknown> = Promise.resolve();

  add(runId: string, plan: string | null): void {
    if (plan === null) return;
    this.#under = Promise.all([this.#under, dropGroup({ runId, plan }).catch(() => undefined)]);
  }

  async ended(): Promise<void> {
    await this.#under;
  }
}
