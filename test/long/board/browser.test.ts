import { writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { findOnPath } from "../../../src/temporal/cli/cli-cache.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { created } from "../../helpers/sync/scripted-links.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const HOSTILE = '<img src=x onerror="document.title=1">';
const { CHROMIUM, PATH } = process.env;
const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const onPath = await Promise.all(names.map((name) => findOnPath(name, PATH)));
const executablePath = CHROMIUM || onPath.find((path) => path !== undefined);
const withBrowser = test.skipIf(executablePath === undefined);

let sandbox: Sandbox;
let folder: JobFolder;
let browser: Browser;
let entry: string;

beforeAll(async () => {
  if (executablePath === undefined) return;
  sandbox = await startSandbox();
  for (const link of ["a", "b", "c"])
    sandbox.addLink({ fp_id: "u1", id: link, accounts: [{ id: `${link}-1` }] });
  folder = await openClusterFolder(sandbox, sharedTemporal());
  await writeFile(folder.roster, "fp_id\nu1\n");
  await troubledWeek();
  const board = folder.command(["ui", "--port", "0"]);
  await board.says(/^board {5}http/m);
  entry = /http\S+/.exec(board.printed().stderr)?.[0] ?? "";
  const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
  browser = await chromium.launch({ executablePath, args });
});
afterAll(async () => {
  await browser?.close();
  await folder?.release();
  await sandbox?.close();
});

/** Four nights: a good one, one with a link that fails, one with a link that expires and a bad row, and one of a schedule. */
async function troubledWeek(): Promise<void> {
  const night = (day: number) => {
    for (const link of ["a", "b", "c"])
      sandbox.append(link, [created(`${link}-${day}`, { account_id: `${link}-1`, description: HOSTILE })]);
    return runHere(folder, ["sync", "--roster", "users.csv"]);
  };
  expect((await night(1)).code).toBe(0);
  const fault = sandbox.addFault({ kind: "status", status: 422, operation: "sync_transactions", link: "b" });
  expect((await night(2)).code).toBe(1);
  sandbox.removeFault(fault);
  sandbox.setLink("c", { state: "error", error_code: "auth_expired" });
  sandbox.append("a", [created("bad", { amount: "1e3", account_id: "a-1" })]);
  expect((await night(3)).code).toBe(1);
  const schedule = [
    "schedule",
    "create",
    "nightly",
    "--cron",
    "0 2 * * *",
    "--",
    "sync",
    "--roster",
    "users.csv",
  ];
  expect(await runHere(folder, schedule)).toMatchObject({ code: 0 });
}

/** Opens the board's first page; what the browser complains of is collected. */
/** More than a page takes on a busy machine. */
const MOST_MS = 90_000;

async function opened(options: Parameters<Browser["newContext"]>[0] = {}) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(MOST_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(entry);
  const root = new URL(entry).origin;
  const paths = await page
    .locator("nav.bar a")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
  return { context, page, complaints, root, paths };
}

/** Pages of the navigation, and the first page of each kind that they lead to. */
async function allPaths(page: Page, root: string, paths: readonly string[]): Promise<string[]> {
  const kinds = new Map<string, string>();
  for (const path of paths) {
    await page.goto(`${root}${path}`);
    const links = await page
      .locator("main a")
      .evaluateAll((found) => found.map((link) => link.getAttribute("href") ?? ""));
    for (const link of links) if (/^\/\w+\/[^?]/.test(link)) kinds.set(link.split("/")[1] ?? "", link);
  }
  return [...paths, ...kinds.values()];
}

withBrowser(
  "every page at three widths, light and dark: nothing serious for axe, nothing wider than the screen, no complaint",
  async () => {
    for (const [width, colorScheme] of [
      [360, "dark"],
      [800, "light"],
      [1440, "light"],
    ] as const) {
      const { context, page, complaints, root, paths } = await opened({
        viewport: { width, height: 900 },
        colorScheme,
        bypassCSP: true,
      });
      expect(paths.length).toBeGreaterThan(5);
      for (const path of await allPaths(page, root, paths)) {
        const answer = await page.goto(`${root}${path}`);
        expect([path, answer?.status()]).toEqual([path, 200]);
        const overflow = await page.evaluate<number>(
          "document.documentElement.scrollWidth - window.innerWidth",
        );
        expect([path, width, Math.max(0, overflow)]).toEqual([path, width, 0]);
        // Every table fits a wide screen.
        const cut = await page
          .locator(".scroll")
          .evaluateAll((found) => found.filter((one) => one.scrollWidth > one.clientWidth).length);
        if (width === 1440) expect([path, cut]).toEqual([path, 0]);
        await page.addScriptTag({ path: AXE });
        const { violations } = (await page.evaluate("axe.run()")) as {
          violations: { id: string; impact: string; nodes: { html: string }[] }[];
        };
        const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
        expect([path, serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)]).toEqual([path, []]);
        expect(await page.locator("main img").count()).toBe(0);
      }
      expect(complaints).toEqual([]);
      await context.close();
    }
  },
);

withBrowser("an open page shows a run that has ended since, without being loaded again", async () => {
  const { context, page } = await opened();
  await page.evaluate('document.body.setAttribute("data-kept", "yes")');
  const before = await page.locator("main").textContent();
  expect((await runHere(folder, ["sync", "--roster", "users.csv", "--full"])).code).toBeLessThan(2);
  await expect.poll(() => page.locator("main").textContent()).not.toBe(before);
  expect(await page.evaluate('document.body.getAttribute("data-kept")')).toBe("yes");
  await context.close();
});

// Left open, it went on saying that the last sync ended minutes ago, all night.
withBrowser("an open page is read again each minute, also where nothing happens", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.clock.install();
  await page.goto(entry);
  const before = await page.locator("footer time").getAttribute("datetime");
  await page.clock.fastForward(61_000);
  await expect.poll(() => page.locator("footer time").getAttribute("datetime")).not.toBe(before);
  await context.close();
});
