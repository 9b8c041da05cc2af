import { randomUUID } from "node:crypto";
import { chip, code, html, joined, type Markup, paragraph, preformatted } from "../../pages/parts.js";
import type { Asked } from "./page.js";
import type { SteeredCommand } from "./steer.js";

const MOST_REASON = 200;

/** What a button does: a command, which the button shows. */
interface Action {
  readonly label: string;
  /** Whether the command takes the reason; it is asked for in any case, for the record. */
  readonly takesReason?: boolean;
  readonly words: readonly string[];
}

/** Each acts on one thing, whose id or name follows the words. */
const ACTIONS = {
  "run-continue": { label: "Continue", words: ["runs", "continue"] },
  "run-retry": { label: "Retry what failed", words: ["runs", "retry"] },
  "run-cancel": { label: "Cancel", words: ["runs", "cancel"] },
  "batch-pause": { label: "Pause", words: ["runs", "pause"] },
  "batch-resume": { label: "Resume", words: ["runs", "resume"] },
  "batch-retry": { label: "Retry failed rows", words: ["runs", "retry"] },
  "batch-cancel": { label: "Cancel", words: ["runs", "cancel"] },
  "schedule-trigger": { label: "Run now", words: ["schedule", "trigger"] },
  "schedule-pause": { label: "Pause", words: ["schedule", "pause"], takesReason: true },
  "schedule-unpause": { label: "Unpause", words: ["schedule", "unpause"] },
  "row-resolve": { label: "Close", words: ["quarantine", "resolve", "--row"], takesReason: true },
} as const satisfies Readonly<Record<string, Action>>;

export type ActionName = keyof typeof ACTIONS;

/** A button with the command that it is, sent once however often it is pressed; nothing where pages are only read. */
export function actionForm({ form: key }: Asked, name: ActionName, subject: string): Markup | null {
  const { label, words, takesReason }: Action = ACTIONS[name];
  const command = [...words, subject, ...(takesReason ? ['--reason "…"'] : [])].join(" ");
  if (key === undefined) return null;
  return html`<form class="act" method="post" action="/act">
<input type="hidden" name="form" value="${key}"><input type="hidden" name="once" value="${randomUUID()}"><input type="hidden" name="action" value="${name}"><input type="hidden" name="subject" value="${subject}">
<label>Reason<input name="reason" required maxlength="${MOST_REASON}" autocomplete="off"></label>
<button aria-label="${label} ${subject}">${label}</button> <code>nightledger ${command}</code>
</form>
`;
}

/**
 * A command line for what was asked; undefined where it is none of ours, or the reason none that the form takes. A subject
 * is never read as an option. A command line can't have a zero byte, and what records the reason is read in terminals.
 */
export function commandOf(name: string, subject: string, reason: string): readonly string[] | undefined {
  if (!Object.hasOwn(ACTIONS, name) || !/^[A-Za-z0-9][\w.:-]{0,199}$/.test(subject)) return undefined;
  if (reason === "" || reason.length > MOST_REASON || /\p{Cc}/u.test(reason)) return undefined;
  const action: Action = ACTIONS[name as ActionName];
  return [...action.words, subject, ...(action.takesReason ? ["--reason", reason] : [])];
}

/** What became of a command that somebody gave. */
export function steeredBody({ command, code: exit, said }: SteeredCommand): Markup {
  const ended = exit === 0 ? chip("done", "good") : chip(`exit code ${exit}`, "bad");
  return joined(
    paragraph(joined(exit === null ? chip("still running", "note") : ended, " ", code(command)), "lead"),
    said === "" ? null : preformatted(said),
    exit === null ? paragraph("It follows a run; Tonight shows how far the run is.") : null,
  );
}
