import type { Page } from "../page.js";
import { tonight } from "./tonight.js";

/** Every page of the board, in the order of its navigation. */
export const PAGES: readonly Page[] = [tonight];
