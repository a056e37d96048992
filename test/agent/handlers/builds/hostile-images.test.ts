import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { canChangeUsers, givenJobUsers, leftOut } from "../../../support/agent/given-job-users.ts";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { until } from "../../../support/broker/given-polling.ts";
import { buildsOf } from "../../../support/builds/given-builds.ts";
import {
  givenDockerContext,
  imageTools,
  running,
} from "../../../support/builds/given-docker-context.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";

if (!canChangeUsers) test(leftOut, () => expect(canChangeUsers).toBe(false));

let fleet: Fleet;
let registry: Registry;

const firstId = 1_900_000_000;
const ids = { "build-ids": `${firstId}-${firstId + 2 * 65_536 - 1}` };
const metadata = ["169.254.169.254", "168.63.129.16", "100.100.100.200"];

/** A server on all addresses of this host, and who has called it. */
async function givenServer() {
  const calls: string[] = [];
  const server = createServer((request, answer) => {
    calls.push(request.url ?? "");
    answer.end("reached");
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return { port: address.port, calls };
}

/** Processes of the ids of builds that still do something. */
function processesOfBuilds(): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const text = readFileSync(`/proc/${pid}/status`, "utf8");
      const uid = Number(/^Uid:\s+(\d+)/m.exec(text)?.[1] ?? -1);
      return uid >= firstId && uid < firstId + 2 * 65_536 && !/^State:\s+Z/m.test(text);
    } catch {
      return false;
    }
  });
}

const asRoot = canChangeUsers ? describeWithTools : () => {};
asRoot([...imageTools, "newuidmap", "slirp4netns"], "what a Dockerfile runs", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
  });

  test("sees and reaches nothing of its host, and ends with its job, whoever is killed", async () => {
    const runner = await givenJobUsers(fleet, [59_470, 59_471], {
      groups: "build=1",
      "allow-file-sources": "yes",
      ...ids,
    });
    const { build, draft } = buildsOf(runner, registry.host);
    const { port, calls } = await givenServer();
    const own = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ family }) => family === "IPv4");
    const addresses = [...own.map(({ address }) => address), "10.0.2.2", "10.0.2.3", ...metadata];
    const agent = runner.agent.pid;
    const { dataDir } = runner.agent;
    const tries: Readonly<Record<string, string>> = {
      map: "cat /proc/self/uid_map",
      pids: "ls /proc | grep -c '^[0-9]'",
      agent: `ls /proc/${agent}`,
      token: `cat ${runner.tokenFile} /proc/1/root${runner.tokenFile}`,
      files: `ls ${dataDir} /proc/1/root/build /proc/1/cwd`,
      environment: "cat /proc/1/environ",
      kill: `kill -9 ${agent} 1`,
      device: "mknod /disk b 8 0",
      mount: "mount -t tmpfs none /mnt",
      chroot: "mkdir -p /in && chroot /in /bin/true",
      namespace: "unshare -r true",
      route: "ip route del blackhole 169.254.0.0/16",
      sysctl: "echo 1 >/proc/sys/kernel/panic",
      hosts: addresses
        .map((at) => `wget -T 2 -qO - http://${at}:${port}/${at} >&2 && echo reached ${at}`)
        .join("; "),
      name: "nslookup localhost 10.0.2.3 >&2; true",
      secret:
        "cat /run/secrets/token; cd /proc; cat [0-9]*/root/run/svc-secrets/*; " +
        "cat [0-9]*/root/build/storage/root/*-containers/*/userdata/secrets/*; grep -l never.written /proc/[0-9]*/environ",
    };
    const script = Object.entries(tries)
      .map(([name, it]) => `echo "<${name} $( (${it}) 2>/dev/null; echo $?)>"`)
      .join("; ");
    const docker_build_plan = { cache_key: "a".repeat(64), secrets: { token: "never written" } };
    const plan = {
      source: { path: await givenDockerContext(running(script)) },
      docker_build_plan,
    };
    const built = await build("docker-build", plan);
    const log = (await runner.logOf(built.id)).join("\n");
    expect(built.status, `${built.description}\n${log}`).toBe("finished");
    const lines = [...log.matchAll(/<(\w+) ([^>$]*)>/g)];
    const told = new Map(
      lines.map(([, name = "", it = ""]) => [name, it.replaceAll(/\s+/g, " ").trim()]),
    );
    const said = (name: string): string => told.get(name) ?? "nothing";
    expect(said("map")).toMatch(/^0 19000\d{5} 65536 0$/);
    expect(Number(said("pids").split(" ")[0])).toBeLessThan(20);
    const refused = ["agent", "token", "files", "environment", "kill", "device", "mount"];
    for (const name of [...refused, "chroot", "namespace", "route", "sysctl"])
      expect([name, said(name)]).toEqual([name, expect.stringMatching(/^[1-9]\d*$/) as string]);
    expect(said("hosts")).not.toContain("reached");
    expect(calls).toEqual([]);

    expect(said("secret")).toMatch(/^[1-9]\d*$/);

    const endless = running(script).replace(
      /$/,
      `RUN --mount=type=secret,id=token ${JSON.stringify(["/bin/busybox", "sh", "-c", "echo begun; while :; do sleep 1; done"])}\n`,
    );
    const source = { path: await givenDockerContext(endless) };
    const id = await runner.enqueue(
      draft("docker-build", { source, docker_build_plan, timeout: 20e9 }),
    );
    await until(async () => (await runner.logOf(id)).includes("begun"));
    expect((await runner.logOf(id)).join("\n")).toContain("--> Using cache");
    expect(processesOfBuilds()).not.toEqual([]);
    runner.agent.kill("SIGKILL");
    await runner.agent.ended;
    const later = await runner.again();
    const stopped = await runner.ended(id);
    expect(stopped.status).not.toBe("finished");
    await until(() => Promise.resolve(processesOfBuilds().length === 0));
    const workspaces = path.join(later.dataDir, "work");
    await until(() =>
      Promise.resolve(!existsSync(workspaces) || readdirSync(workspaces).length === 0),
    );
  });
});
