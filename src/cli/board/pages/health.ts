import { readBinding } from "../../../lake/service-binding.js";
import { chip, code, facts, joined, paragraph, table } from "../../../pages/parts.js";
import { workersOf } from "../../../temporal/worker-identity.js";
import { VERSION } from "../../../version.js";
import { counted } from "../../terminal/counted.js";
import { page } from "../page.js";

interface Health {
  readonly version: string;
  readonly node: string;
  readonly lake: string;
  readonly service: string | null;
  readonly mode: string | null;
  readonly temporal: string;
  readonly findings: readonly { readonly check: string; readonly ok: boolean; readonly detail: string }[];
}

export const health = page<Health>("/health", {
  name: "Health",
  tables: [],
  async read({ lake, client, missing }) {
    const { config, settings, store, keys, taskQueue } = lake;
    const binding = await readBinding(store);
    const workers = client === undefined ? [] : await workersOf(client, taskQueue);
    const there = await store.isThere();
    return {
      ...{ version: VERSION, node: process.version, lake: config.lake.address },
      ...{ service: binding?.url ?? null, mode: binding?.mode ?? null },
      temporal:
        settings.mode === "cluster" ? `${settings.address}, namespace ${settings.namespace}` : "embedded",
      findings: [
        {
          check: "lake",
          ok: there,
          detail: there ? await store.openness() : "does not exist yet; the first sync creates it",
        },
        {
          check: "keys",
          ok: keys !== undefined || !there,
          detail:
            keys === undefined
              ? "none: the first job makes them in embedded mode"
              : `the current one is ${keys.current.id}`,
        },
        { check: "temporal", ok: client !== undefined, detail: missing ?? "answers" },
        {
          check: "workers",
          ok: workers.length > 0 || client === undefined,
          detail:
            workers.length === 0
              ? "none polls: no run advances"
              : `${counted(workers.length, "worker")}: ${workers.map(({ process: name }) => name).join(", ")}`,
        },
      ],
    };
  },
  title: () => "Health",
  draw: ({ version, node, lake, service, mode, temporal, findings }) =>
    joined(
      facts([
        ["Lake", code(lake)],
        [
          "Service",
          service === null
            ? "none yet: the first job binds the lake to one"
            : `${service}${mode === null ? "" : ` (${mode})`}`,
        ],
        ["Temporal", temporal],
        ["Program", `Nightledger ${version}, Node ${node}`],
      ]),
      table(
        "What was looked at",
        [{ name: "What" }, { name: "" }, { name: "Found" }],
        findings.map(({ check, ok, detail }) => [
          check,
          ok ? chip("ok", "good") : chip("look", "bad"),
          detail,
        ]),
      ),
      paragraph(
        joined(
          "Nobody was called for this page. ",
          code("nightledger check"),
          " also asks the service whether it accepts the key.",
        ),
      ),
    ),
});
