import type { Asker } from "../../domain/bulk/bulk-job.js";
import type { Dependencies } from "../dependencies.js";

/** What activities of schedules work with. */
export interface ScheduleDependencies extends Dependencies {
  /** In whose name this worker starts runs. */
  readonly asker: Asker;
}
