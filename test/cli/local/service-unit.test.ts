import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchdPlist, serviceName, systemdUnit } from "../../../src/cli/local/service.js";

const run = promisify(execFile);
const PROCESS = {
  node: process.execPath,
  program: "/opt/nightledger/bin/nightledger.js",
  command: "dev",
  directory: "/srv/night ledger",
  user: false,
};

let base: string;
beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), "nightledger-unit-"));
});
afterAll(() => rm(base, { recursive: true, force: true }));

test("a unit runs the command in its directory, and again after a crash or a reboot", () => {
  const unit = systemdUnit(PROCESS);
  expect(unit).toContain("WorkingDirectory=/srv/night ledger\n");
  expect(unit).toContain(`ExecStart="${process.execPath}" "/opt/nightledger/bin/nightledger.js" "dev"\n`);
  expect(unit).toContain("Restart=always\n");
  expect(unit).toContain("WantedBy=multi-user.target\n");
  expect(systemdUnit({ ...PROCESS, user: true })).toContain("WantedBy=default.target\n");
});

test.each([["/srv/100%"], ["/srv/$HOME"], ['/srv/"quoted"'], ["/srv/back\\slash"], ["/srv/plain"]])(
  "systemd finds no fault with a unit for %j",
  async (directory) => {
    const verify = await run("systemd-analyze", ["--version"]).then(
      () => true,
      () => false,
    );
    expect(systemdUnit({ ...PROCESS, directory })).toContain(directory.replaceAll("%", "%%"));
    if (!verify) return;
    const path = join(base, "nightledger-test.service");
    await writeFile(path, systemdUnit({ ...PROCESS, program: process.execPath, directory }));
    const { stderr } = await run("systemd-analyze", ["verify", path]).catch((error) => error);
    expect(stderr.split("\n").filter((line: string) => line.includes("nightledger-test"))).toEqual([]);
  },
);

test("a line end can't come into a unit", () => {
  expect(() => systemdUnit({ ...PROCESS, directory: "/srv/a\nExecStartPre=/bin/sh" })).toThrow(
    /can't be used/,
  );
});

test("a property list takes its words as text", () => {
  const plist = launchdPlist({ ...PROCESS, directory: "/srv/a&b<c>" }, "nightledger-a");
  expect(plist).toContain("<string>/srv/a&amp;b&lt;c&gt;</string>");
  expect(plist).toContain("<string>dev</string>");
});

test.each([
  ["/srv/bank data", "nightledger-bank-data"],
  ["/srv/date=2001-01-01", "nightledger-date-2001-01-01"],
  ["/", "nightledger-root"],
])("the service of %s is %s", (directory, name) => {
  expect(serviceName(directory)).toBe(name);
});
