import { writeFile } from "node:fs/promises";
import path from "node:path";
import type { KubeObject } from "../../../agent/kubernetes/kube-object.ts";
import { readYaml } from "../../../agent/kubernetes/read-yaml.ts";
import { runTool } from "../programs/run-tool.ts";
import { testFolder } from "../run/folder.ts";

/** The agent's chart. */
export const chart = path.join(import.meta.dirname, "..", "..", "..", "deploy", "chart");

/** The values without which it is not installed. */
export const usualValues = {
  broker: { url: "https://svc.example:8443" },
  token: { existingSecret: "runner-token" },
  image: { repository: "registry.example/svc-agent", tag: "1.2" },
};

type Env = Readonly<Record<string, string>>;

/** Runs helm with these values, an object or a file's text; what it complained of is the error. */
export async function helm(
  words: readonly string[],
  values: object | string,
  env: Env = {},
): Promise<string> {
  const folder = await testFolder(0o700);
  const file = path.join(folder, "values.yaml");
  await writeFile(file, typeof values === "string" ? values : JSON.stringify(values));
  const homes = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  return await runTool("helm", [...words, "--values", file], { env: { ...homes, ...env } });
}

/** What the chart makes of them. */
export async function rendered(values: object | string): Promise<KubeObject[]> {
  const text = await helm(["template", "rel", chart, "--namespace", "ns"], values);
  return (await readYaml(text)).map(({ value }) => value as KubeObject);
}

/** The object of this kind and name among them. */
export function objectOf(
  objects: readonly KubeObject[],
  kind: string,
  name = "rel-svc-agent",
): KubeObject {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (found === undefined) throw new Error(`the chart makes no ${kind} ${name}`);
  return found;
}
