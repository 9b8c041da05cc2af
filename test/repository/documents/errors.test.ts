import { describe, expect, it } from "vitest";
import { FAILURE_TYPES } from "../../../src/domain/failures.js";
import { ONBOARDING_ERRORS } from "../../../src/domain/onboarding/customer/error-class.js";
import { freshProgress, type LinkProgress } from "../../../src/domain/sync/link.js";
import { linkObstacle, skippedAction } from "../../../src/domain/sync/link-obstacle.js";
import { afterOutcome, type LinkOutcome } from "../../../src/domain/sync/link-reading.js";
import { firstTable, section } from "../markdown.js";
import { read, sourcesIn } from "../source-tree.js";

const PATH = "docs/run/errors.md";
const text = read(PATH);
const rows = firstTable(section(PATH, "Reasons of a link"));

/** The documented row whose reason matches: `…`, N and M stand for anything. */
function rowOf(reason: string, status: string): string[] | undefined {
  return rows.find(([pattern = "", documented]) => {
    const source = pattern.replace(/^`|`$/g, "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const matcher = new RegExp(`^${source.replaceAll("…", ".+").replace(/\bN of M\b/, "\\d+ of \\d+")}$`);
    return documented === status && matcher.test(reason);
  });
}

function endings(): { status: string; reason: string }[] {
  const reading = freshProgress(null, null, false);
  const progresses: LinkProgress[] = [
    reading,
    { ...reading, pages: 3, restarts: 5 },
    { ...reading, streak: { count: 9, since: 0 } },
    { ...freshProgress("c", null, true), pages: 1 },
  ];
  const outcomes: LinkOutcome[] = [
    { kind: "complete" },
    { kind: "transient", reason: "http_503", retryAfterMs: null },
    { kind: "rejected", status: 400 },
    { kind: "gone" },
    { kind: "broken", reason: "cursor_loop" },
    { kind: "broken", reason: "schema transactions.created: expected an array" },
    { kind: "torn" },
  ];
  const bases = [{ base: null }, { base: { cursor: "c" } }];
  const verdicts = progresses.flatMap((progress) =>
    outcomes.flatMap((outcome) =>
      bases.map((base) => afterOutcome(progress, base, outcome, 500, 3_600_000, 0)),
    ),
  );
  const ends = verdicts.flatMap(({ stage }) => {
    return typeof stage === "object" && stage.reason !== null ? { ...stage, reason: stage.reason } : [];
  });
  return [...new Map(ends.map((end) => [end.reason, end])).values()];
}

describe("docs/run/errors.md", () => {
  it.each([...Object.values(FAILURE_TYPES), ...Object.values(ONBOARDING_ERRORS)])(
    "says what to do about %s",
    (type) => {
      const row = firstTable(section(PATH, "Classes")).find(([name]) => name === `\`${type}\``);
      expect(row?.[2] ?? "").not.toBe("");
    },
  );

  it("names every error class of the code", () => {
    const classes = sourcesIn("src").flatMap((path) =>
      [...read(path).matchAll(/\bclass (\w+Error)\b/g)].map(([, name = ""]) => name),
    );
    expect(classes.length).toBeGreaterThan(10);
    expect(classes.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });

  it("has a row for every way in which the state machine ends a link", () => {
    const ended = endings();
    expect(ended.length).toBeGreaterThanOrEqual(8);
    expect(ended.filter(({ status, reason }) => rowOf(reason, status) === undefined)).toEqual([]);
  });

  it.each([
    ["connecting", null],
    ["deleted", null],
    ...[
      "system_error provider_error institution_error user_error auth_expired no_accounts user_setup_required",
      "invalid_credentials user_oauth_denied user_input_incorrect incomplete",
    ]
      .flatMap((codes) => codes.split(" "))
      .map((code) => ["error", code] as const),
  ] as const)("says of a link in state %s %s what its owner can do, as the code does", (state, code) => {
    const reason = linkObstacle(state, code) ?? "";
    expect(rowOf(reason, "skipped")).toBeDefined();
    const table = section(PATH, "Reasons of a link").split("| `state …` | what to do |")[1] ?? "";
    const line = table.split("\n").find((row) => row.includes(code ?? reason)) ?? "";
    const [advice = "?"] = skippedAction(reason)?.split(":") ?? [];
    expect(line).toContain(advice);
  });

  it("names every reason of a transient failure", () => {
    const source = read("src/api/http/errors.ts");
    const reasons = [...source.matchAll(/: "([a-z]+_?[a-z_]*)",$/gm)].map(([, reason = ""]) => reason);
    expect(new Set(reasons).size).toBeGreaterThan(3);
    expect(reasons.filter((reason) => !text.includes(`\`${reason}\``))).toEqual([]);
  });
});
