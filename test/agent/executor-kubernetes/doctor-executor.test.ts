import { expect, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { checkExecutor } from "../../../agent/doctor/check-executor.ts";
import type { DoctorContext } from "../../../agent/doctor/finding.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount, givenNamespace } from "../../support/cluster/given-namespace.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const flags = {
  "broker-url": "http://127.0.0.1:9",
  executor: "kubernetes",
  "executor-image": "registry.example/svc-agent:1",
};

/** All that the check looks at. */
function scene(kubeconfig: string, more: Readonly<Record<string, string>> = {}): DoctorContext {
  const config = readConfig({ ...flags, ...more }, { KUBECONFIG: kubeconfig });
  return { config, patienceMs: 60_000 } as DoctorContext;
}

describeWithTools(clusterTools, "svc-agent doctor about pods for jobs", () => {
  test("names each right that is missing, and no other", async () => {
    const at = await givenNamespace();
    const { kubeconfig } = await givenAccount(at, [
      { apiGroups: ["batch"], resources: ["jobs"], verbs: ["create", "get", "list", "delete"] },
      { resources: ["pods"], verbs: ["list", "delete"] },
      { resources: ["secrets"], verbs: ["create", "get"] },
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["create", "get"] },
    ]);
    const found = await checkExecutor(scene(kubeconfig));
    expect(found.verdict).toBe("failed");
    expect(found.words).toBe(
      `In namespace ${at.name} the agent may not: patch jobs.batch, list events, patch secrets/svc-agent-state, patch leases.coordination.k8s.io/svc-agent.`,
    );
  });

  test("is content with an account that may do all", async () => {
    const at = await givenNamespace();
    expect((await checkExecutor(scene(at.kubeconfig))).verdict).toBe("ok");
  });

  test("names a pod template that is not right, by its member", async () => {
    const at = await givenNamespace();
    const file = { "executor-pod": "/nonexistent/pod.yaml" };
    await expect(checkExecutor(scene(at.kubeconfig, file))).rejects.toThrow(
      "executor-pod: /nonexistent/pod.yaml: it cannot be read (ENOENT).",
    );
  });
});

test("an executor without a cluster says what it needs", async () => {
  await expect(checkExecutor(scene(""))).rejects.toThrow(
    "executor = kubernetes needs a cluster: the agent does not run in a pod, and KUBECONFIG is not set.",
  );
});
