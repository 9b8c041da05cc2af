import cliProgress from "cli-progress";
import { type WaitingState, waitingState } from "../../domain/waiting.js";
import { elapsed, type Pace, type PaceWords, paceWords, withSample } from "../terminal/pace.js";
import type { Terminal } from "../terminal/terminal.js";
import { waitingLines, waitingNews } from "../terminal/waiting-lines.js";

const LINE_EVERY_MS = 3_000;
/** So narrow that a line with large numbers, rate and estimate still fits into eighty columns. */
const BAR_SIZE = 10;

interface Figures {
  readonly done: number;
  readonly total: number;
  readonly [shown: string]: number | string;
}

export interface ProgressForm<P> {
  /** Format of the bar, as cli-progress takes it; `{name}` is replaced by a figure, `{all}` by their total, `{read}` by {@link read}. */
  readonly bar: string;
  figures(progress: P): Figures;
  line(figures: Figures): string;
  read?(figures: Figures): string;
  /**
   * What a rate counts, how many things are expected in the end, and how many are done where parts of them count; left
   * out, no rate or estimate is shown.
   */
  paced?(progress: P): {
    readonly amount: number;
    readonly unit: string;
    readonly expected: number;
    readonly done?: number;
  };
  waiting?(progress: P): WaitingState;
}

interface ProgressView<P> {
  show(progress: P): void;
  say(text: string): void;
  /** Says once that no worker answers for the run. */
  silent(): void;
  stop(): void;
}

/** Shows a bar on a terminal that can draw one, and elsewhere a line every few seconds if something has changed. */
export function createProgressView<P>(terminal: Terminal, form: ProgressForm<P>): ProgressView<P> {
  const steady = { ...form, figures: neverBack(form.figures) };
  const draws = terminal.interactive && terminal.env.TERM !== "dumb";
  return draws ? barView(terminal, steady) : lineView(terminal, steady);
}

/**
 * Keeps figures from going backwards: what is read counts at once, and becomes fewer rows when it is committed or when a
 * link begins again.
 */
function neverBack<P>(figures: (progress: P) => Figures): (progress: P) => Figures {
  let before: Figures | undefined;
  return (progress) => {
    const now = figures(progress);
    const steady = Object.entries(now).map(([name, figure]) => {
      const was = before?.[name];
      return [name, typeof figure === "number" && typeof was === "number" ? Math.max(was, figure) : figure];
    });
    const told = { ...now, ...Object.fromEntries(steady) };
    before = told;
    return told;
  };
}

/** Gives rate and estimate of each progress in words, and what its bar counts as done. */
function paceOf<P>(
  { figures, paced, waiting }: ProgressForm<P>,
  began?: Pace,
): (progress: P) => PaceWords & { readonly done: number } {
  let pace = began;
  let done = 0;
  return (progress) => {
    const told = paced?.(progress);
    done = Math.max(done, told?.done ?? figures(progress).done);
    if (told === undefined) return { rate: [], left: [], done };
    const { amount, unit, expected } = told;
    pace = withSample(pace, { at: Date.now(), done, amount });
    const words = paceWords(pace, unit, expected);
    // If everything that is left waits for another try, the pace of the others says nothing about it.
    const waits = waiting?.(progress).waiting_total ?? 0;
    return waits < expected - done ? { ...words, done } : { ...words, left: [], done };
  };
}

/** Of a progress that is seen once. @param began when its run had done nothing, epoch milliseconds */
export function averagePace<P>(form: ProgressForm<P>, progress: P, began: number): PaceWords {
  return paceOf(form, withSample(undefined, { at: began, done: 0, amount: 0 }))(progress);
}

function barView<P>(terminal: Terminal, form: ProgressForm<P>): ProgressView<P> {
  const look = { barsize: BAR_SIZE, hideCursor: true, clearOnComplete: true, emptyOnZero: true };
  const options = { stream: process.stderr, ...look };
  const pace = paceOf(form);
  const began = Date.now();
  let bars: cliProgress.MultiBar | undefined;
  let bar: cliProgress.SingleBar | undefined;
  let below: cliProgress.SingleBar[] = [];
  const stop = () => {
    bars?.stop();
    bars = undefined;
    bar = undefined;
    below = [];
  };
  return {
    show(progress) {
      const figures = form.figures(progress);
      const { total } = figures;
      const { rate, left, done } = pace(progress);
      const ends = [...rate, ...(left.length > 0 ? left : [elapsed(Date.now() - began)])];
      const shown = { ...figures, all: total, read: form.read?.(figures), pace: ends.join(" · ") };
      bars ??= new cliProgress.MultiBar({ ...options, format: `${form.bar} · {pace}` });
      bar ??= bars.create(total, done, shown);
      bar.setTotal(total);
      bar.update(done, shown);
      const lines = form.waiting === undefined ? [] : waitingLines(form.waiting(progress), Date.now());
      for (const line of below.splice(lines.length)) bars.remove(line);
      for (const [at, text] of lines.entries()) {
        const line = below[at];
        if (line === undefined) below.push(bars.create(1, 0, { text }, { format: "{text}" }));
        else line.update(0, { text });
      }
    },
    // A bar would overwrite the text; it comes back with the next progress.
    say(text) {
      stop();
      terminal.say(text);
    },
    silent: () => undefined,
    stop,
  };
}

function lineView<P>(terminal: Terminal, form: ProgressForm<P>): ProgressView<P> {
  const pace = paceOf(form);
  let saidAt = Date.now();
  let said = "";
  let waiting = waitingState([]);
  let toldOfSilence = false;
  return {
    show(progress) {
      toldOfSilence = false;
      const now = Date.now();
      const before = waiting;
      waiting = form.waiting?.(progress) ?? before;
      for (const news of waitingNews(before, waiting, now)) terminal.say(news);
      const text = form.line(form.figures(progress));
      const { rate, left } = pace(progress);
      if (text === said || now - saidAt < LINE_EVERY_MS) return;
      said = text;
      saidAt = now;
      terminal.say([text, ...rate, ...left].join(", "));
    },
    say: (text) => terminal.say(text),
    silent() {
      if (toldOfSilence) return;
      toldOfSilence = true;
      terminal.say("no worker is running, so this run is waiting; start one with `nightledger worker`");
    },
    stop: () => undefined,
  };
}
