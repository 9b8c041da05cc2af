import { runs } from "../../../lake/tables/runs.js";
import { chip, code, facts, joined, link, type Markup, paragraph, section } from "../../../pages/parts.js";
import { type ShownSchedule, shownSchedules } from "../../schedules/described.js";
import { notFiredWords } from "../../schedules/show.js";
import { page } from "../page.js";
import { linkTo, listing, toCopy, warning } from "../shown.js";

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
  draw: ({ schedules: shown, offline }) => {
    if (offline !== null) return joined(warning(offline));
    if (shown.length > 0) return joined(...shown.map((schedule) => drawn(schedule)));
    const example = code("nightledger schedule create nightly --at 03:15 -- sync --roster users.csv");
    return paragraph(joined("No schedule yet. To make one: ", example), "lead");
  },
});

function drawn(schedule: ShownSchedule): Markup {
  const { name, command, when, paused, next, last } = schedule;
  const [skipped, missed] = notFiredWords(schedule);
  return section(
    name,
    facts({
      Runs: code(`nightledger ${command}`),
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
    toCopy([
      `nightledger schedule trigger ${name}`,
      paused ? `nightledger schedule unpause ${name}` : `nightledger schedule pause ${name} --reason "…"`,
    ]),
    paragraph(link(`/runs?${new URLSearchParams({ schedule: name })}`, `All runs of ${name}`)),
  );
}
