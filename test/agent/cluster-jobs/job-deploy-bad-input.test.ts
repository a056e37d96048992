import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import type { JobDeployContext } from "../../../agent/handlers/cluster-jobs/job-deploy-context.ts";
import { readJobRun } from "../../../agent/handlers/cluster-jobs/job-run.ts";
import { removeFormer } from "../../../agent/handlers/cluster-jobs/remove-former.ts";
import type { JobInfo } from "../../../agent/jobs/handler.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { givenClusterApi } from "../../support/cluster/given-cluster-api.ts";
import { givenClusterJobs, goesOn } from "../../support/cluster/given-cluster-jobs.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenAccount, givenNamespace } from "../../support/cluster/given-namespace.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

const infoOf = (operation: string): JobInfo => ({ operation }) as JobInfo; // all that is read
const image_url = "registry.example/app";

test.each<[what: string, job: object, words: RegExp]>([
  ["no image", {}, /job\.image_url is missing: the image to run/],
  ["an image with a space", { image_url: "a b" }, /job\.image_url: is not a valid image name/],
  ["two tags", { image_url: "r/a:1", tag: "2" }, /job\.image_url and job\.tag both have a tag/],
  ["a tag that is none", { image_url, tag: "a b" }, /job\.tag: is not a valid tag/],
  [
    "a digest that is none",
    { image_url, digest: "sha256:12" },
    /job\.digest: is not a valid digest/,
  ],
  ["cmd that is a text", { image_url, cmd: "sh -c" }, /job\.cmd: /],
  ["a number in env_vars", { image_url, env_vars: { A: 1 } }, /job\.env_vars\.A: /],
  [
    "a variable's name that is none",
    { image_url, env_vars: { "A=": "" } },
    /is not a valid variable name/,
  ],
  ["too much in env_vars", { image_url, env_vars: { A: "x".repeat(1e6) } }, /the limit is 900000/],
  ["a name that is none", { image_url, name: "A_b" }, /job\.name: is not a valid name of a Job/],
  ["a time below nothing", { image_url, timeout: -1 }, /job\.timeout: must not be negative/],
  ["keep of a second", { image_url, keep: 1e9 }, /job\.keep: must be 0, or at least ten minutes/],
  ["backoff of a thousand", { image_url, backoff: 1_000 }, /job\.backoff: /],
])("the plan of a job-deploy with %s is refused, and the member named", (_, job, words) => {
  expect(() => readJobRun({ job }, infoOf("exec"))).toThrow(words);
});

test("a job-deploy has the operations of a deploy and no other, and a teardown says whose", () => {
  const plan = { job: { image_url } };
  expect(() => readJobRun(plan, infoOf("build"))).toThrow(
    /no operation build: use one of create-apply-plan/,
  );
  expect(() => readJobRun(plan, infoOf("create-teardown-plan"))).toThrow(/install_id or component/);
  expect(() => readJobRun(plan, infoOf("apply-plan"))).toThrow(/apply_plan_contents is missing/);
});

let fleet: Fleet;

describeWithTools(clusterTools, "a job-deploy that its cluster refuses", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
  });

  test("says why: no namespace, no right, no room, nobody there", async () => {
    const { at, deploy, left } = await givenClusterJobs(fleet);
    const nowhere = await deploy({ namespace: "nowhere-at-all" });
    expect(nowhere.result?.error_metadata).toMatchObject({ class: "not_found" });
    expect(nowhere.description).toMatch(/Job nowhere-at-all\/\S+: .*"nowhere-at-all" not found/);
    const { kubeconfig } = await givenAccount(at, []);
    const cluster_info = { kube_config: await readFile(kubeconfig, "utf8") };
    const forbidden = await deploy({ cluster_info });
    expect(forbidden.result?.error_metadata).toMatchObject({ class: "forbidden" });
    expect(forbidden.description).toMatch(/cannot create resource "jobs"/);
    await at.kubectl(["create", "quota", "none", "--hard=count/jobs.batch=0"]);
    // The quota counts once its controller has seen it.
    const used = ["wait", "--for=jsonpath={.status.hard}", "quota/none", "--timeout=60s"];
    await at.kubectl(used);
    const full = await deploy({});
    expect(full.result?.error_metadata).toMatchObject({ class: "quota" });
    expect(full.result).toMatchObject({
      composite_error: { type: "deploy.quota", retryable: true },
    });
    expect(await left()).toEqual([]);
  });

  test("may not list pods: it ends well all the same, and says that nothing is seen", async () => {
    const { at, deploy, logOf } = await givenClusterJobs(fleet);
    const own = ["create", "get", "delete", "patch"];
    const { kubeconfig } = await givenAccount(at, [
      { verbs: own, resources: ["jobs"], apiGroups: ["batch"] },
      { verbs: ["create", "get"], resources: ["secrets"] },
    ]);
    const kube_config = await readFile(kubeconfig, "utf8");
    const cluster_info = { kube_config };
    const ended = await deploy({ cluster_info, env_vars: { A: "b" } });
    expect(ended.status).toBe("finished");
    // Whether it has begun cannot be seen: it is not given up for that.
    const times = { start_timeout: 1e9, timeout: 6e9 };
    const late = await deploy({ cluster_info, ...goesOn, ...times });
    expect(late.result?.error_metadata).toMatchObject({ class: "timeout" });
    expect(await logOf(ended.id)).toContain(
      "This job may not list pods in the cluster: their output is not shown.",
    );
  });

  test("takes the Job and not its Secret: nothing of it stays", async () => {
    const { at, deploy, left } = await givenClusterJobs(fleet);
    const verbs = ["create", "get", "delete", "patch"];
    const { kubeconfig } = await givenAccount(at, [
      { verbs, resources: ["jobs"], apiGroups: ["batch"] },
    ]);
    const kube_config = await readFile(kubeconfig, "utf8");
    const ended = await deploy({ cluster_info: { kube_config }, env_vars: { A: "b" } });
    expect(ended.result?.error_metadata).toMatchObject({ class: "forbidden" });
    expect(ended.description).toMatch(/cannot create resource "secrets"/);
    await expect.poll(left).toEqual([]);
  });

  test("what an earlier execution left running is deleted first, and nothing else", async () => {
    const at = await givenNamespace();
    const cluster = await givenClusterApi(at);
    const make = async (name: string, labels: string, annotation: string): Promise<void> => {
      const [job, execution] = labels.split(" ");
      const meta = { labels: { "svc/job": job, "svc/execution": execution } };
      const containers = [{ name: "main", image: "registry.example/app" }];
      const template = {
        metadata: { annotations: { "svc.test/pod": annotation } },
        spec: { restartPolicy: "Never", containers },
      };
      const object = { apiVersion: "batch/v1", kind: "Job", spec: { template } };
      const text = JSON.stringify({ ...object, metadata: { name, ...meta } });
      await at.kubectl(["create", "-f", "-"], text);
    };
    await make("former", "job_1 exe_1", "runs");
    await make("over", "job_1 exe_0", "");
    await make("ours", "job_1 exe_2", "runs");
    await make("other", "job_2 exe_3", "runs");
    await at.kubectl(["wait", "--for=condition=Complete", "job/over", "--timeout=100s"]);
    const said: string[] = [];
    const job = {
      info: { id: "job_1", execution_count: 2 },
      executionId: "exe_2",
      signal: new AbortController().signal,
      log: (text: string) => void said.push(text),
    };
    await removeFormer({ job, cluster, namespace: at.name } as unknown as JobDeployContext); // all it looks at
    const names = await at.kubectl(["get", "job", "-o", "jsonpath={.items[*].metadata.name}"]);
    expect(names.split(" ").sort()).toEqual(["other", "ours", "over"]);
    expect(said).toEqual([expect.stringContaining("former of an earlier execution")]);
  });
});
