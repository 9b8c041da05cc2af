import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { UnreachableError } from "../../domain/failures.js";

export const HOST = "127.0.0.1";
/** No browser connects to these ports, so no page reaches the UI past its guard (`cli/local/temporal-ui.ts`). */
const UI_PORTS = [6665, 6666, 6667, 6668, 6669, 6000];

/** A free port of the loopback interface; the preferred one unless it stays taken for `waitMs`. */
export async function freePort(preferred?: number, waitMs = 0): Promise<number> {
  const notAfter = Date.now() + waitMs;
  for (let wanted = preferred ?? 0; ; ) {
    const probe = createServer();
    const port = await new Promise<number | undefined>((resolve) => {
      probe.once("error", () => resolve(undefined));
      probe.listen(wanted, HOST, () => resolve((probe.address() as AddressInfo).port));
    });
    await new Promise((resolve) => probe.close(resolve));
    if (port !== undefined) return port;
    if (wanted === 0)
      throw new UnreachableError(`No port on ${HOST} is free for Temporal. Free some, and try again.`);
    if (Date.now() < notAfter) await sleep(20);
    else wanted = 0;
  }
}

/** A free port for the web UI. */
export async function freeUiPort(): Promise<number> {
  for (const wanted of UI_PORTS) if ((await freePort(wanted)) === wanted) return wanted;
  throw new UnreachableError(
    `Each of the ports ${UI_PORTS.join(", ")} is taken. Free one for Temporal's web UI, or start without it.`,
  );
}
