import { InputError, NotThereError, UnreachableError } from "../../../domain/failures.js";
import { commandLine } from "../../../domain/words/texts.js";
import { runs } from "../../../lake/tables/runs.js";
import {
  chip,
  code,
  facts,
  html,
  joined,
  link,
  type Markup,
  paragraph,
  preformatted,
  section,
} from "../../../pages/parts.js";
import { planLines, readPlan } from "../../runs/plan/plan.js";
import { keptSchedule, type ShownSchedule, shownSchedules } from "../../schedules/described.js";
import { notFiredWords } from "../../schedules/show.js";
import { actionForm } from "../actions.js";
import { type Asked, page } from "../page.js";
import { linkTo, listing, warning } from "../shown.js";

export const schedules = page("/schedules", {
  title: "Schedules",
  tables: [runs],
  async read({ client, missing, lake: { scope, settings } }) {
    if (client !== undefined) return { schedules: await shownSchedules(client, scope), offline: null };
    const needs =
      settings.mode === "cluster"
        ? "nightledger schedule list needs it too."
        : "nightledger schedule list starts it for a moment; it needs the settings of a sync: NIGHTLEDGER_API_URL and NIGHTLEDGER_API_KEY.";
    return { schedules: [], offline: `${missing}. Schedules are in Temporal. ${needs}` };
  },
  draw: ({ schedules: shown, offline }, asked) => {
    if (offline !== null) return joined(warning(offline));
    if (shown.length > 0) return joined(...shown.map((schedule) => drawn(schedule, asked)));
    const example = code("nightledger schedule create nightly --at 02:15 -- sync --roster users.csv");
    return paragraph(joined("No schedule yet. To make one: ", example), "lead");
  },
});

function drawn(schedule: ShownSchedule, asked: Asked): Markup {
  const { name, command, when, paused, next, last } = schedule;
  const [skipped, missed] = notFiredWords(schedule);
  // The others make no calls.
  const isPlanned = !/^(maintain|alerts check)\b/.test(command);
  return section(
    name,
    facts({
      Runs: code(`nightledger ${command}`),
      Plan: asked.form === undefined && isPlanned ? code(`nightledger plan ${command}`) : null,
      When: when,
      Next: paused ? chip("paused", "note") : next.join(", ") || "never",
      Skipped: skipped ?? "never",
      Missed: missed ?? "never",
    }),
    listing(`Last firings of ${name}`, "It has never run.", last, {
      Due: "due_at",
      Status: "status",
      Run: ({ run_id }) => (run_id === null ? "not known" : linkTo("runs", run_id)),
    }),
    asked.form !== undefined && isPlanned ? planForm(name, command) : null,
    actionForm(asked, "schedule-trigger", name),
    actionForm(asked, paused ? "schedule-unpause" : "schedule-pause", name),
    paragraph(link(`/runs?${new URLSearchParams({ schedule: name })}`, `All runs of ${name}`)),
  );
}

/** A button that only reads, so it asks for no reason. */
function planForm(name: string, command: string): Markup {
  return html`<form class="act" method="get" action="/schedules/${encodeURIComponent(name)}/plan">
<button aria-label="Plan ${name}">Plan</button> <code>nightledger plan ${command}</code>
</form>
`;
}

export const plan = page("/schedules/:schedule/plan", {
  tables: [],
  async read({ client, missing, lake: { scope }, terminal }, { part }) {
    if (client === undefined) throw new UnreachableError(`${missing}. Schedules are in Temporal`);
    const schedule = part("schedule");
    const { job, command } = await keptSchedule(client, scope, schedule);
    const of = { schedule, command: `nightledger plan ${commandLine(command)}` };
    return readPlan(terminal, job).then(
      (planned) => ({ ...of, ...planned }),
      (error: unknown) => {
        // Its file may be gone or wrong since: that is what the plan says then.
        if (error instanceof NotThereError || !(error instanceof InputError) || error.cause !== undefined)
          throw error;
        return { ...of, refused: error.message };
      },
    );
  },
  title: ({ schedule }) => `Plan of ${schedule}`,
  draw: ({ command, ...planned }) =>
    joined(
      paragraph(code(command), "lead"),
      "refused" in planned ? warning(planned.refused) : preformatted(planLines(planned).join("\n")),
      paragraph(link("/schedules", "Schedules")),
    ),
});
