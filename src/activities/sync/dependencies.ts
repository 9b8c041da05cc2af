import type { Stream } from "../../streams/stream.js";
import type { Dependencies } from "../dependencies.js";

export interface SyncDependencies extends Dependencies {
  readonly streams: readonly Stream[];
}
