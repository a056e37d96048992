import { beforeAll, expect, test, vi } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { givenPodLogs } from "../../support/cluster/given-namespace.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { heldHelm } from "../../support/helm/held-helm.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;
const filesAllowed = { "allow-file-sources": "yes" };
const secondNs = 1e9;

vi.setConfig({ testTimeout: 400_000 });

/** Its pods do what the value `pod` says: see test/support/cluster/stages.yaml. */
const web = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {svc.test/pod: {{ .Values.pod | quote }}}}
    spec:
      containers: [{name: main, image: registry.example/none}]
`;

describeWithTools([...clusterTools, "helm"], "a release that does not become ready", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test("is given up long before helm would, where it never can, and what was there before is there again", async () => {
    const { release, at } = await releasesOf(await givenRunnerWithAgent(fleet, filesAllowed));
    const source = { path: await givenChart({ "web.yaml": web }) };
    const helm = { source, timeout: 3_600 * secondNs };
    const good = await release("exec", { ...helm, values_override: "pod: well" });
    expect(good.description).toBe("app is installed: revision 1.");
    const failed = await release("exec", { ...helm, values_override: "pod: no-image" });
    expect(failed.result?.error_metadata["class"]).toBe("not_ready");
    expect(failed.description).toMatch(/it can never become ready, and helm was asked to stop/);
    expect(failed.description).toMatch(
      /Deployment \S+\/web: pod web-\S+ container main: ImagePull/,
    );
    expect(failed.description).toContain("It was rolled back to revision 1.");
    const image = ["get", "deployment", "web", "-o", "jsonpath={.status.readyReplicas}"];
    expect(await at.kubectl(image)).toBe("1");

    // What is in trouble already says nothing of what takes its place.
    const stuck = ["patch", "deployment", "web", "--type=merge", "-p"];
    const annotations = { "svc.test/pod": "no-image" };
    const template = { metadata: { annotations } };
    await at.kubectl([...stuck, JSON.stringify({ spec: { template } })]);
    const forced = { ...helm, force_conflicts: true };
    const again = await release("exec", { ...forced, values_override: "pod: fine" });
    expect(again.description).toBe("app is upgraded: revision 4.");
  });

  test("is given up by nobody's wish, also where the agent is killed before that is undone", async () => {
    const held = await heldHelm("before", "rollback*");
    const { first, kill, again, ...given } = await givenKillableAgent(fleet, filesAllowed);
    const { release, draft, enqueue, ended } = await releasesOf(given);
    const source = { path: await givenChart({ "web.yaml": web }) };
    const helm = { source, timeout: 3_600 * secondNs };
    await release("exec", { ...helm, values_override: "pod: well" });
    const id = await enqueue(draft("exec", { ...helm, values_override: "pod: no-image" }));
    await held.isHeld();
    await kill(first);
    await held.release();
    await again();
    const failed = await ended(id);
    expect(failed.result?.error_metadata["class"]).toBe("not_ready");
    expect(failed.description).toMatch(/it can never become ready, and helm was asked to stop/);
    expect(failed.description).toMatch(/container main: ImagePull/);
    expect(failed.description).toContain("It was rolled back to revision 1.");
  });

  test("is told with the last lines of its containers", async () => {
    const { release, at, logOf } = await releasesOf(
      await givenRunnerWithAgent(fleet, filesAllowed),
    );
    await givenPodLogs(at, ["the database is away", "so nothing can be done"]);
    const source = { path: await givenChart({ "web.yaml": web }) };
    const helm = { source, timeout: 20 * secondNs };
    const failed = await release("exec", { ...helm, values_override: "pod: unready" });
    expect(failed.description).toMatch(/container main runs and is not ready/);
    const log = (await logOf(failed.id)).join("\n");
    expect(log).toMatch(
      /web-\S+ main: the database is away\n.*web-\S+ main: so nothing can be done/,
    );
  });
});
