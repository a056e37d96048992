import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { writeChart } from "../../support/manifests/write-chart.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import { testFolder } from "../../support/run/folder.ts";
import { startRegistry } from "../../support/sources/start-registry.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const tell = (file: string): string =>
  `echo "told=$(head -c 40 ${file} | head -n 1)" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`;

describeWithTools(["registry", "oras"], "what oras has pushed", () => {
  test("is fetched by its tag and its digest: a folder, and files by their names", async () => {
    const { host } = await startRegistry();
    const folder = await testFolder();
    await mkdir(path.join(folder, "configuration"));
    await writeFile(path.join(folder, "configuration", "main.tf"), "# a folder\n");
    await writeFile(path.join(folder, "notes.txt"), "a file\n");
    const push = ["push", "--plain-http", "--format", "json", `${host}/code:one`];
    const said = await runTool("oras", [...push, "configuration/", "notes.txt"], { cwd: folder });
    const { digest } = JSON.parse(said) as { digest: string };
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const at = { url: `${host}/code` };
    const steps = [
      {
        name: "tag",
        source: { oci: { ...at, tag: "one", path: "configuration" } },
        interpolated_command: tell("main.tf"),
      },
      {
        name: "digest",
        source: { oci: { ...at, digest } },
        interpolated_command: tell("notes.txt"),
      },
    ];
    const ended = await runSteps(steps);
    expect(ended.description).toBe("");
    expect(ended.outputs["steps"]).toEqual({
      tag: { told: "# a folder" },
      digest: { told: "a file" },
    });
    const absent = await runSteps([{ ...steps[0], source: { oci: { ...at, tag: "two" } } }]);
    expect(absent.result?.error_metadata["class"]).toBe("not_found");
  });
});

describeWithTools(
  ["registry", "helm"],
  "a chart that helm has pushed to a private registry",
  () => {
    test("is fetched and unpacked by who is let in, and by nobody else", async () => {
      const { host, login } = await startRegistry({ asks: true });
      const { user, password } = login ?? { user: "", password: "" };
      const folder = await testFolder();
      const chart = await writeChart(path.join(folder, "web"));
      const env = { HELM_REGISTRY_CONFIG: path.join(folder, "login.json") };
      const helm = async (args: readonly string[], input = ""): Promise<string> =>
        await runTool("helm", args, { cwd: folder, env, input });
      await helm(["package", chart]);
      const enter = ["registry", "login", host, "--plain-http", "-u", user, "--password-stdin"];
      await helm(enter, password);
      await helm(["push", "web-1.0.0.tgz", `oci://${host}/charts`, "--plain-http"]);
      const { runSteps } = await givenRunnerWithAgent(fleet);
      const oci = { url: `oci://${host}/charts/web`, tag: "1.0.0", path: "web" };
      const step = { interpolated_command: tell("Chart.yaml") };
      const auth = { username: user, password };
      const ended = await runSteps([{ ...step, source: { oci: { ...oci, auth } } }]);
      expect(ended).toMatchObject({ status: "finished", outputs: { told: "apiVersion: v2" } });
      const refused = await runSteps([{ ...step, source: { oci } }]);
      expect(refused.result?.error_metadata["class"]).toBe("auth");
    });
  },
);
