import type { Markup } from "../../pages/parts.js";
import { template } from "../../pages/template.js";
import type { Asked } from "./page.js";

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

type ActionName = keyof typeof ACTIONS;

const form = template(`<form class="act" method="post" action="/act">
<input type="hidden" name="form" value="<%= it.form %>"><input type="hidden" name="action" value="<%= it.name %>"><input type="hidden" name="subject" value="<%= it.subject %>">
<label>Reason<input name="reason" required maxlength="200" autocomplete="off"></label>
<button aria-label="<%= it.label %> <%= it.subject %>"><%= it.label %></button> <code>nightledger <%= it.command %></code>
</form>
`);

/** A button with the command that it is; nothing where pages are only read. */
export function actionForm({ form: key }: Asked, name: ActionName, subject: string): Markup {
  const action: Action = ACTIONS[name];
  const reason = action.takesReason ? ' --reason "…"' : "";
  const command = `${[...action.words, subject].join(" ")}${reason}`;
  return { html: key === undefined ? "" : form({ form: key, name, subject, label: action.label, command }) };
}

/** A command line for what was asked; undefined where it is none of ours. A subject is never read as an option. */
export function commandOf(name: string, subject: string, reason: string): readonly string[] | undefined {
  if (!Object.hasOwn(ACTIONS, name) || !/^[A-Za-z0-9][\w.:-]{0,199}$/.test(subject)) return undefined;
  const action: Action = ACTIONS[name as ActionName];
  return [...action.words, subject, ...(action.takesReason ? ["--reason", reason] : [])];
}
