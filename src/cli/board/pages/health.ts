import { InputError } from "../../../domain/failures.js";
import { counted } from "../../../domain/words/counted.js";
import { type LatestRun, latestRuns } from "../../../intake/runs/latest-runs.js";
import { readBinding } from "../../../lake/service-binding.js";
import { chip, code, facts, joined, paragraph } from "../../../pages/parts.js";
import { workersOf } from "../../../temporal/worker-identity.js";
import { VERSION } from "../../../version.js";
import { CheckReport, checkHere } from "../../local/check.js";
import { STATUS_TABLES } from "../../runs/lake-status.js";
import { page } from "../page.js";
import { listing } from "../shown.js";
import { problemOf } from "../verdict.js";

export const health = page("/health", {
  title: "Health",
  tables: STATUS_TABLES,
  async read({ query, lake: { config, settings, store, keys, taskQueue }, terminal, client, missing }) {
    const binding = await readBinding(store);
    const { mode, ...cluster } = settings;
    const report = new CheckReport();
    const { preflight } = await checkHere(terminal, report);
    // The lake is there without settings of the service, too.
    if (preflight === undefined && (await store.isThere()))
      await report.add("who may read the lake", () => store.openness(), String);
    const workers = async () => {
      if (client === undefined) throw new InputError(missing);
      const found = await workersOf(client, taskQueue);
      if (found.length === 0) throw new InputError("Temporal answers, and none polls: no run advances");
      return `${counted(found.length, "worker")}: ${found.map(({ process: name }) => name).join(", ")}`;
    };
    await report.add("temporal and workers", workers, String);
    const problems = async () => {
      const open = (await latestRuns(query)).filter((run) => run.is_open);
      if (open.length > 0) throw new InputError(open.map(problemWords).join("\n"));
      return "no run left a problem that is open";
    };
    await report.add("runs", problems, String);
    return {
      ...{ version: VERSION, node: process.version, lake: config.lake.address },
      ...{ service: binding?.url ?? null, mode: binding?.mode ?? null, key: keys?.current.id ?? null },
      temporal: "address" in cluster ? `${cluster.address}, namespace ${cluster.namespace}` : mode,
      findings: report.findings,
    };
  },
  draw: ({ version, node, lake, service, mode, temporal, key, findings }) =>
    joined(
      facts({
        Lake: code(lake),
        Service:
          service === null
            ? "none yet: the first job binds the lake to one"
            : `${service}${mode === null ? "" : ` (${mode})`}`,
        Keys: key === null ? "none: the first job makes them in embedded mode" : `the current one is ${key}`,
        Temporal: temporal,
        Program: `Nightledger ${version}, Node ${node}`,
      }),
      listing("What was looked at", "Nothing.", findings, {
        What: "check",
        "": ({ ok }) => (ok ? chip("ok", "good") : chip("look", "bad")),
        Found: "detail",
      }),
      paragraph(
        joined(
          "The service was not called for this page: what runs say of it is above. ",
          code("nightledger check"),
          " also asks it whether it accepts the key.",
        ),
      ),
    ),
});

function problemWords(run: LatestRun): string {
  const { run_id, reason, message } = run;
  return `${problemOf(run)} (${run_id})${reason === null ? "" : `, ${reason}: ${message}`}`;
}
