import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { writeChart } from "../support/manifests/write-chart.ts";
import { runTool } from "../support/programs/run-tool.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";
import { testFolder } from "../support/run/folder.ts";
import { startRegistry } from "../support/sources/start-registry.ts";

const run = promisify(execFile);

describeWithTools(["registry", "crane"], "the registry of the tests", () => {
  test("an image is pushed, and read back by its tag and by its digest", async () => {
    const { host } = await startRegistry();
    const folder = await testFolder();
    await writeFile(path.join(folder, "file"), "content\n");
    const image = `${host}/an/image:one`;
    const layer = path.join(folder, "layer.tar");
    await run("tar", ["-cf", layer, "-C", folder, "file"]);
    await runTool("crane", ["append", "--new_layer", layer, "--new_tag", image]);
    const digest = (await runTool("crane", ["digest", image])).trim();
    expect(await runTool("crane", ["ls", `${host}/an/image`])).toBe("one\n");
    const manifest = await runTool("crane", ["manifest", `${host}/an/image@${digest}`]);
    expect(JSON.parse(manifest)).toMatchObject({ layers: [{}] });
  });

  test("who says no login, or a wrong one, is refused", async () => {
    const { host, login } = await startRegistry({ asks: true });
    expect(login).toBeDefined();
    const ask = async (said: string): Promise<Response> =>
      await fetch(`http://${host}/v2/`, { headers: { authorization: `Basic ${btoa(said)}` } });
    const refused = await fetch(`http://${host}/v2/`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe('Basic realm="tests"');
    expect((await ask("svc:wrong")).status).toBe(401);
    expect((await ask(`${login?.user}:${login?.password}`)).status).toBe(200);
  });
});

describeWithTools(["registry", "helm"], "helm with the registry of the tests", () => {
  test("a chart is pushed and pulled by who is logged in", async () => {
    const { host, login } = await startRegistry({ asks: true });
    const folder = await testFolder();
    const chart = await writeChart(path.join(folder, "web"));
    const env = { HELM_REGISTRY_CONFIG: path.join(folder, "login.json") };
    const helm = async (args: readonly string[], input = "") =>
      await runTool("helm", args, { cwd: folder, env, input });
    await helm(["package", chart]);
    const push = ["push", "web-1.0.0.tgz", `oci://${host}/charts`, "--plain-http"];
    await expect(helm(push)).rejects.toThrow(/basic credential not found/);
    const { user, password } = login ?? { user: "", password: "" };
    const enter = ["registry", "login", host, "--plain-http", "-u", user, "--password-stdin"];
    await helm(enter, password);
    await helm(push);
    const shown = await helm(["show", "chart", `oci://${host}/charts/web`, "--plain-http"]);
    expect(shown).toContain("version: 1.0.0");
  });
});

describeWithTools(["registry", "oras"], "oras with the registry of the tests", () => {
  test("a folder is pushed as an artifact and pulled by its digest", async () => {
    const { host } = await startRegistry();
    const folder = await testFolder();
    await mkdir(path.join(folder, "configuration"));
    await writeFile(path.join(folder, "configuration", "main.tf"), "# nothing\n");
    const push = ["push", "--plain-http", "--format", "json", `${host}/code:one`, "configuration/"];
    const { digest } = JSON.parse(await runTool("oras", push, { cwd: folder })) as {
      digest: string;
    };
    const to = await testFolder();
    await runTool("oras", ["pull", "--plain-http", `${host}/code@${digest}`], { cwd: to });
    expect(await readFile(path.join(to, "configuration", "main.tf"), "utf8")).toBe("# nothing\n");
    await expect(runTool("oras", ["pull", "--plain-http", `${host}/code:two`])).rejects.toThrow(
      /not found/,
    );
  });
});
