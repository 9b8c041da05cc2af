import { proxyActivities } from "@temporalio/workflow";

const { refuse } = proxyActivities<{ refuse(name: string): Promise<void> }>({
  startToCloseTimeout: "10 s",
  retry: { maximumAttempts: 1 },
});

export async function echo(name: string, fail: boolean): Promise<string> {
  if (fail) await refuse(name);
  return name;
}
