import { FrozenBatches } from "../lake/frozen-batch.js";
import { admitLinks } from "./admit-links.js";
import { createCallActivities } from "./calls/create-call-activities.js";
import { commit } from "./commit.js";
import type { Dependencies } from "./dependencies.js";
import { discover } from "./discover.js";
import { dropGroup, dropStaging } from "./drop-staging.js";
import { extract } from "./extract.js";
import { asActivityFailure } from "./failure.js";
import { finishRun } from "./finish-run.js";
import { load } from "./load.js";
import { materialize } from "./materialize.js";
import { observeGroup } from "./observe-group.js";
import { findEarlier } from "./onboarding/find-earlier.js";
import { recordOutcomes } from "./onboarding/record-outcomes.js";
import { writeOutcomesCsv } from "./onboarding/write-outcomes-csv.js";
import { planGroup } from "./plan-group.js";
import { RunWarnings } from "./run-warnings.js";

/** All activities over their dependencies: what a worker registers and workflows see the types of. */
export function createActivities(given: Omit<Dependencies, "batches" | "warnings">) {
  const deps: Dependencies = {
    ...given,
    batches: new FrozenBatches(given.sealed),
    warnings: new RunWarnings(given.log),
  };
  const bound = <I, R>(activity: (deps: Dependencies, input: I) => Promise<R>) => {
    return (input: I): Promise<R> => asActivityFailure(() => activity(deps, input));
  };
  return {
    ...createCallActivities(deps),
    admitLinks: bound(admitLinks),
    commit: bound(commit),
    discover: bound(discover),
    dropGroup: bound(dropGroup),
    dropStaging: bound(dropStaging),
    extract: bound(extract),
    findEarlier: bound(findEarlier),
    finishRun: bound(finishRun),
    load: bound(load),
    materialize: bound(materialize),
    observeGroup: bound(observeGroup),
    planGroup: bound(planGroup),
    recordOutcomes: bound(recordOutcomes),
    writeOutcomesCsv: bound(writeOutcomesCsv),
  };
}

export type Activities = ReturnType<typeof createActivities>;
