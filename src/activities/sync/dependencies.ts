import type { Stream } from "../../streams/stream.js";
import type { Dependencies } from "../dependencies.js";

export interface SyncDependencies extends Dependencies {
  /** Every stream that a sync can read. */
  readonly streams: readonly Stream[];
}
