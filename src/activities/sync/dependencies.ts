import type { Stream } from "../../streams/stream.js";
import type { Dependencies } from "../dependencies.js";

/** Dependencies of a sync's activities. */
export interface SyncDependencies extends Dependencies {
  /** Every stream that a sync can read. */
  readonly streams: readonly Stream[];
}
