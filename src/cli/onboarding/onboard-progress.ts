import type { BatchProgress } from "../../domain/onboarding/messages.js";
import type { ProgressForm } from "../session/progress-view.js";

/** How a batch shows how far it is. */
export const ONBOARD_PROGRESS: ProgressForm<BatchProgress> = {
  bar: "onboarding {bar} {value}/{total} customers · {running} running",
  figures: ({ customers: { total, queued, running } }) => ({
    done: total - queued - running,
    total,
    running,
  }),
  line: ({ done, total, running }) => `onboarding: ${done}/${total} customers, ${running} running`,
};
