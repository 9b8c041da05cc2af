import { setTimeout as sleep } from "node:timers/promises";
import { type Client, isGrpcServiceError } from "@temporalio/client";
import type { WorkerDeploymentVersion } from "@temporalio/common";
import type { temporal } from "@temporalio/proto";
import { InputError, UnreachableError } from "../domain/failures.js";

type DeploymentInfo = temporal.api.deployment.v1.IWorkerDeploymentInfo;

/**
 * How a version stands in its deployment: no worker of it has polled (`unknown`), it has never been the current one
 * (`new`), it is, or another has followed it, with open workflows pinned to it (`replaced`) or without (`drained`).
 */
export type Standing = "unknown" | "new" | "current" | "replaced" | "drained";

const DRAINED = 2;
const [NOT_FOUND, UNIMPLEMENTED] = [5, 12];
const LOOK_EVERY_MS = 500;
/** Temporal notes a version within a second or two of its first poll. */
const NOTED_WITHIN_MS = 60_000;

export function standingOf({ routingConfig, versionSummaries }: DeploymentInfo, buildId: string): Standing {
  if (routingConfig?.currentDeploymentVersion?.buildId === buildId) return "current";
  const found = versionSummaries?.find(({ deploymentVersion }) => deploymentVersion?.buildId === buildId);
  if (!found) return "unknown";
  const { firstActivationTime, drainageInfo } = found;
  if (!firstActivationTime && !drainageInfo?.status) return "new";
  return drainageInfo?.status === DRAINED ? "drained" : "replaced";
}

/** One version of a deployment (docs/inside/decisions/0043-deployments.md). */
export class Deployment {
  constructor(
    private readonly client: Client,
    readonly version: WorkerDeploymentVersion,
  ) {}

  get words(): string {
    return `${this.version.buildId} of ${this.version.deploymentName}`;
  }

  /** @throws InputError where the server has no deployments. */
  async standing(): Promise<Standing> {
    return standingOf(await this.#describe(), this.version.buildId);
  }

  /**
   * Waits until Temporal knows a worker of this version, and makes the version the current one if it has never been:
   * so a new build takes over, and an old one that starts again does not. Undefined where it was interrupted.
   *
   * @throws UnreachableError where Temporal does not note the version, or refuses to make it current.
   */
  async enter(signal: AbortSignal): Promise<Standing | undefined> {
    let problem: unknown;
    for (const until = Date.now() + NOTED_WITHIN_MS; Date.now() < until; ) {
      if (signal.aborted) return undefined;
      const standing = await this.standing();
      if (standing !== "new" && standing !== "unknown") return standing;
      // Until both of its task queues are noted, Temporal refuses.
      if (standing === "new") {
        const refused = await this.makeCurrent().then(
          () => undefined,
          (error: unknown) => error,
        );
        if (refused === undefined) return "current";
        problem = refused;
      }
      await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    }
    throw new UnreachableError(
      `Temporal did not make ${this.version.buildId} the current version of ${this.version.deploymentName}: ${problem instanceof Error ? problem.message : "it has not noted its worker"}. Its worker would get no work, so it ends. Check what TEMPORAL_API_KEY may do.`,
      { cause: problem },
    );
  }

  /** Makes this version the current one; returns the build id of the one before, undefined where there was none. */
  async makeCurrent(): Promise<string | undefined> {
    const { workflowService, options } = this.client;
    const { previousDeploymentVersion: before } = await workflowService.setWorkerDeploymentCurrentVersion({
      namespace: options.namespace,
      ...this.version,
    });
    return before?.buildId || undefined;
  }

  /** Runs that only a worker of this version continues, or one of another; a new one is counted after about a second. */
  async pinned(of: "this" | "others"): Promise<number> {
    const { deploymentName, buildId } = this.version;
    const is = of === "this" ? "=" : "!=";
    const { count } = await this.client.workflow.count(
      `TemporalWorkerDeployment = "${deploymentName}" AND TemporalWorkerDeploymentVersion ${is} "${deploymentName}:${buildId}" AND TemporalWorkflowVersioningBehavior = "Pinned" AND ExecutionStatus = "Running"`,
    );
    return count;
  }

  async #describe(): Promise<DeploymentInfo> {
    const { workflowService, options } = this.client;
    const { deploymentName } = this.version;
    try {
      const request = { namespace: options.namespace, deploymentName };
      const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment(request);
      return workerDeploymentInfo ?? {};
    } catch (error) {
      const code = isGrpcServiceError(error) ? error.code : undefined;
      if (code === NOT_FOUND) return {};
      if (code !== UNIMPLEMENTED) throw error;
      throw new InputError(
        "NIGHTLEDGER_DEPLOYMENT is set, and this Temporal server has no worker deployments. Nothing was started. Leave it out, or use a server of 1.29 or later.",
        { cause: error },
      );
    }
  }
}
