import { runs } from "../../../lake/tables/runs.js";
import {
  chip,
  code,
  facts,
  joined,
  link,
  type Markup,
  paragraph,
  section,
  table,
} from "../../../pages/parts.js";
import { type ShownSchedule, shownSchedules } from "../../schedules/described.js";
import { notFiredWords } from "../../schedules/show.js";
import { actionForm } from "../actions.js";
import { type Asked, page } from "../page.js";
import { instant, linkTo, statusChip } from "../shown.js";

interface Schedules {
  /** As `schedule list --json` prints them. */
  readonly schedules: readonly ShownSchedule[];
  /** Why they can't be shown, and what the command needs for it; null where Temporal is up. */
  readonly offline: string | null;
}

export const schedules = page<Schedules>("/schedules", {
  name: "Schedules",
  tables: [runs],
  async read({ client, missing, lake: { scope, settings } }) {
    if (client !== undefined) return { schedules: await shownSchedules(client, scope), offline: null };
    const needs =
      settings.mode === "cluster"
        ? "nightledger schedule list needs it too."
        : "nightledger schedule list starts it for a moment; it needs the settings of a sync: NIGHTLEDGER_API_URL and NIGHTLEDGER_API_KEY.";
    return { schedules: [], offline: `${missing}. Schedules are in Temporal. ${needs}` };
  },
  title: () => "Schedules",
  draw: (model, asked) => {
    if (model.offline !== null) return paragraph(model.offline, "warning");
    if (model.schedules.length > 0)
      return joined(...model.schedules.map((schedule) => drawn(schedule, asked)));
    const example = code("nightledger schedule create nightly --at 02:15 -- sync --roster users.csv");
    return paragraph(joined("No schedule yet. To make one: ", example), "lead");
  },
});

function drawn(schedule: ShownSchedule, asked: Asked): Markup {
  const { name, command, when, paused, next, last } = schedule;
  const [skipped, missed] = notFiredWords(schedule);
  const firings = last.map(({ due_at, status, run_id }) => [
    instant(due_at),
    statusChip(status),
    run_id === null ? "not known" : linkTo("runs", run_id),
  ]);
  return section(
    name,
    facts([
      ["Runs", code(`nightledger ${command}`)],
      ["When", when],
      ["Next", paused ? chip("paused", "note") : next.join(", ") || "never"],
      ["Skipped", skipped ?? "never"],
      ["Missed", missed ?? "never"],
    ]),
    table(
      `Last firings of ${name}`,
      ["Due", "Status", "Run"].map((column) => ({ name: column })),
      firings,
      "It has never run.",
    ),
    actionForm(asked, "schedule-trigger", name),
    actionForm(asked, paused ? "schedule-unpause" : "schedule-pause", name),
    paragraph(link(`/runs?${new URLSearchParams({ schedule: name })}`, `All runs of ${name}`)),
  );
}
