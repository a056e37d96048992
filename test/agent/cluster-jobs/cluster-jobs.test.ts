import { expect, test } from "vitest";
import { clusterJobName } from "../../../agent/cluster-jobs/cluster-job.ts";
import { followClusterJob } from "../../../agent/cluster-jobs/follow-cluster-job.ts";
import type { JobLook } from "../../../agent/cluster-jobs/judge-cluster-job.ts";
import { makeClusterJob } from "../../../agent/cluster-jobs/make-cluster-job.ts";
import { removeClusterJob } from "../../../agent/cluster-jobs/remove-cluster-job.ts";
import type { KubeObject } from "../../../agent/kubernetes/kube-object.ts";
import { givenClusterApi } from "../../support/cluster/given-cluster-api.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount, givenNamespace } from "../../support/cluster/given-namespace.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

async function given() {
  const at = await givenNamespace();
  const cluster = await givenClusterApi(at);
  const jobOf = (podOf: object = {}, pod: object = {}): KubeObject => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "one", namespace: at.name, labels: { "svc/execution": "exe_1" } },
    spec: {
      backoffLimit: 0,
      template: {
        metadata: { annotations: podOf },
        spec: {
          restartPolicy: "Never",
          containers: [{ name: "main", image: "registry.example/app:1" }],
          ...pod,
        },
      },
    },
  });
  const patient = { signal: new AbortController().signal, startWithinMs: 120_000 };
  const gone = { signal: patient.signal, withinMs: 120_000 };
  return { at, cluster, jobOf, patient, gone };
}

describeWithTools(clusterTools, "a Job in a cluster", () => {
  test("is made once however often it is asked for, by ten at a time, too", async () => {
    const { at, cluster, jobOf } = await given();
    const wanted = { job: jobOf({ "svc.test/pod": "runs" }), secret: { KEY: "value" } };
    const ten = Array.from({ length: 10 }, () => makeClusterJob(cluster, wanted));
    const made = await Promise.all(ten);
    expect(made.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(new Set(made.map(({ uid }) => uid)).size).toBe(1);
    const uid = made[0]?.uid ?? "";
    expect(await makeClusterJob(cluster, { ...wanted, uid })).toMatchObject({ uid, isNew: false });
    const owner = "jsonpath={.metadata.ownerReferences[0].uid}";
    expect(await at.kubectl(["get", "secret", "one", "-o", owner])).toBe(uid);
    const suspended = "jsonpath={.spec.suspend}";
    expect(await at.kubectl(["get", "job", "one", "-o", suspended])).toBe("false");
  });

  test("of somebody else is not taken for ours, nor one that came in its place", async () => {
    const { at, cluster, jobOf, gone } = await given();
    const ours = jobOf({ "svc.test/pod": "runs" });
    const metadata = { ...ours.metadata, labels: { "svc/execution": "exe_2" } };
    const theirs = await makeClusterJob(cluster, { job: { ...ours, metadata } });
    const taken = /was not created by this job/;
    await expect(makeClusterJob(cluster, { job: ours })).rejects.toThrow(taken);
    expect(await removeClusterJob(cluster, theirs, gone)).toEqual([]);
    const first = await makeClusterJob(cluster, { job: ours });
    await at.kubectl(["delete", "job", "one", "--cascade=foreground"]);
    await expect(makeClusterJob(cluster, { job: ours, uid: first.uid })).rejects.toThrow(/is gone/);
    const second = await makeClusterJob(cluster, { job: ours });
    expect(second.uid).not.toBe(first.uid);
    await expect(makeClusterJob(cluster, { job: ours, uid: first.uid })).rejects.toThrow(taken);
    // Whoever removes the first one leaves the second alone.
    expect(await removeClusterJob(cluster, first, gone)).toEqual([]);
    expect(await at.kubectl(["get", "job", "one", "-o", "name"])).toBe("job.batch/one\n");
  });

  test("goes on with a Secret that it has already, and that its maker may not read", async () => {
    const { at, jobOf } = await given();
    const verbs = ["create", "get", "patch"];
    const account = await givenAccount(at, [
      { verbs, resources: ["jobs"], apiGroups: ["batch"] },
      { verbs: ["create"], resources: ["secrets"] },
    ]);
    const cluster = await givenClusterApi({ name: at.name, kubectl: account.kubectl });
    const wanted = { job: jobOf({ "svc.test/pod": "runs" }), secret: { KEY: "value" } };
    await makeClusterJob(cluster, wanted);
    // As an agent leaves it that was killed between the two.
    const suspend = ["patch", "job", "one", "--type=merge", "-p", '{"spec":{"suspend":true}}'];
    await at.kubectl(suspend);
    expect(await makeClusterJob(cluster, wanted)).toMatchObject({ isNew: false });
    const suspended = "jsonpath={.spec.suspend}";
    expect(await at.kubectl(["get", "job", "one", "-o", suspended])).toBe("false");
  });

  test("is followed to its end, good or bad", async () => {
    const { cluster, jobOf, patient, gone } = await given();
    const good = await makeClusterJob(cluster, { job: jobOf() });
    const end = await followClusterJob(cluster, good, patient);
    expect(end).toMatchObject({ is: "succeeded", look: { pods: [{ phase: "Succeeded" }] } });
    expect(await removeClusterJob(cluster, good, gone)).toEqual([]);
    const bad = await makeClusterJob(cluster, { job: jobOf({ "svc.test/exit-code": "7" }) });
    const failed = await followClusterJob(cluster, bad, patient);
    expect(failed).toMatchObject({ is: "failed", fault: { trouble: "exit_code", exitCode: 7 } });
    expect(failed.fault?.words).toMatch(/^pod one-\w+: container main ended with code 7$/);
  });

  test.each<[trouble: string, annotations: object, pod: object, words: RegExp]>([
    ["image_pull", { "svc.test/pod": "no-image" }, {}, /ImagePullBackOff/],
  ])("that cannot begin is given up early: %s", async (trouble, annotations, pod, words) => {
    const { cluster, jobOf, patient } = await given();
    const one = await makeClusterJob(cluster, { job: jobOf(annotations, pod) });
    const end = await followClusterJob(cluster, one, patient);
    expect(end).toMatchObject({ is: "hopeless", fault: { trouble } });
    expect(end.fault?.words).toMatch(words);
  });

  test("whose pod cannot be made yet begins when it can be", async () => {
    const { at, cluster, jobOf, patient } = await given();
    const job = jobOf({}, { serviceAccountName: "later" });
    const one = await makeClusterJob(cluster, { job });
    let seen = 0;
    const onLook = ({ fault }: JobLook): void => void (seen += fault === undefined ? 0 : 1);
    const following = followClusterJob(cluster, one, { ...patient, onLook });
    await expect.poll(() => seen).toBeGreaterThan(3);
    await at.kubectl(["create", "serviceaccount", "later"]);
    expect((await following).is).toBe("succeeded");
  });

  test("that fits nowhere is waited for as long as is allowed, and says what the scheduler says", async () => {
    const { cluster, jobOf, patient } = await given();
    const one = await makeClusterJob(cluster, { job: jobOf({}, { nodeSelector: { no: "such" } }) });
    let seen = 0;
    const onLook = (look: { readonly fault?: unknown }): void => {
      if (look.fault !== undefined) seen += 1;
    };
    // It is told of before the time is over, and only then given up.
    const stop = new AbortController();
    const following = { ...patient, signal: stop.signal, onLook };
    const stopped = followClusterJob(cluster, one, following);
    await expect.poll(() => seen).toBeGreaterThan(3);
    stop.abort();
    expect((await stopped).is).toBe("stopped");
    const end = await followClusterJob(cluster, one, { ...patient, startWithinMs: 1 });
    expect(end).toMatchObject({ is: "hopeless", fault: { trouble: "unschedulable" } });
    expect(end.fault?.words).toMatch(/did not start within .*fits on no node: 0\/1 nodes/);
  });

  test("whose pod failed is not given up while the cluster waits to make another", async () => {
    const { cluster, jobOf, patient } = await given();
    const job = jobOf({ "svc.test/exit-code": "1" });
    const spec = { ...(job["spec"] as object), backoffLimit: 1 };
    const one = await makeClusterJob(cluster, { job: { ...job, spec } });
    // The cluster waits ten seconds before the second one.
    const end = await followClusterJob(cluster, one, { ...patient, startWithinMs: 5_000 });
    expect(end).toMatchObject({ is: "failed", fault: { trouble: "exit_code" } });
    expect(end.look.pods).toHaveLength(2);
  });

  test("is removed with its pods and its Secret, or what is left is told", async () => {
    const { at, cluster, jobOf, gone } = await given();
    const wanted = { job: jobOf({ "svc.test/pod": "runs" }), secret: { KEY: "value" } };
    const one = await makeClusterJob(cluster, wanted);
    const patched = async (patch: object): Promise<string> =>
      await at.kubectl(["patch", "job", "one", "--type=merge", "-p", JSON.stringify(patch)]);
    await patched({ metadata: { finalizers: ["svc.test/held"] } });
    const left = await removeClusterJob(cluster, one, { ...gone, withinMs: 1 });
    expect(left.join()).toContain(`Job ${at.name}/one (finalizers: `);
    expect(left.join()).toContain("svc.test/held");
    await patched({ metadata: { finalizers: null } });
    expect(await removeClusterJob(cluster, one, gone)).toEqual([]);
    const rest = async (): Promise<string> =>
      await at.kubectl(["get", "job,pod,secret", "-o", "name"]);
    await expect.poll(rest).toBe("");
  });
});

test("the name of a Job is the same for the same execution, and fits", () => {
  const id = "exe_01h8xgjwbwbaq4z5v6k7m8n9p0";
  expect(clusterJobName("job", id)).toBe("job-01h8xgjwbwbaq4z5v6k7m8n9p0");
  expect(clusterJobName("x".repeat(80), id)).toMatch(/^x{36}-01h8xgjwbwbaq4z5v6k7m8n9p0$/);
});
