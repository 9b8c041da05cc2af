import type { TestProject } from "vitest/node";
import { startS3Server } from "./s3-server.js";

declare module "vitest" {
  interface ProvidedContext {
    s3?: { readonly directory: string; readonly env: Readonly<Record<string, string>> };
  }
}

/** Before suites whose lakes are in buckets: starts the S3 server that they share. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { directory, env, stop } = await startS3Server();
  project.provide("s3", { directory, env });
  return stop;
}
