import { afterEach, expect, test } from "vitest";
import { postHook } from "../../../src/activities/hooks/send-hook.js";
import { type FaultServer, rejection, startFaultServer } from "../../helpers/api/fault-server.js";

let server: FaultServer;
afterEach(() => server.close());

test.each([200, 500])(
  "a receiver's answer without an end (%i) is judged by its status, and cut",
  async (status) => {
    let cut: (() => void) | undefined;
    const isCut = new Promise<void>((resolve) => {
      cut = resolve;
    });
    server = await startFaultServer((_, response) => {
      response.on("close", () => cut?.()).writeHead(status, { "content-type": "text/plain" });
      const piece = Buffer.alloc(64 * 1024);
      const more = () => {
        while (response.write(piece));
      };
      response.on("drain", more);
      more();
    });
    const post = postHook(
      `${server.url}/secret`,
      { id: "a", body: {}, secret: undefined },
      new AbortController().signal,
    );
    if (status === 200) await post;
    else {
      const message = `the webhook at ${server.url} answered 500`;
      expect(await rejection(post)).toMatchObject({ message });
    }
    await isCut;
  },
);
