import type { SentCalls } from "../../counts.js";
import type { Unauthorized } from "../../failures.js";
import type { RefusedRequest } from "../../refusals.js";
import type { NewRun } from "../../run.js";
import type { Waiting } from "../../waiting.js";
import type { OnboardingTiming } from "../timing.js";
import type { Verdict } from "../verdict.js";

/** A row that is to run, without personal data. */
export interface RowToRun {
  /** In the file, from 0. */
  readonly row: number;
  readonly line: number;
  /** From 1; one more with every `runs retry`. */
  readonly attempt: number;
  readonly rowKey: string;
  /** Of its open row: {@link customerKey}. */
  readonly key: string;
  /** Whether it needs a vault, documents or a business first. */
  readonly prepare: boolean;
  /** An earlier command's outcome that may still change. */
  readonly open: OpenOutcome | null;
  /** Post again; otherwise a row is posted once, in whatever batch. */
  readonly retry: boolean;
  /** The previous attempt's onboarding: never this attempt's. */
  readonly before: string | null;
}

export interface CustomerInput
  extends RowToRun,
    Pick<BatchRunInput, "batchId" | "runId" | "syncTimeoutSecs" | "plainOutput" | "timing"> {
  readonly batchWorkflowId: string;
  /** Of credentials: refused ones stop all calls of their epoch; a resumed batch begins another. */
  readonly authEpoch: string;
  readonly startedAt: string;
  readonly outputExpected: boolean;
}

export type CustomerRef = Pick<
  CustomerInput,
  "batchId" | "row" | "line" | "attempt" | "rowKey" | "retry" | "before"
>;

/** An outcome that may still change. */
export interface OpenOutcome extends Verdict {
  readonly onboardingId: string;
  readonly version: number;
}

export interface ChunkPlan {
  readonly run: readonly RowToRun[];
  /** Without running. */
  readonly ended: readonly Verdict[];
}

export interface DoneReport extends Verdict, SentCalls {
  readonly kind: "done";
  readonly row: number;
  readonly messageHash: string | null;
  readonly refused?: RefusedRequest;
  /** Of an output that was missing at first. */
  readonly outputCame?: boolean;
}

/** The service refused the key. `requeued`: nothing was posted, and the row must run again. */
interface KeyReport extends SentCalls {
  readonly kind: "requeued" | "refused";
  readonly row: number;
  readonly unauthorized?: Unauthorized;
}

export type CustomerReport =
  | DoneReport
  | KeyReport
  /** Whether its request was lost; null once its effect is known. */
  | { readonly kind: "waits"; readonly row: number; readonly waits: Waiting | null }
  /** The batch's staging is gone. */
  | { readonly kind: "lost"; readonly row: number; readonly runId: string; readonly message: string };

/** What a batch's workflow is started with; nothing personal. */
export interface BatchRunInput extends NewRun {
  readonly batchId: string;
  readonly scope: string;
  readonly upTo: number;
  /** Seconds for a decision; null where it comes later (docs/reference/service.md, "Onboarding creation"). */
  readonly syncTimeoutSecs: number | null;
  readonly window: number;
  /** Equal errors in a row that pause the batch; 0 for never. */
  readonly circuit: number;
  readonly retry: boolean;
  /** Whether `output` is in the table in the clear. */
  readonly plainOutput: boolean;
  readonly timing: OnboardingTiming;
  /** Customers after which it continues as new; left out, a few hundred. */
  readonly startsPerExecution?: number;
  readonly options: Readonly<Record<string, string | number | boolean | null>>;
}
