import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createLogger, type Logger } from "../src/logger.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nightledger-log-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const KEY = 'sk_live_"quoted"/9';

function logged(write: (logger: Logger) => void, level = "info"): string {
  const file = join(directory, "log");
  const { logger, close } = createLogger({ destination: { file }, level, secrets: [KEY, "a"] });
  write(logger);
  close();
  return readFileSync(file, "utf8");
}

it("a line has time, level, fields and message, and its file is the owner's alone", () => {
  const line = JSON.parse(logged((logger) => logger.info({ run_id: "r", rows: 5 }, "synced")));
  expect(line).toMatchObject({ level: "info", run_id: "r", rows: 5, msg: "synced" });
  expect(Date.parse(line.time)).not.toBeNaN();
  expect(statSync(join(directory, "log")).mode & 0o777).toBe(0o600);
});

it("what is under a secret's name is taken out at any depth", () => {
  const text = logged((logger) =>
    logger.child({ api_key: "hidden" }).info({
      headers: { authorization: "hidden", "x-fp-authorization": "hidden" },
      list: [
        { token: "hidden", apiKey: "hidden", client_secret: "hidden", password: "hidden", key: "hidden" },
      ],
      monkey: "shown",
    }),
  );
  expect(text).not.toContain("hidden");
  expect(text).toContain("shown");
});

it("a configured secret is taken out of messages, errors, causes and stacks, in every form it is sent in", () => {
  const basic = Buffer.from(`${KEY}:`).toString("base64");
  const text = logged((logger) => {
    const cause = new Error(`with ${KEY}`);
    const error = Object.assign(new Error(`bad ${KEY}`, { cause }), { token: "hidden" });
    logger.error(
      { err: error, url: `https://x/?k=${encodeURIComponent(KEY)}` },
      `failed with ${KEY} and Basic ${basic}`,
    );
    logger.error(error);
  });
  expect(text).not.toContain("quoted");
  expect(text).not.toContain(basic);
  expect(text).not.toContain("hidden");
  expect(text.match(/"type":"Error"/g)).toHaveLength(2);
  for (const line of text.trim().split("\n")) JSON.parse(line);
});

it("the level cuts off what is below it", () => {
  expect(logged((logger) => logger.info("no"), "warn")).toBe("");
});

it("circular and deep values are logged, not followed for ever", () => {
  const loop: Record<string, unknown> = { name: "loop" };
  loop.self = loop;
  expect(logged((logger) => logger.info({ loop }, "x"))).toContain("[deep]");
});

it("who watches a line sees what is written, without secrets", () => {
  const lines: unknown[] = [];
  const options = { level: "info", secrets: [KEY], destination: { file: join(directory, "log") } };
  const { logger, close } = createLogger({ ...options, seen: (fields) => lines.push(fields) });
  logger.info({ run_id: "r", token: "hidden" }, `with ${KEY}`);
  logger.debug("not written");
  close();
  expect(lines).toMatchObject([{ run_id: "r", token: "[redacted]", msg: "with [redacted]" }]);
  expect(lines).toEqual([JSON.parse(readFileSync(join(directory, "log"), "utf8"))]);
});
