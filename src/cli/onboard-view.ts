import cliProgress from "cli-progress";
import type { BatchProgress } from "../domain/onboarding/messages.js";
import type { Terminal } from "./terminal.js";

const LINE_EVERY_MS = 3_000;

/** Live progress of a batch on standard error. */
export interface OnboardView {
  show(progress: BatchProgress): void;
  /** Nobody answers for the run at the moment. */
  silent(embedded: boolean): void;
  stop(): void;
}

/** A bar on a terminal, a line every few seconds otherwise. */
export function createOnboardView(terminal: Terminal): OnboardView {
  return terminal.interactive ? barView() : lineView(terminal);
}

function doneOf({ customers: { total, queued, running } }: BatchProgress): number {
  return total - queued - running;
}

function barView(): OnboardView {
  const bar = new cliProgress.SingleBar({
    format: "onboarding {bar} {value}/{total} customers · {running} running · {duration_formatted}",
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 24,
  });
  let started = false;
  return {
    show(progress) {
      const { total, running } = progress.customers;
      if (started) bar.update(doneOf(progress), { running });
      else bar.start(total, doneOf(progress), { running });
      bar.setTotal(total);
      started = true;
    },
    silent: () => undefined,
    stop() {
      if (started) bar.stop();
      started = false;
    },
  };
}

function lineView(terminal: Terminal): OnboardView {
  let said = Date.now();
  let toldOfSilence = false;
  return {
    show(progress) {
      toldOfSilence = false;
      if (Date.now() - said < LINE_EVERY_MS) return;
      said = Date.now();
      const { total, running } = progress.customers;
      terminal.say(`onboarding: ${doneOf(progress)}/${total} customers, ${running} running`);
    },
    silent(embedded) {
      if (toldOfSilence || embedded) return;
      toldOfSilence = true;
      terminal.say("no worker answers for this run; it waits. Start one with `nightledger worker`");
    },
    stop: () => undefined,
  };
}
