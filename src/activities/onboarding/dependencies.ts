import type { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import type { OpenCustomers } from "../../lake/onboarding/open-customers.js";
import type { Dependencies } from "../dependencies.js";

export interface OnboardingDependencies extends Dependencies {
  readonly batches: FrozenBatches;
  readonly open: OpenCustomers;
}
