import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import type { RunnerJobOperation } from "../../../shared/runner-job-types.ts";
import { type EndedJob, givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { proxiedCluster } from "../../support/cluster/proxied-cluster.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { givenManifests, plannedDiff } from "../../support/manifests/given-manifests.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;
const late = 240_000;
const secretPin = "4711";

type Kind = {
  readonly plans: (
    operation: RunnerJobOperation,
    pin: string,
    members?: object,
    more?: object,
  ) => Promise<EndedJob>;
  readonly kubeconfig: string;
  readonly logOf: (id: string) => Promise<string[]>;
};

/** Jobs of manifests whose only secret is short enough to be guessed. */
async function givenSecretManifests(): Promise<Kind> {
  const { deploy, at, logOf } = await givenManifests(fleet);
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" } };
  const plans: Kind["plans"] = async (operation, pin, members, more) => {
    const manifest = JSON.stringify({ ...secret, stringData: { pin } });
    return await deploy(operation, { manifest, ...members }, more);
  };
  return { plans, kubeconfig: at.kubeconfig, logOf };
}

/** The same of helm. */
async function givenSecretReleases(): Promise<Kind> {
  const runner = await givenRunnerWithAgent(fleet, { "allow-file-sources": "yes" });
  const { release, at, logOf } = await releasesOf(runner);
  const source = { path: await givenChart() };
  const plans: Kind["plans"] = async (operation, pin, members, more) => {
    const values = [{ name: "password", value: pin, type: "string" }];
    return await release(operation, { source, values, ...members }, more);
  };
  return { plans, kubeconfig: at.kubeconfig, logOf };
}

/** What those read of its end who may not read the secrets of plans. */
function readable({ outputs, result }: EndedJob): string {
  const display = gunzipSync(Buffer.from(result?.contents_display_gzip ?? "", "base64"));
  return [JSON.stringify(outputs), display.toString()].join("\n");
}

const digests = (text: string): Set<string> => new Set(text.match(/[0-9a-f]{32,}/g));

/** The number of four digits that a text has some plain digest of. */
function guess(text: string): string | undefined {
  const known = digests(text);
  return Array.from({ length: 10_000 }, (_, nth) => String(nth).padStart(4, "0")).find((pin) =>
    [pin, Buffer.from(pin).toString("base64"), JSON.stringify(pin), `${pin}\n`].some((form) =>
      ["md5", "sha1", "sha256"].some((name) =>
        known.has(createHash(name).update(form).digest("hex")),
      ),
    ),
  );
}

/** What an apply gets back, with other members. */
const changed = (contents: string, members: object): { readonly apply_plan_contents: string } => {
  const read = JSON.parse(gunzipSync(Buffer.from(contents, "base64")).toString()) as object;
  const bytes = gzipSync(JSON.stringify({ ...read, ...members }));
  return { apply_plan_contents: bytes.toString("base64") };
};

describeWithTools([...clusterTools, "helm"], "an approved plan", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test.each([
    ["manifests", givenSecretManifests],
    ["a release", givenSecretReleases],
  ])(
    "of %s lets nobody guess a secret's value who reads its outputs, display and log",
    async (_, given) => {
      const kind = await given();
      await kind.plans("exec", "0815");
      const [first, second] = [
        await kind.plans("create-apply-plan", secretPin),
        await kind.plans("create-apply-plan", secretPin),
      ];
      const told = readable(first);
      expect(plannedDiff(first).diff.plan).toMatch(
        /data\.(?:pin|key): "\(secret\)" -> "\(another secret\)"/,
      );
      expect(guess([told, ...(await kind.logOf(first.id))].join("\n"))).toBeUndefined();
      // Nor does whoever has another guess planned find it by comparing.
      const again = digests(readable(second));
      expect([...digests(told)].filter((digest) => again.has(digest))).toEqual([]);

      const { apply_plan_contents } = plannedDiff(first);
      const other = await kind.plans("apply-plan", "4712", {}, { apply_plan_contents });
      expect(other.result?.error_metadata).toMatchObject({ class: "plan_stale" });
      const applied = await kind.plans("apply-plan", secretPin, {}, { apply_plan_contents });
      expect(applied).toMatchObject({ status: "finished" });
    },
    late,
  );

  test.each([
    ["manifests", givenSecretManifests],
    ["a release", givenSecretReleases],
  ])(
    "of %s holds for its own cluster only, and not where it does not name one",
    async (_, given) => {
      const { plans, kubeconfig } = await given();
      const { apply_plan_contents } = plannedDiff(await plans("create-apply-plan", secretPin));
      const stale = async (members: object, more: object): Promise<string> => {
        const refused = await plans("apply-plan", secretPin, members, more);
        expect(refused.result?.error_metadata).toMatchObject({ class: "plan_stale" });
        return refused.description;
      };
      const { kubeconfig: elsewhere } = await proxiedCluster(kubeconfig);
      const cluster_info = { kube_config: await readFile(elsewhere, "utf8") };
      expect(await stale({ cluster_info }, { apply_plan_contents })).toMatch(
        /^The plan was approved for the cluster at https:\S+, and this is http\S+\. Make a new plan/,
      );
      const read = gunzipSync(Buffer.from(apply_plan_contents, "base64")).toString();
      const { cluster } = JSON.parse(read) as { cluster: { server: string; uid: string } };
      expect(cluster.uid).toMatch(/^[0-9a-f-]{36}$/);
      const another = { ...cluster, uid: "00000000-0000-4000-8000-000000000000" };
      expect(await stale({}, changed(apply_plan_contents, { cluster: another }))).toContain(
        `now it has ${cluster.uid}. Make a new plan`,
      );
      const former = { version: 1, key: undefined, cluster: undefined };
      expect(await stale({}, changed(apply_plan_contents, former))).toContain(
        "was made by an earlier version of the agent",
      );
      const applied = await plans("apply-plan", secretPin, {}, { apply_plan_contents });
      expect(applied).toMatchObject({ status: "finished" });
    },
    late,
  );
});
