export interface LakePlace {
  /** A directory's absolute path, or `s3://bucket/prefix`. */
  readonly address: string;
  /** For files of this machine. */
  readonly scratch: ScratchPlace;
}

interface ScratchPlace {
  readonly directory: string;
  /** Of copies of a bucket's objects; more is removed. */
  readonly mostBytes: number;
  /** For SQL; beyond it, SQL spills into the directory. Default: 512. */
  readonly memoryMb?: number;
}

/** The prefix is empty, or ends in `/`. */
export interface S3Place {
  readonly bucket: string;
  readonly prefix: string;
}

const FORM = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*?))?\/*$/i;

export function isS3Address(address: string): boolean {
  return /^s3:\/\//i.test(address);
}

/** Undefined for an address of another form. */
export function s3Place(address: string): S3Place | undefined {
  const found = FORM.exec(address);
  if (found === null) return undefined;
  const [, bucket = "", path = ""] = found;
  const parts = path.split("/");
  const isPath = path === "" || parts.every((part) => !["", ".", ".."].includes(part));
  return isPath ? { bucket, prefix: path === "" ? "" : `${path}/` } : undefined;
}

/** One address for each place, however it was written. */
export function s3Address({ bucket, prefix }: S3Place): string {
  return `s3://${bucket}/${prefix}`.replace(/\/$/, "");
}
