import { spawnSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { stringify } from "yaml";
import { startSandbox } from "../../../sandbox/index.js";
import { startProgram } from "../../helpers/command/command-process.js";
import { freePort } from "../../helpers/command/free-port.js";
import { type JobFolder, openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { created } from "../../helpers/sync/scripted-links.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";
import { clusterEnv } from "../../helpers/temporal/temporal-environment.js";
import { SECRET, secretOf, signedHeaders } from "../../helpers/webhooks/signed-webhook.js";
import { ROOT, read } from "../../repository/source-tree.js";

// Debian's package `prometheus`.
const withPrometheus = test.skipIf(spawnSync("prometheus", ["--version"]).error !== undefined);

const temporal = sharedTemporal();
const sandbox = eachTest(startSandbox);
let folder: JobFolder;
beforeEach(async () => {
  sandbox.addLink({ fp_id: "u1", id: "link-of-u1", accounts: [{ id: "a" }] });
  folder = await openJobFolder(sandbox, clusterEnv(temporal));
});
afterEach(async () => {
  await folder.release();
});
afterAll(() => temporal.stop());

interface Rule {
  readonly name: string;
  readonly health: string;
  readonly lastError?: string;
}

withPrometheus(
  "a Prometheus takes our rules, draws every panel from a worker and a receiver, and fires at the first trouble of each kind",
  async () => {
    const [ours, theirs, port] = [await freePort(), await freePort(), await freePort()];
    const worker = folder.command(["worker"], { NIGHTLEDGER_METRICS: `127.0.0.1:${ours}` });
    await worker.says(/working on task queue/);
    const receiver = folder.command(["webhooks", "serve", "--port", "0"], {
      NIGHTLEDGER_METRICS: `127.0.0.1:${theirs}`,
      NIGHTLEDGER_WEBHOOK_SECRETS: SECRET,
    });
    const [, webhooks = ""] = await receiver.says(/webhooks +(\S+), test mode/);
    const config = join(folder.directory, "prometheus.yml");
    const targets = [ours, theirs].map((one) => `127.0.0.1:${one}`);
    await writeFile(
      config,
      stringify({
        global: { scrape_interval: "1s", evaluation_interval: "1s" },
        rule_files: [`${ROOT}/deploy/prometheus/nightledger.rules.yml`],
        scrape_configs: [{ job_name: "nightledger", static_configs: [{ targets }] }],
      }),
    );
    const prometheus = startProgram(
      [
        "prometheus",
        `--config.file=${config}`,
        `--storage.tsdb.path=${join(folder.directory, "prometheus")}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { cwd: folder.directory },
    );
    try {
      await prometheus.says(/Server is ready/);
      const ask = async <T>(path: string): Promise<T> => {
        const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
        const { status, data, error } = (await answer.json()) as Record<string, unknown>;
        expect([status, error]).toEqual(["success", undefined]);
        return data as T;
      };
      sandbox.append("link-of-u1", [created("bad", { amount: "1e3", account_id: "a" })]);
      expect((await folder.sync().ended).code).toBe(1);
      expect((await folder.sync().ended).code).toBe(0);
      sandbox.addFault({ kind: "status", status: 401, after: 1 });
      expect((await folder.sync().ended).code).toBe(4);
      const body = JSON.stringify({ event_kind: "service.vault.updated" });
      const headers = signedHeaders(body, { secret: secretOf("another secret of 24 bytes") });
      for (let sent = 0; sent < 6; sent += 1)
        expect((await fetch(webhooks, { method: "POST", headers, body })).status).toBe(401);

      const firing = async () => {
        const { alerts } = await ask<{ alerts: { state: string; labels: { alertname: string } }[] }>(
          "alerts",
        );
        const all = alerts.filter(({ state }) => state === "firing");
        return all.map(({ labels: { alertname } }) => alertname.replace("Nightledger", "")).sort();
      };
      await expect.poll(firing).toEqual(["BadRows", "RunFailed", "ServiceRefuses", "WebhooksRefused"]);
      const { groups } = await ask<{ groups: { rules: Rule[] }[] }>("rules");
      const rules = groups.flatMap((group) => group.rules);
      expect(rules.map(({ name, health, lastError }) => [name, health, lastError])).toEqual(
        rules.map(({ name }) => [name, "ok", undefined]),
      );

      // No other writer was faster.
      const quiet = ["nightledger_commit_conflicts_total"];
      const panels = JSON.parse(read("deploy/grafana/nightledger.json")).panels as {
        targets: { expr: string }[];
      }[];
      const exprs = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
      const empty = async () => {
        const results = exprs.map(async (expr) => {
          const { result } = await ask<{ result: unknown[] }>(`query?query=${encodeURIComponent(expr)}`);
          return result.length === 0 && !quiet.some((name) => expr.includes(name)) ? [expr] : [];
        });
        return (await Promise.all(results)).flat();
      };
      await expect.poll(empty).toEqual([]);
    } finally {
      await prometheus.end("SIGTERM");
    }
  },
);
