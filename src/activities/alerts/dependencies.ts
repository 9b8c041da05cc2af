import type { AlertSettings } from "../../domain/alert-settings.js";
import type { ScheduleReader } from "../../intake/alerts/check.js";
import type { Dependencies } from "../dependencies.js";

/** What activities of alerts work with. */
export interface AlertDependencies extends Dependencies {
  /** What this worker judges after each run, and whom it tells; left out where nothing is to be judged. */
  readonly alerts?: AlertSettings | undefined;
  /** Signs what is sent to a webhook: `whsec_` and base64; left out, nothing is signed. */
  readonly alertSecret?: string | undefined;
  readonly schedules: ScheduleReader;
}
