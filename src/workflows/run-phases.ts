import { type Phases, withWork } from "../domain/phases.js";

/** Notes when each phase of a run began and ended. It awaits nothing itself, so the order of a workflow's commands stays. */
export class RunPhases {
  constructor(private phases: Phases = {}) {}

  get all(): Phases {
    return this.phases;
  }

  note(phase: string, began: number, ended = Date.now()): void {
    this.phases = withWork(this.phases, phase, began, ended);
  }

  /** Notes a piece of work once it has ended, well or not. @returns the work itself */
  during<T>(phase: string, work: Promise<T>): Promise<T> {
    const began = Date.now();
    const note = () => this.note(phase, began);
    work.then(note, note);
    return work;
  }
}
