import { durationWords } from "../../domain/duration.js";
import type { RunDetails } from "../../intake/runs/ended-runs.js";
import { barChart } from "../../pages/charts.js";
import { facts, joined, type Markup, paragraph } from "../../pages/parts.js";
import { instant } from "./shown.js";

export function runTimes(run: RunDetails): Markup {
  const { scheduled_at, started_at, finished_at, slowest } = run;
  const { paused_ms: paused = 0 } = run.counts;
  if (started_at === "") return paragraph("Its row will say it.", "none");
  const asked = Date.parse(started_at);
  const until = finished_at === null ? Date.now() : Date.parse(finished_at);
  const bar = (label: string, ms: number, isPause = false) => {
    const length = Math.max(0, ms);
    return { label, text: durationWords(ms), values: isPause ? [0, length] : [length, 0] };
  };
  const html = barChart({
    ...{ id: "how-long", title: "How long it took", series: [{ tone: "a" }, { tone: "consider" }] },
    bars: [
      ...(scheduled_at === null ? [] : [bar("due, until asked for", asked - Date.parse(scheduled_at))]),
      bar(`asked for, until ${finished_at === null ? "now" : "ended"}`, until - asked),
      ...(paused > 0 ? [bar("paused by the service", paused, true)] : []),
      ...slowest.map(({ link_id, ms }) => bar(link_id, ms)),
    ],
  });
  const told = { Due: instant(scheduled_at), "Asked for": instant(started_at), Ended: instant(finished_at) };
  return joined(facts(told), timeLine(run, asked), { html });
}

/** Each phase between the run's start and end. */
function timeLine({ phases }: RunDetails, asked: number): Markup | null {
  if (phases.length === 0) return null;
  const [first] = phases;
  const waited = first === undefined ? 0 : Date.parse(first.began_at) - asked;
  const spans = phases.map(({ phase, began_at, ended_at }) => ({
    ...{ label: phase, from: Date.parse(began_at) - asked, to: Date.parse(ended_at) - asked },
  }));
  const bars = [{ label: "waiting for a worker", from: 0, to: waited }, ...spans]
    .filter(({ from, to }, at) => at > 0 || to > from)
    .map(({ label, from, to }) => {
      const after = from > 0 ? `, after ${durationWords(from)}` : "";
      const values = [Math.max(0, from), Math.max(0, to - from)];
      return { label, text: `${durationWords(Math.max(0, to - from))}${after}`, values };
    });
  const title = "Its phases, from the moment it was asked for; some overlap";
  return {
    html: barChart({ id: "time-line", title, series: [{ tone: "gap" }, { tone: "a" }], bars }),
  };
}
