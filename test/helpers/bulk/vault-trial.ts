import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import { openQuery } from "../../../src/lake/query/query.js";
import { type JobFolder, openJobFolder } from "../command/job-folder.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { rowsOf, withLake } from "../lake/lake-audit.js";
import { holding } from "../onboarding/planted-texts.js";
import { runKilled } from "./killed-command.js";

interface VaultTrial {
  readonly seed: number;
  readonly users: number;
  readonly kills: number;
}

const FIELDS = ["id.email", "id.dob", "custom.plan"];
const EXPORT = ["export", "vault", "--roster", "users.csv", "--fields", FIELDS.join(","), "--reason", "audit", "--json"];
const WRITE = ["vault", "write", "--file", "values.jsonl", "--json"];
const FILE = Buffer.from("a statement of some length ".repeat(80_000));
