import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import { SECRET } from "../webhooks/signed-webhook.js";

/** Customers of the file in a {@link sharedHome}. */
export const CUSTOMERS = 60;
const ONBOARD = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--mode", "sync"];

/** The set-up of docs/use/onboarding.md on one machine: a receiver, and beside it a command, in one HOME. */
interface SharedHome {
  readonly sandbox: Sandbox;
  /** Starts the command alone. */
  onboard(): ReturnType<JobFolder["command"]>;
  /** Starts the receiver, and the command once it listens. */
  startBoth(): Promise<Record<"receiver" | "onboard", ReturnType<JobFolder["command"]>>>;
}

/** Opens a new home before each test of a file, and releases it afterwards. */
export function sharedHome(): SharedHome {
  let sandbox: Sandbox;
  let folder: JobFolder;
  beforeEach(async () => {
    sandbox = await startSandbox({ latencyMs: 60, playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }] });
    const ids = Array.from({ length: CUSTOMERS }, (_, at) => `fp_${at + 1}`);
    for (const fp_id of ids) sandbox.addUser({ fp_id });
    folder = await openJobFolder(sandbox, {
      NIGHTLEDGER_WEBHOOK_SECRETS: SECRET,
      NIGHTLEDGER_API_CONCURRENCY: "3",
    });
    await writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...ids, ""].join("\n"));
  });
  afterEach(async () => {
    await folder.release();
    await sandbox.close();
  });
  const onboard = () => folder.command([...ONBOARD, "--window", "40", "--json"]);
  return {
    get sandbox() {
      return sandbox;
    },
    onboard,
    async startBoth() {
      const receiver = folder.command(["webhooks", "serve", "--port", "0"]);
      await receiver.says(/webhooks +\S+, test mode/);
      sandbox.clearRequests();
      return { receiver, onboard: onboard() };
    },
  };
}

/** Requests that were sent while the service had asked for a pause of so many milliseconds. */
export function sentInPause({ sandbox }: SharedHome, pauseMs: number): readonly unknown[] {
  const [refused] = sandbox.requests({ status: 429 });
  const closedAt = (refused?.at ?? 0) + (refused?.duration_ms ?? 0);
  return sandbox.requests().filter(({ at }) => at > closedAt + 100 && at < closedAt + pauseMs - 100);
}
