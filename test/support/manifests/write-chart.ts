import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";

/** A chart with one deployment, `web`, of so many replicas as the value `replicas` says, and a kustomize overlay beside it. */
export async function writeChart(folder: string): Promise<string> {
  const files = {
    "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.0.0\n",
    "values.yaml": "replicas: 1\n",
    "templates/deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      containers:
        - { name: web, image: web }
`,
    "overlay/kustomization.yaml": "namePrefix: prefix-\nresources: [settings.yaml]\n",
    "overlay/settings.yaml":
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  colour: green\n",
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}
