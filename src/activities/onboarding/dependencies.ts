import type { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import type { Dependencies } from "../dependencies.js";

/** Dependencies of the activities of onboardings. */
export interface OnboardingDependencies extends Dependencies {
  /** The customers files that batches run on. */
  readonly batches: FrozenBatches;
}
