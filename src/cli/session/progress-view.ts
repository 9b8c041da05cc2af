import cliProgress from "cli-progress";
import type { Terminal } from "../terminal/terminal.js";

const LINE_EVERY_MS = 3_000;

/** How far something is, with what its bar and its line show besides. */
interface Figures {
  readonly done: number;
  readonly total: number;
  readonly [shown: string]: number | string;
}

/** How the progress of one kind of run is shown. */
export interface ProgressForm<P> {
  /** Format of the bar, as cli-progress takes it; `{name}` stands for a figure. */
  readonly bar: string;
  figures(progress: P): Figures;
  line(figures: Figures): string;
}

/** Live progress on standard error. */
interface ProgressView<P> {
  show(progress: P): void;
  /** Says something beside the progress. */
  say(text: string): void;
  /** Nobody answers for the run at the moment. */
  silent(embedded: boolean): void;
  stop(): void;
}

/** A bar on a terminal, a line every few seconds otherwise. */
export function createProgressView<P>(terminal: Terminal, form: ProgressForm<P>): ProgressView<P> {
  return terminal.interactive ? barView(terminal, form) : lineView(terminal, form);
}

function barView<P>(terminal: Terminal, { bar: format, figures }: ProgressForm<P>): ProgressView<P> {
  const bar = new cliProgress.SingleBar({
    format: `${format} · {duration_formatted}`,
    stream: process.stderr,
    hideCursor: true,
    clearOnComplete: true,
    barsize: 24,
  });
  let started = false;
  const stop = () => {
    if (started) bar.stop();
    started = false;
  };
  return {
    show(progress) {
      const { total, done, ...shown } = figures(progress);
      if (started) bar.update(done, shown);
      else bar.start(total, done, shown);
      bar.setTotal(total);
      started = true;
    },
    // The bar would be written over; it comes back with the next progress.
    say(text) {
      stop();
      terminal.say(text);
    },
    silent: () => undefined,
    stop,
  };
}

function lineView<P>(terminal: Terminal, { figures, line }: ProgressForm<P>): ProgressView<P> {
  let said = Date.now();
  let toldOfSilence = false;
  return {
    show(progress) {
      toldOfSilence = false;
      if (Date.now() - said < LINE_EVERY_MS) return;
      said = Date.now();
      terminal.say(line(figures(progress)));
    },
    say: (text) => terminal.say(text),
    silent(embedded) {
      if (toldOfSilence || embedded) return;
      toldOfSilence = true;
      terminal.say("no worker answers for this run; it waits. Start one with `nightledger worker`");
    },
    stop: () => undefined,
  };
}
