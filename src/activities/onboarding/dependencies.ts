import type { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import type { Dependencies } from "../dependencies.js";

/** What the activities of an onboarding work with. */
export interface OnboardingDependencies extends Dependencies {
  /** The customers files that batches run on. */
  readonly batches: FrozenBatches;
}
