import { inject } from "vitest";
import { type Bucket, makeBucket } from "./s3-server.js";

/** A bucket of the server that a run of `npm run test:bucket` shares; undefined in every other run. */
export async function bucketForLake(): Promise<Bucket | undefined> {
  const server = inject("s3");
  if (server === undefined) return undefined;
  Object.assign(process.env, server.env);
  return makeBucket(server.directory);
}
