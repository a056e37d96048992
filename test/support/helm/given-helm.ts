import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { vi } from "vitest";
import type { NewJob } from "../../../broker/jobs/new-job.ts";
import type { RunnerJobOperation } from "../../../shared/runner-job-types.ts";
import { tool } from "../../tools/find-tool.ts";
import type { EndedJob, RunnerWithAgent } from "../agent/given-jobs.ts";
import { givenNamespace, type Namespace } from "../cluster/given-namespace.ts";
import { testFolder } from "../run/folder.ts";

export type Releases = {
  readonly at: Namespace;
  readonly draft: (operation: RunnerJobOperation, helm: object, more?: object) => Partial<NewJob>;
  /** Runs one operation of a helm job for the release `app` with these members of its plan. */
  readonly release: (
    operation: RunnerJobOperation,
    helm: object,
    more?: object,
  ) => Promise<EndedJob>;
};

/** Agents that are started from now on find the tests' helm. */
export function findsHelm(): void {
  vi.stubEnv("PATH", [path.dirname(tool("helm")), process.env["PATH"]].join(":"));
}

/** What runs helm jobs into a namespace of their own. */
export async function releasesOf<S extends Omit<RunnerWithAgent, "agent">>(
  runner: S,
): Promise<S & Releases> {
  const at = await givenNamespace();
  const kube_config = await readFile(at.kubeconfig, "utf8");
  const draft: Releases["draft"] = (operation, helm, more = {}) => ({
    type: "helm-chart-deploy",
    operation,
    plan: JSON.stringify({
      helm: { cluster_info: { kube_config }, name: "app", namespace: at.name, ...helm },
      ...more,
    }),
  });
  return {
    ...runner,
    at,
    draft,
    release: async (operation, helm, more) => await runner.run(draft(operation, helm, more)),
  };
}

const templates = {
  "config.yaml": `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}-config}
data: {level: {{ .Values.level | quote }}, list: {{ .Values.list | toJson | quote }}}
`,
  "secret.yaml": `apiVersion: v1
kind: Secret
metadata: {name: {{ .Release.Name }}-secret}
stringData: {key: {{ .Values.password | quote }}}
`,
  "web.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}-web}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      {{- if .Values.nowhere }}
      nodeSelector: {none: such}
      {{- end }}
      containers: [{name: main, image: "registry.example/app:{{ .Chart.AppVersion }}"}]
`,
  "NOTES.txt": "Level {{ .Values.level }} it is.\n",
};

/** A chart on this host; more templates by their names. */
export async function givenChart(more: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await testFolder();
  await mkdir(path.join(folder, "templates"));
  const files: Record<string, string> = {
    "Chart.yaml": "apiVersion: v2\nname: small\nversion: 1.2.3\nappVersion: '7.0'\n",
    "values.yaml": "level: low\nlist: []\npassword: swordfish-by-default\nnowhere: false\n",
    "high.yaml": "level: high\n",
  };
  for (const [name, text] of Object.entries({ ...templates, ...more })) {
    files[path.join("templates", name)] = text;
  }
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}
