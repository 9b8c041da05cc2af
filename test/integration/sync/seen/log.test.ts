import { expect, test } from "vitest";
import { addLink } from "../../../helpers/sync/scripted-links.js";
import { syncWorlds } from "../../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("the log tells the story of a run by its ids, and nothing of the SDK's", async () => {
  const world = await worlds.open();
  for (const id of ["good", "slow", "refused"]) addLink(world, id, 3);
  world.sandbox.addFault({ kind: "status", status: 503, link: "slow", times: 2 });
  world.sandbox.addFault({ kind: "status", status: 422, link: "refused" });
  const { runId } = await world.sync();
  const lines: Record<string, unknown>[] = (await world.log())
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ run_id }) => run_id !== runId)).toEqual([]);
  const of = (link: string) => lines.filter(({ link_id }) => link_id === link);
  const words = (link: string) => of(link).map(({ msg }) => msg);
  expect(lines[0]).toMatchObject({ msg: "run begins", kind: "sync", users: 1 });
  expect(lines.at(-1)).toMatchObject({
    level: "warn",
    msg: "run ended",
    status: "completed_with_failures",
    synced: 2,
  });
  const signs = "amounts have another sign than their type says; signed_amount follows the type";
  expect(words("good")).toEqual([signs]);
  expect(words("slow")).toEqual(["waiting for its next retry", "continues after failures", signs]);
  expect(of("slow")[0]).toMatchObject({
    reason: "http_503",
    failures: 1,
    tried_again_by: expect.any(String),
  });
  expect(words("refused")).toEqual(["the service refused its request", "failed"]);
  expect(of("refused")[1]).toMatchObject({ level: "warn", reason: "refused http_422" });
  const again = await world.sync({ links: ["good"] });
  const later = (await world.log()).split("\n").filter((line) => line.includes(again.runId));
  expect(later.map((line) => JSON.parse(line).msg)).toEqual(["run begins", "run ended"]);
});
