import type { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import type { Dependencies } from "../dependencies.js";

export interface OnboardingDependencies extends Dependencies {
  readonly batches: FrozenBatches;
}
