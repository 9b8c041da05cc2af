import type { Server } from "node:http";
import { InputError } from "../src/domain/input-error.js";
import { KeyRing } from "./auth.js";
import { CallLog } from "./calls.js";
import { controlHandler } from "./control/endpoints.js";
import { FaultBook } from "./faults/fault-book.js";
import { OPERATIONS } from "./operations/index.js";
import type { SandboxOptions } from "./options.js";
import { populate } from "./population/population.js";
import { Router } from "./router.js";
import { Sandbox } from "./sandbox.js";
import { createSandboxServer } from "./server.js";
import type { SandboxState } from "./state.js";
import { CursorCodec } from "./world/cursor.js";
import { World } from "./world/world.js";

/**
 * Starts a stand-in of the service on 127.0.0.1.
 * @throws InputError if the port is taken, or the population can't be read.
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const apiKeys = options.apiKeys ?? ["sk_test_sandbox"];
  const state: SandboxState = {
    world: new World(options.today),
    cursors: new CursorCodec(options.cursorSecret ?? "nightledger sandbox"),
    faults: new FaultBook(),
    keys: new KeyRing(apiKeys),
    calls: new CallLog(options.recordRequests ?? 100_000),
    habits: {
      maxSyncSize: options.maxSyncSize ?? 500,
      defaultSyncSize: options.defaultSyncSize ?? 100,
      history: options.history ?? "log",
      latencyMs: options.latencyMs ?? 0,
    },
  };
  populate(state.world, options.population ?? { kind: "empty" });
  for (const fault of options.faults ?? []) state.faults.add(fault);
  let sandbox: Sandbox | undefined;
  const control = controlHandler(() => sandbox!);
  const server = createSandboxServer(state, new Router(OPERATIONS), control);
  await listen(server, options.port ?? 0);
  sandbox = new Sandbox(server, state, apiKeys[0] ?? "");
  return sandbox;
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `port ${port} can't be opened on 127.0.0.1 (${error.code}); nothing was started: choose another`;
      reject(new InputError(taken, { cause: error }));
    });
    server.listen(port, "127.0.0.1", () => resolve());
  });
}
