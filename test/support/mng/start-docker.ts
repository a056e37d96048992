import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { tool } from "../../tools/find-tool.ts";
import { until } from "../broker/given-polling.ts";
import { runTool } from "../programs/run-tool.ts";
import { testFolder } from "../run/folder.ts";

const run = promisify(execFile);

/** A docker of this test's own: the real daemon, with a folder of its own for all that it keeps. */
export type TestDocker = {
  /** What the docker command finds it by. */
  readonly env: Readonly<Record<string, string>>;
  readonly docker: (...args: readonly string[]) => Promise<string>;
  /** Makes an image whose svc-agent is this program. */
  readonly putImage: (image: string, text: string) => Promise<void>;
  /** What a container of these images needs: Node and a system from this host, which the images leave out. */
  readonly hostArgs: readonly string[];
};

const systemFolders = ["/bin", "/lib", "/lib64", "/usr", "/etc/ssl"];

/** Starts it for one test, and ends it with all of its containers. */
export async function startDocker(): Promise<TestDocker> {
  const home = await testFolder(0o700);
  const at = (name: string): string => path.join(home, name);
  const socket = `unix://${at("docker.sock")}`;
  const settings = {
    "data-root": at("data"),
    "exec-root": at("exec"),
    pidfile: at("pid"),
    host: socket,
    // Runs where an overlay cannot be mounted over another.
    "storage-driver": "vfs",
    // Nothing of the host's network is changed; containers use it as it is.
    bridge: "none",
    iptables: "false",
    ip6tables: "false",
  };
  const flags = Object.entries(settings).map(([name, value]) => `--${name}=${value}`);
  // Its mounts go with it, and it ends with this process, even if that is killed.
  const args = ["--mount", "setpriv", "--pdeathsig", "TERM", tool("dockerd"), ...flags];
  const child = spawn(tool("unshare"), args, { stdio: "ignore" });
  const gone = once(child, "exit");
  const env = { DOCKER_HOST: socket };
  const docker: TestDocker["docker"] = async (...words) =>
    await runTool("docker", words, { env: { ...env, PATH: process.env["PATH"] ?? "" } });
  onTestFinished(async () => {
    const all = await docker("ps", "--all", "--quiet").catch(() => "");
    const ids = all.split("\n").filter((id) => id !== "");
    if (ids.length > 0) await docker("rm", "--force", "--volumes", ...ids).catch(() => undefined);
    child.kill("SIGTERM");
    await gone;
  });
  await until(() => existsSync(at("docker.sock")));
  await until(async () => (await docker("info")) !== "");

  let nth = 0;
  return {
    env,
    docker,
    async putImage(image, text) {
      nth += 1;
      const root = at(`image-${nth}`);
      const bin = path.join(root, "opt", "bin");
      await mkdir(bin, { recursive: true });
      await writeFile(path.join(root, "opt", "svc-agent.mjs"), text);
      const start = `#!/bin/sh\nexec /opt/node/${path.basename(process.execPath)} /opt/svc-agent.mjs "$@"\n`;
      await writeFile(path.join(bin, "svc-agent"), start);
      await chmod(path.join(bin, "svc-agent"), 0o755);
      const archive = at(`image-${nth}.tar`);
      await run("tar", ["--create", "--directory", root, "--file", archive, "."]);
      const changes = ['ENTRYPOINT ["/opt/bin/svc-agent"]', "ENV PATH=/opt/bin:/usr/bin:/bin"];
      await docker("import", ...changes.flatMap((it) => ["--change", it]), archive, image);
    },
    hostArgs: [
      `--volume=${path.dirname(process.execPath)}:/opt/node:ro`,
      ...systemFolders.filter((it) => existsSync(it)).map((it) => `--volume=${it}:${it}:ro`),
      "--network=host",
    ],
  };
}
