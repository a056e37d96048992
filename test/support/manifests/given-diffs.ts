import { writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import type { PlayedEnd } from "../programs/played-runner.ts";
import { testFolder } from "../run/folder.ts";

/** How a planning job of helm or manifests ends, with a diff of these counts. */
export function diffEnd(counts: object, more: object = {}): PlayedEnd {
  const plan = "~ ConfigMap shop/hello (update)";
  const contents = { version: 1, op: "apply", fingerprint: "f", counts, plan, ...more };
  const bytes = gzipSync(JSON.stringify(contents)).toString("base64");
  return { status: "finished", result: { success: true, contents_compressed: bytes } };
}

/** How one ends that applies it. */
export const appliedEnd: PlayedEnd = {
  status: "finished",
  result: { success: true },
  outputs: { updated: 1 },
};

/** A person's kubeconfig whose context `prod`, in the namespace `shop`, has this user. */
export async function givenOwnKubeconfig(user: object): Promise<string> {
  const file = path.join(await testFolder(), "config");
  const value = {
    "current-context": "prod",
    contexts: [{ name: "prod", context: { cluster: "c", user: "u", namespace: "shop" } }],
    clusters: [{ name: "c", cluster: { server: "https://cluster.example" } }],
    users: [{ name: "u", user }],
  };
  await writeFile(file, JSON.stringify(value));
  return file;
}
