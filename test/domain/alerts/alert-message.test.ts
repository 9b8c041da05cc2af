import { expect, test } from "vitest";
import { alertBody } from "../../../src/domain/alerts/alert-message.js";
import type { AlertEvent } from "../../../src/domain/alerts/transitions.js";

const EVENT: AlertEvent = {
  alertId: "alert-20261122T021640Z-0a1b2c",
  rule: "failed-links",
  subject: "links",
  state: "raised",
  message: "2 bank links failed when last read; allowed: 0",
  action: "nightledger runs retry sync-1 reads them again",
  runId: "sync-1",
  at: Date.parse("2026-11-22T02:16:40.123Z"),
};

test("a body is what chats show, and the same in fields", () => {
  const text =
    "Nightledger, failed-links: 2 bank links failed when last read; allowed: 0.\nnightledger runs retry sync-1 reads them again.";
  expect(alertBody(EVENT, "0ab1")).toEqual({
    id: "alert-20261122T021640Z-0a1b2c-raised",
    type: "alert.raised",
    timestamp: "2026-11-22T02:16:40Z",
    text,
    content: text,
    alert: {
      alert_id: "alert-20261122T021640Z-0a1b2c",
      rule: "failed-links",
      subject: "links",
      state: "raised",
      message: "2 bank links failed when last read; allowed: 0",
      action: "nightledger runs retry sync-1 reads them again",
      run_id: "sync-1",
      at: "2026-11-22T02:16:40Z",
      lake_root: "0ab1",
      link: null,
    },
  });
});

test("what is over has an id of its own, and nothing to do", () => {
  expect(alertBody({ ...EVENT, state: "cleared", message: "all good", action: "" }, null)).toMatchObject({
    id: "alert-20261122T021640Z-0a1b2c-cleared",
    type: "alert.cleared",
    text: "Nightledger, over (failed-links): all good.",
  });
});

test("nobody is called by what a message quotes", () => {
  expect(alertBody({ ...EVENT, message: "<!channel> & more" }, null)).toMatchObject({
    text: expect.stringContaining("&lt;!channel&gt; &amp; more"),
  });
});

test("where the board has an address, a message links to the run, or to the page of what it is about", () => {
  const board = "https://board.example/night";
  const link = `${board}/runs/sync-1`;
  const text = expect.stringMatching(/reads them again\.\nhttps:\/\/board\.example\/night\/runs\/sync-1$/);
  expect(alertBody(EVENT, null, board)).toMatchObject({ text, content: text, alert: { link } });
  const about = (more: Partial<AlertEvent>) => alertBody({ ...EVENT, runId: null, ...more }, null, board);
  expect(about({ rule: "open-quarantine" })).toMatchObject({ alert: { link: `${board}/quarantine` } });
  expect(about({ rule: "run-missing" })).toMatchObject({ alert: { link: `${board}/` } });
});
