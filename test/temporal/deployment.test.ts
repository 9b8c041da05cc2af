import { expect, test } from "vitest";
import { type Standing, standingOf } from "../../src/temporal/deployment.js";

const BUILD = "0.1.0-aaaaaaaaaaaa";
const [DRAINING, DRAINED] = [1, 2];
const version = (buildId: string) => ({ deploymentName: "prod-1a2b3c4d", buildId });
const at = { nanos: 1 };

/** What Temporal has of a version: nothing but its name until it is current. */
function summary(more: object = {}) {
  return { deploymentVersion: version(BUILD), ...more };
}

const other = { deploymentVersion: version("0.2.0-bbbbbbbbbbbb"), firstActivationTime: at };

test.each<[string, Standing, object]>([
  ["a deployment that does not exist", "unknown", {}],
  ["one that knows other versions only", "unknown", { versionSummaries: [other] }],
  ["the first version of all", "new", { versionSummaries: [summary()], routingConfig: {} }],
  [
    "a version beside the current one that has never been current",
    "new",
    {
      versionSummaries: [other, summary({ drainageInfo: { status: 0 } })],
      routingConfig: { currentDeploymentVersion: other.deploymentVersion },
    },
  ],
  [
    "the current version",
    "current",
    {
      versionSummaries: [summary({ firstActivationTime: at })],
      routingConfig: { currentDeploymentVersion: version(BUILD) },
    },
  ],
  [
    "the current version, which drained before it came back",
    "current",
    {
      versionSummaries: [summary({ firstActivationTime: at, drainageInfo: { status: DRAINED } })],
      routingConfig: { currentDeploymentVersion: version(BUILD) },
    },
  ],
  [
    "a version that another has followed a moment ago, before Temporal looked at what is pinned",
    "replaced",
    {
      versionSummaries: [other, summary({ firstActivationTime: at })],
      routingConfig: { currentDeploymentVersion: other.deploymentVersion },
    },
  ],
  [
    "a version that drains",
    "replaced",
    { versionSummaries: [summary({ firstActivationTime: at, drainageInfo: { status: DRAINING } })] },
  ],
  [
    "a version that drains, of a server that does not say when it was current",
    "replaced",
    { versionSummaries: [summary({ drainageInfo: { status: DRAINING } })] },
  ],
  [
    "a version to which nothing is pinned any more",
    "drained",
    { versionSummaries: [summary({ firstActivationTime: at, drainageInfo: { status: DRAINED } })] },
  ],
])("%s is %s", (_, standing, info) => {
  expect(standingOf(info, BUILD)).toBe(standing);
});
