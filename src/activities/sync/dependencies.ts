import type { Stream } from "../../streams/stream.js";
import type { Dependencies } from "../dependencies.js";

/** What those activities of a sync work with that read more than one stream. */
export interface SyncDependencies extends Dependencies {
  /** Every stream that a sync can read. */
  readonly streams: readonly Stream[];
}
