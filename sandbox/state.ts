import type { KeyRing } from "./auth.js";
import type { CallLog } from "./calls.js";
import type { FaultBook } from "./faults/fault-book.js";
import type { CursorCodec } from "./world/cursor.js";
import type { World } from "./world/world.js";

/** Limits and habits of the service that its contract leaves open (SERVICE.md 4.4, 8). */
export interface ServiceHabits {
  /** Largest `size` of a sync; above it 400. */
  readonly maxSyncSize: number;
  /** `size` of a sync that gives none. */
  readonly defaultSyncSize: number;
  /** Whether a sync without cursor replays the log as it is, or its compacted form. */
  readonly history: "log" | "compacted";
  /** Milliseconds before each answer. */
  latencyMs: number;
}

/** All that a running stand-in holds. */
export interface SandboxState {
  readonly world: World;
  readonly cursors: CursorCodec;
  readonly faults: FaultBook;
  readonly keys: KeyRing;
  readonly calls: CallLog;
  readonly habits: ServiceHabits;
}
