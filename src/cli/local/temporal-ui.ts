import { createServer, request as send } from "node:http";
import { addressOf, closeNow, isOwnName, listen } from "../../temporal/listen.js";

const PLACE = { host: "127.0.0.1", port: 0 };

/** Temporal's web UI answers requests from every page; this answers its own pages only. */
export async function guardTemporalUi(ui: string) {
  const { hostname: host, port } = new URL(ui);
  const server = createServer((request, response) => {
    const { headers, method, url: path } = request;
    const own = headers.host ?? "";
    const isOwn = isOwnName(own, PLACE.host) && (headers.origin ?? `http://${own}`) === `http://${own}`;
    if (!isOwn) {
      response.writeHead(403).end("Open Temporal's web UI by its address: another site may lead here.\n");
      return;
    }
    const forwarded = send({ host, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    forwarded.once("error", () => response.destroy());
    request.pipe(forwarded);
  });
  await listen(server, PLACE, "no page is served");
  return { url: addressOf(server, PLACE), stop: () => closeNow(server) };
}
