/** What a run does one after another, or beside each other, by name: epoch milliseconds. */
export type Phases = Readonly<Record<string, { readonly began: number; readonly ended: number }>>;

/** As the table `runs` has it. */
export interface ShownPhase {
  readonly phase: string;
  readonly began_at: string;
  readonly ended_at: string;
}

/** Adds a piece of work to its phase, which then lasts from the first such piece to the last one. Pure. */
export function withWork(phases: Phases, name: string, began: number, ended: number): Phases {
  const known = phases[name] ?? { began, ended };
  return {
    ...phases,
    [name]: { began: Math.min(known.began, began), ended: Math.max(known.ended, ended) },
  };
}

/** In the order in which they began; the last one, which writes the row, ends with the run. */
export function shownPhases(phases: Phases, finishedAt: Date): ShownPhase[] {
  const instant = (at: number) => new Date(at).toISOString();
  return Object.entries(phases)
    .map(([phase, { began, ended }]) => ({
      ...{ phase, began_at: instant(began) },
      ended_at: instant(phase === FINISHING ? finishedAt.getTime() : ended),
    }))
    .sort((a, b) => (a.began_at < b.began_at ? -1 : a.began_at > b.began_at ? 1 : 0));
}

/** The phase in which a run's row is written. */
export const FINISHING = "finishing";
