import type { SentCalls } from "../../counts.js";
import type { Unauthorized } from "../../failures.js";
import type { RefusedRequest } from "../../refusals.js";
import type { NewRun } from "../../run.js";
import type { Waiting } from "../../waiting.js";
import type { OnboardingTiming } from "../timing.js";
import type { Verdict } from "../verdict.js";

/** A row that is to run, as histories may hold it: by numbers and hashes. */
export interface RowToRun {
  /** Index in the file, from 0. */
  readonly row: number;
  readonly line: number;
  /** From 1; one more with every `runs retry`. */
  readonly attempt: number;
  /** Hash of its content. */
  readonly rowKey: string;
  /** Hash of whom it is about: part of the open row's key. */
  readonly identity: string;
  /** Whether the vault must be written, documents uploaded or a business made before the onboarding. */
  readonly prepare: boolean;
  /** The outcome of an earlier command that may still change; null where nothing was posted. */
  readonly open: OpenOutcome | null;
  /** A `runs retry` of the row posts again; otherwise a row is posted once, whatever batch it is in. */
  readonly retry: boolean;
  /** The onboarding of the previous attempt: never taken for this attempt's. */
  readonly before: string | null;
}

/** A row as its batch hands it over; nothing personal. */
export interface CustomerInput
  extends Omit<RowToRun, "identity">,
    Pick<BatchRunInput, "batchId" | "runId" | "syncTimeoutSecs" | "plainOutput" | "timing"> {
  readonly batchWorkflowId: string;
  /** The auth epoch: once the credentials were refused, its calls stop; a resumed batch has another one. */
  readonly authEpoch: string;
  /** ISO instant at which the row began. */
  readonly startedAt: string;
  readonly outputExpected: boolean;
}

/** Which row's calls and outcomes are meant. */
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
  /** Of rows that have their outcome without running: wrong, posted before, or cancelled before they began. */
  readonly ended: readonly Verdict[];
}

export interface DoneReport extends Verdict, SentCalls {
  readonly kind: "done";
  readonly row: number;
  /** Hash of the error message it ended with; null without one. */
  readonly messageHash: string | null;
  readonly refused?: RefusedRequest;
  /** Whether an output came that was missing at first; left out where none was missing. */
  readonly outputCame?: boolean;
}

/** The service refused the key. `requeued`: nothing was posted, and the row must run again; `refused`: it is posted and continues. */
interface KeyReport extends SentCalls {
  readonly kind: "requeued" | "refused";
  readonly row: number;
  readonly unauthorized?: Unauthorized;
}

export type CustomerReport =
  | DoneReport
  | KeyReport
  /** Its request was lost, and is looked for; null once its effect is known. */
  | { readonly kind: "waits"; readonly row: number; readonly waits: Waiting | null }
  /** The batch's staging is gone, so that no outcome can be staged. */
  | { readonly kind: "lost"; readonly row: number; readonly runId: string; readonly message: string };

/** What a batch's workflow is started with; nothing personal, the rows are frozen. */
export interface BatchRunInput extends NewRun {
  readonly batchId: string;
  readonly scope: string;
  /** Without its version tag. */
  readonly playbookKey: string;
  /** Rows of the file that may run. */
  readonly upTo: number;
  /** Seconds for a decision; null where it comes later (docs/reference/service.md, "Onboarding creation"). */
  readonly syncTimeoutSecs: number | null;
  /** Customers in work at once. */
  readonly window: number;
  /** Equal error messages in a row that pause the batch; 0 for never. */
  readonly circuit: number;
  readonly retry: boolean;
  /** Whether `output` is in the table in the clear. */
  readonly plainOutput: boolean;
  readonly timing: OnboardingTiming;
  /** Customers after which it continues as new; left out, a few hundred. */
  readonly startsPerExecution?: number;
  /** The command's options, for the table `runs`. */
  readonly options: Readonly<Record<string, string | number | boolean | null>>;
}
