import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { offerCluster } from "../../test/support/cluster/offer-cluster.ts";
import { tool } from "../../test/tools/find-tool.ts";

export type BenchCluster = {
  /** An administrator's. */
  readonly kubeconfig: string;
  /** Runs one of the tests' tools as that administrator, in a session of its own as a job's children are. */
  readonly by: (program: "kubectl" | "helm", args: readonly string[]) => Promise<string>;
  readonly end: () => Promise<void>;
};

/** A Kubernetes of our own for a bench, with these namespaces. */
export async function givenCluster(namespaces: readonly string[]): Promise<BenchCluster> {
  const { url, end } = await offerCluster(() => {});
  const home = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  const answer = await fetch(url);
  const file = await answer.text();
  if (!answer.ok) throw new Error(file);
  const env = { PATH: process.env["PATH"], HOME: home, KUBECONFIG: file };
  const by: BenchCluster["by"] = async (program, args) => {
    const child = spawn(tool(program), args, {
      env,
      detached: true,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const closed = once(child, "close");
    const printed = await text(child.stdout);
    await closed;
    if (child.exitCode !== 0) throw new Error(`${program} ${args.join(" ")} failed`);
    return printed;
  };
  for (const name of namespaces) await by("kubectl", ["create", "namespace", name]);
  const view = ["config", "view", "--raw", "--flatten", "--minify", "-o", "json"];
  return {
    by,
    kubeconfig: await by("kubectl", view),
    end: async () => {
      await end();
      await rm(home, { recursive: true, force: true });
    },
  };
}
