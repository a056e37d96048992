import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;
const late = 240_000;

/** A runner whose jobs are approved in a folder. */
async function givenApproved() {
  const folder = await testFolder(0o700);
  const file = (id: string, end: string): string => path.join(folder, `${id}.${end}`);
  const settings = { "allow-file-sources": "yes", "require-approval": folder };
  const runner = await releasesOf(await givenRunnerWithAgent(fleet, settings));
  return {
    ...runner,
    /** Resolves with what is shown, once somebody is asked. */
    asked: async (id: string): Promise<string> => {
      await until(() => existsSync(file(id, "request.json")));
      return await readFile(file(id, "request.json"), "utf8");
    },
    sayYes: async (id: string): Promise<void> => await writeFile(file(id, "yes"), ""),
  };
}

describeWithTools([...clusterTools, "helm"], "a release that somebody has to approve", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  test(
    "is not upgraded when somebody else has done so while the answer was awaited",
    async () => {
      const { at, draft, enqueue, ended, asked, sayYes } = await givenApproved();
      const chart = await givenChart();
      const env = { KUBECONFIG: at.kubeconfig };
      const byHand = async (...more: string[]): Promise<void> =>
        void (await runTool("helm", ["upgrade", "app", chart, "--install", ...more], { env }));
      await byHand();
      const values = [{ name: "level", value: "ours" }];
      const id = await enqueue(draft("exec", { source: { path: chart }, values }));
      expect(await asked(id)).toContain("data.level:");
      await byHand("--set", "level=theirs");
      await sayYes(id);
      const refused = await ended(id);
      expect(refused.result?.error_metadata).toMatchObject({ class: "plan_stale" });
      expect(refused.description).toContain("not what was shown for approval");
      const level = ["get", "configmap", "app-config", "-o", "jsonpath={.data.level}"];
      expect(await at.kubectl(level)).toBe("theirs");
    },
    late,
  );

  test(
    "is installed where it is rendered anew each time, and that is told",
    async () => {
      const { at, draft, enqueue, ended, asked, sayYes, logOf } = await givenApproved();
      const random = `apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-random}
stringData: {key: {{ randAlphaNum 24 | quote }}}
`;
      const chart = await givenChart({ "random.yaml": random });
      const id = await enqueue(draft("exec", { source: { path: chart } }));
      await asked(id);
      await sayYes(id);
      expect((await ended(id)).description).toBe("app is installed: revision 1.");
      const words = `Secret ${at.name}/app-random is different in each rendering: it gets other values than were shown.`;
      expect(
        (await logOf(id)).filter((line) => line.includes("different in each rendering")),
      ).toEqual([words]);
    },
    late,
  );
});
