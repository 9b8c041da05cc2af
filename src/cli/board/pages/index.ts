import type { Page } from "../page.js";
import { batch } from "./batch.js";
import { health } from "./health.js";
import { link } from "./link.js";
import { links } from "./links.js";
import { onboarding } from "./onboarding.js";
import { quarantine } from "./quarantine.js";
import { run } from "./run.js";
import { runs } from "./runs.js";
import { schedules } from "./schedules.js";
import { tonight } from "./tonight.js";

/** In the order of the navigation. */
export const PAGES: readonly Page[] = [
  tonight,
  runs,
  run,
  links,
  link,
  onboarding,
  batch,
  quarantine,
  schedules,
  health,
];
