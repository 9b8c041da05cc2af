import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { guardTemporalUi } from "../../../src/cli/local/temporal-ui.js";

test("the web UI takes what its own pages ask, and nothing of another site's", async () => {
  const taken: string[] = [];
  const ui = createServer(async (asked, response) => {
    taken.push(`${asked.method} ${asked.url} ${await text(asked)}`);
    response.writeHead(201, { "set-cookie": "_csrf=1" }).end("done");
  }).listen(0, "127.0.0.1");
  await once(ui, "listening");
  const guarded = await guardTemporalUi(`http://127.0.0.1:${(ui.address() as AddressInfo).port}`);
  const own = new URL(guarded.url).host;
  const post = async (headers: Readonly<Record<string, string>>) => {
    const sent = request(`${guarded.url}/api/v1/a?b=%2F`, { method: "POST", headers });
    sent.end("body");
    const [answer] = await once(sent, "response");
    await text(answer);
    return [answer.statusCode, answer.headers["set-cookie"]?.[0]];
  };
  try {
    expect(await post({ origin: guarded.url })).toEqual([201, "_csrf=1"]);
    expect(await post({})).toEqual([201, "_csrf=1"]);
    for (const headers of [
      { host: "evil.example", origin: "http://evil.example" },
      { host: "evil.example" },
      { host: own, origin: "http://evil.example" },
      { host: own, origin: "null" },
    ])
      expect(await post(headers)).toEqual([403, undefined]);
    expect(taken).toEqual(["POST /api/v1/a?b=%2F body", "POST /api/v1/a?b=%2F body"]);
  } finally {
    await guarded.stop();
    ui.close();
  }
});
