import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import { clusterTools } from "../../../support/cluster/given-cluster.ts";
import { givenChartRepository } from "../../../support/helm/given-chart-repository.ts";
import { findsHelm, givenChart, releasesOf } from "../../../support/helm/given-helm.ts";
import { plannedDiff } from "../../../support/manifests/given-manifests.ts";
import { runTool } from "../../../support/programs/run-tool.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { givenRepository } from "../../../support/sources/given-repository.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";

let fleet: Fleet;
let registry: Registry;

const outer = "apiVersion: v2\nname: outer\nversion: 2.0.0\n";
const needs = (repository: string): string =>
  `dependencies:\n- {name: small, version: 1.2.3, repository: '${repository}'}\n`;

const printed = (name: string, values: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}}\ndata: {values: {{ printf ${values} | quote }}}\n`;

/** A chart whose values are no YAML before they are rendered, nor are those of the chart within it. */
const templated: Readonly<Record<string, string>> = {
  "Chart.yaml": outer,
  "values.yaml": `level: {{ .svc.inputs.inputs.level }}
{{ .svc.inputs.inputs.key }}:
{{- range .svc.inputs.inputs.items }}
- {{ . }}
{{- end }}
{{- if .svc.inputs.inputs.has_more }}
more: more
{{- end }}
inner: {number: 7}
`,
  "templates/outer.yaml": printed(
    "outer",
    '"%s %s %s" .Values.level (toJson .Values.list) .Values.more',
  ),
  "charts/inner/Chart.yaml": "apiVersion: v2\nname: inner\nversion: 1.0.0\n",
  "charts/inner/values.yaml": "word: {{ .svc.inputs.inputs.word }}\nnumber: 1\n",
  "charts/inner/templates/inner.yaml": printed("inner", '"%s %v" .Values.word .Values.number'),
};

/** A folder with a chart that depends on another one. */
async function chartThatNeeds(repository: string): Promise<string> {
  const folder = await testFolder();
  await mkdir(path.join(folder, "templates"));
  await writeFile(path.join(folder, "Chart.yaml"), `${outer}${needs(repository)}`);
  await writeFile(
    path.join(folder, "templates/who.yaml"),
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: who}\ndata: {who: "{{ required "a name" .Values.who }}"}\n',
  );
  await writeFile(path.join(folder, "prod.yaml"), 'who: "{{ .svc.install.name }}"\n');
  await writeFile(path.join(folder, ".helmignore"), "prod.yaml\n");
  return folder;
}

describeWithTools([...clusterTools, "helm", "registry"], "a build of a chart", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
  });

  test("has what it depends on, is the same from another place, pulled by helm and deployed", async () => {
    const url = await givenChartRepository();
    const [one, other] = [await chartThatNeeds(url), await chartThatNeeds(url)];
    const runner = await releasesOf(await givenBuilds(fleet, registry));
    const { build, placeOf, release } = runner;
    const planOf = (folder: string) => ({
      source: { path: folder },
      helm_build_plan: {
        values_files: ["", "prod.yaml"],
        values: [{ name: "small.level", value: "{{ .svc.inputs.inputs.level }}" }],
      },
      dst_tag: "2.0.0",
    });
    const built = await build("helm-chart-build", planOf(one));
    expect(built.description).toMatch(/^It is built: sha256:/);
    expect(built.outputs).toMatchObject({
      chart: "outer",
      chart_version: "2.0.0",
      references: ["inputs.inputs.level", "install.name"],
    });
    const again = await build("helm-chart-build", planOf(other));
    expect(again.outputs["digest"]).toBe(built.outputs["digest"]);
    const place = `oci://${registry.host}/acme/part`;
    const pulled = await testFolder();
    await runTool("helm", ["pull", place, "--version", "2.0.0", "--plain-http", "-d", pulled]);
    const [archive = ""] = await readdir(pulled);
    const shown = await runTool("helm", [
      "template",
      "x",
      path.join(pulled, archive),
      "--set",
      "who=me",
    ]);
    expect(shown).toContain('who: "me"');
    const planned = await release(
      "create-apply-plan",
      { values_files: ["prod.yaml", ""] },
      placeOf(built),
    );
    expect(plannedDiff(planned).diff.counts).toMatchObject({ create: 4 });
  });

  test("whose values make blocks and keys, and have charts within it, is packed as it is and rendered by its deploy", async () => {
    const folder = await testFolder();
    for (const [name, text] of Object.entries(templated)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    const runner = await releasesOf(await givenBuilds(fleet, registry));
    const built = await runner.build("helm-chart-build", { source: { path: folder } });
    expect(built.description).toMatch(/^It is built: sha256:/);
    const names = ["has_more", "items", "key", "level", "word"];
    expect(built.outputs["references"]).toEqual(names.map((name) => `inputs.inputs.${name}`));
    const inputs = {
      has_more: true,
      items: [1, 2],
      key: "list",
      level: '"x" # y',
      word: "hunter-2: b\nadmin: true",
    };
    const state_sensitive = { inputs: { inputs: { word: true } } };
    const deploy = async (known: object) =>
      await runner.release(
        "exec",
        { state: { inputs: { inputs: known } }, state_sensitive },
        runner.placeOf(built),
      );
    const deployed = await deploy(inputs);
    expect(deployed).toMatchObject({ status: "finished" });
    expect(JSON.stringify([deployed, await runner.logOf(deployed.id)])).not.toContain("hunter-2");
    const dataOf = async (name: string): Promise<unknown> =>
      JSON.parse(await runner.at.kubectl(["get", "configmap", name, "-o", "jsonpath={.data}"]));
    expect(await dataOf("outer")).toEqual({ values: `${inputs.level} [1,2] more` });
    expect(await dataOf("inner")).toEqual({ values: `${inputs.word} 7` });
    const { word: _, ...less } = inputs;
    const lacking = await deploy(less);
    expect(lacking.result?.error_metadata).toMatchObject({ class: "missing_value" });
    expect(lacking.description).toContain("charts/inner/values.yaml:1: .svc.inputs.inputs.word");
  });

  test("takes a chart of a repository, over HTTP and of a registry", async () => {
    const { build } = await givenBuilds(fleet, registry);
    const folder = await testFolder();
    await runTool("helm", ["package", await givenChart(), "--destination", folder]);
    const place = `oci://${registry.host}/charts`;
    await runTool("helm", ["push", path.join(folder, "small-1.2.3.tgz"), place, "--plain-http"]);
    const named = { chart: "small", version: "1.2.3" };
    const built: string[] = [];
    for (const repoURL of [await givenChartRepository(), place]) {
      const helm_build_plan = { helmRepoConfig: { ...named, repoURL } };
      const ended = await build("helm-chart-build", { helm_build_plan });
      expect(ended.description).toMatch(/^It is built/);
      expect(ended.outputs["source_ref"]).toBe("1.2.3");
      built.push(String(ended.outputs["digest"]));
    }
    expect(built[1]).toBe(built[0]);
    const absent = { ...named, chart: "large", repoURL: place };
    const refused = await build("helm-chart-build", {
      helm_build_plan: { helmRepoConfig: absent },
    });
    expect(refused.result?.error_metadata).toMatchObject({
      reason: "build_failed",
      class: "not_found",
    });
  });

  test("that lacks a dependency, leaves its directory or cannot be rendered is told, and nothing is pushed", async () => {
    const { build, manifest } = await givenBuilds(fleet, registry);
    const url = await givenChartRepository();
    const lacking = await chartThatNeeds(url);
    const text = await readFile(path.join(lacking, "Chart.yaml"), "utf8");
    await writeFile(path.join(lacking, "Chart.yaml"), text.replace("1.2.3", "9.9.9"));
    const linked = await givenRepository();
    await mkdir(path.join(linked.folder, ".terraform"));
    await symlink("/etc/passwd", path.join(linked.folder, ".terraform/users"));
    await linked.commit("Chart.yaml", outer);
    const linkedChart = { git_source: { url: `file://${linked.folder}` } };
    const broken = await givenChart({ "broken.yaml": "{{ .Values.level | nobody }}" });
    const away = await chartThatNeeds("file://../elsewhere");
    const whole = { who: "me" };
    const values_files = [JSON.stringify(whole)];
    const rows: readonly (readonly [object, object])[] = [
      [{ source: { path: lacking } }, { class: "dependency_missing" }],
      [{ source: { path: away } }, { class: "outside", file: "Chart.yaml:5" }],
      [linkedChart, { class: "unsafe" }],
      [{ source: { path: broken } }, { class: "config_invalid" }],
      [
        { source: { path: await chartThatNeeds(url) }, helm_build_plan: {} },
        { class: "config_invalid" },
      ],
      [
        {
          source: { path: await givenChart() },
          helm_build_plan: { values_files: ["../values.yaml"] },
        },
        { class: "outside" },
      ],
    ];
    const told: object[] = [];
    for (const [plan] of rows) {
      const given = { helm_build_plan: { values_files }, dst_tag: "none", ...plan };
      told.push((await build("helm-chart-build", given)).result?.error_metadata ?? {});
    }
    expect(told).toMatchObject(
      rows.map(([, expected]) => ({ reason: "build_failed", ...expected })),
    );
    expect(await manifest("none")).toBeUndefined();
  });
});
