import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { onAbort } from "../../../src/api/http/abort-listeners.js";

test("an abort tells every listener once, in their order, but those that were taken back", () => {
  const controller = new AbortController();
  const told: number[] = [];
  const [first] = [1, 2, 3].map((number) => onAbort(controller.signal, () => told.push(number)));
  first?.();
  controller.abort();
  controller.abort();
  expect(told).toEqual([2, 3]);
});

test("a listener may take another one back, and itself, while they are told", () => {
  const controller = new AbortController();
  const told: string[] = [];
  const offs = [
    onAbort(controller.signal, () => {
      told.push("first");
      for (const off of offs) off();
    }),
    onAbort(controller.signal, () => told.push("second")),
  ];
  controller.abort();
  expect(told).toEqual(["first"]);
});

test("a signal has one listener of Node's, however many calls share it", () => {
  const { signal } = new AbortController();
  for (let call = 0; call < 500; call += 1) onAbort(signal, () => undefined);
  expect(getEventListeners(signal, "abort")).toHaveLength(1);
});
