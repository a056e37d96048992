import { beforeAll, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { heldHelm } from "../../support/helm/held-helm.ts";
import { plannedDiff } from "../../support/manifests/given-manifests.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;
const late = 240_000;

/** A runner whose helm stands still, usually before it upgrades, and somebody else's helm for the same release. */
async function givenOthers(...[when, pattern]: Parameters<typeof heldHelm> | []) {
  const held = await heldHelm(when ?? "before", pattern ?? "upgrade*--wait*");
  const runner = await releasesOf(
    await givenRunnerWithAgent(fleet, { "allow-file-sources": "yes" }),
  );
  const path = await givenChart();
  const env = { KUBECONFIG: runner.at.kubeconfig };
  const install = ["upgrade", "--install", "app", path, "--namespace", runner.at.name];
  return {
    ...runner,
    held,
    source: { path },
    byHand: async (...more: string[]) => await runTool("helm", [...install, ...more], { env }),
  };
}

describeWithTools([...clusterTools, "helm"], "a release that somebody else is at", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test(
    "goes back to what they made of it, where the job's own upgrade fails after theirs",
    async () => {
      const { at, draft, enqueue, ended, held, source, byHand } = await givenOthers();
      await byHand();
      const bad = { source, values_override: "nowhere: true", timeout: 3e9 };
      const id = await enqueue(draft("exec", bad));
      await held.isHeld();
      await byHand("--set", "level=theirs");
      await held.release();
      expect((await ended(id)).description).toMatch(/It was rolled back to revision 2\.$/);
      const level = ["get", "configmap", "app-config", "-o", "jsonpath={.data.level}"];
      expect(await at.kubectl(level)).toBe("theirs");
    },
    late,
  );

  test(
    "is not upgraded by a plan that was approved for what it was before",
    async () => {
      const given = await givenOthers("after", "upgrade*--disable-openapi-validation*");
      const { at, release, draft, enqueue, ended, held, source, byHand } = given;
      await byHand();
      const helm = { source, values_files: ["high.yaml"] };
      const { apply_plan_contents } = plannedDiff(await release("create-apply-plan", helm));
      const id = await enqueue(draft("apply-plan", helm, { apply_plan_contents }));
      await held.isHeld();
      await byHand("--set", "level=theirs");
      await held.release();
      const refused = await ended(id);
      expect(refused.result?.error_metadata).toMatchObject({ class: "plan_stale" });
      const level = ["get", "configmap", "app-config", "-o", "jsonpath={.data.level}"];
      expect(await at.kubectl(level)).toBe("theirs");
    },
    late,
  );

  test(
    "is left to them while their helm is at work on it",
    async () => {
      const { at, draft, enqueue, ended, held, source, byHand } = await givenOthers();
      const id = await enqueue(draft("exec", { source }));
      await held.isHeld();
      const theirs = byHand("--set", "nowhere=true", "--wait", "--timeout", "180s");
      theirs.catch(() => {}); // awaited below
      const isThere = async (): Promise<string> =>
        await at.kubectl(["get", "deployments", "-o", "name"]);
      await expect.poll(isThere).toContain("app-web");
      await held.release();
      const failed = await ended(id);
      expect(failed.result?.error_metadata).toMatchObject({ class: "locked" });
      const words = "Revision 1 is not this job's: nothing was undone.";
      expect(failed.description).toContain(words);
      const anywhere = [{ op: "remove", path: "/spec/template/spec/nodeSelector" }];
      const patch = ["patch", "deployment", "app-web", "--type=json", "-p"];
      await at.kubectl([...patch, JSON.stringify(anywhere)]);
      expect(await theirs).toContain("STATUS: deployed");
    },
    late,
  );

  test.each([
    ["a rollback by hand after a job that failed", "rollback"],
    ["an upgrade by hand after a job that went well", "upgrade"],
  ])(
    "is left to them where it is %s",
    async (_, what) => {
      const runner = await releasesOf(
        await givenRunnerWithAgent(fleet, { "allow-file-sources": "yes" }),
      );
      const { at, release, draft, enqueue, ended, operate } = runner;
      const source = { path: await givenChart() };
      const env = { KUBECONFIG: at.kubeconfig };
      const waits = ["--wait", "--timeout", "180s", "--namespace", at.name];
      const upgrade = ["upgrade", "--install", "app", source.path, "--set", "nowhere=true"];
      const isPending = async (): Promise<string> =>
        await at.kubectl(["get", "secrets", "-l", "owner=helm", "--show-labels"]);
      if (what === "rollback") {
        await runTool("helm", [...upgrade, "--namespace", at.name], { env });
        const id = await enqueue(draft("exec", { source, values_override: "nowhere: true" }));
        await until(async () => (await isPending()).includes("pending-upgrade"));
        await operate(`POST /v1/runner-jobs/${id}/cancel`);
        await ended(id);
        await until(async () => (await isPending()).includes("status=failed"));
      } else await release("exec", { source });
      const args = what === "rollback" ? ["rollback", "app", "1"] : upgrade;
      const theirs = runTool("helm", [...args, ...waits], { env });
      theirs.catch(() => {}); // awaited below
      await expect.poll(isPending).toContain(`status=pending-${what}`);
      const locked = await release("exec", { source });
      expect(locked.result?.error_metadata).toMatchObject({ class: "locked" });
      expect(locked.description).toContain("A helm that no job of this runner started holds");
      const anywhere = [{ op: "remove", path: "/spec/template/spec/nodeSelector" }];
      const patch = ["patch", "deployment", "app-web", "--type=json", "-p"];
      await at.kubectl([...patch, JSON.stringify(anywhere)]);
      expect(await theirs).toMatch(/Rollback was a success|STATUS: deployed/);
    },
    late,
  );
});
