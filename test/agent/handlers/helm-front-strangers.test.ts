import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import https from "node:https";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { clusterTools } from "../../support/cluster/given-cluster.ts";
import { findsHelm, givenChart, releasesOf } from "../../support/helm/given-helm.ts";
import { tlsCertificate, tlsKey } from "../../support/network/tls-certificate.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";

let fleet: Fleet;

vi.setConfig({ testTimeout: 400_000 });

/** Takes the port, and writes down who comes and what they say. */
async function strangerAt(port: number) {
  const said: string[] = [];
  const hungUp: string[] = [];
  const server = https.createServer({ cert: tlsCertificate, key: tlsKey }, (request, response) => {
    said.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    response.writeHead(204).end();
  });
  server.on("tlsClientError", ({ message }) => void hungUp.push(message));
  // Who was killed has no memory any more a moment before its port is free.
  const listens = async (): Promise<string> => {
    server.listen(port, "127.0.0.1");
    return await once(server, "listening").then(() => "listening", String);
  };
  await expect.poll(listens).toBe("listening");
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { said, hungUp };
}

function portIn(folder: string): number {
  const text = readFileSync(path.join(folder, "helm-front.kubeconfig"), "utf8");
  return Number(/127\.0\.0\.1:(\d+)/.exec(text)?.[1]);
}

const frontsOf = (folder: string): string[] =>
  readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isFront(name, folder));

function isFront(pid: string, folder: string): boolean {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    return /^\S*node .*helm-front /.test(line) && line.includes(folder);
  } catch {
    return false; // it has ended meanwhile
  }
}

describeWithTools([...clusterTools, "helm"], "the port of helm's killed front", () => {
  beforeAll(async () => {
    findsHelm();
    fleet = await givenFleet();
  });

  /** A job whose helm waits for a first install, and where its front is. */
  async function givenWaiting() {
    const given = await givenKillableAgent(fleet, { "allow-file-sources": "yes" });
    const releases = await releasesOf(given);
    const { runDir, draft, at, enqueue, job, operate } = releases;
    const { id: helm_chart_id } = await operate("POST /v1/helm-charts");
    const helm = { source: { path: await givenChart() }, helm_chart_id };
    const id = await enqueue(draft("exec", { ...helm, values_override: "nowhere: true" }));
    const deployments = async () => await at.kubectl(["get", "deployments", "-o", "name"]);
    await expect.poll(deployments).toContain("app-web");
    const [own = ""] = readdirSync(runDir);
    const folder = path.join(runDir, own, `${(await job(id)).executions[0]?.id}.job`);
    const killFront = async (): Promise<void> => {
      for (const pid of frontsOf(folder)) process.kill(Number(pid), "SIGKILL");
      await expect.poll(() => frontsOf(folder)).toEqual([]);
    };
    return { ...releases, id, deployments, folder, port: portIn(folder), killFront };
  }

  /** Helm was told to stop, what it did is undone, and the stranger has heard nothing. */
  async function expectUndone(
    { ended, id, deployments, folder }: Awaited<ReturnType<typeof givenWaiting>>,
    { said, hungUp }: Awaited<ReturnType<typeof strangerAt>>,
  ): Promise<void> {
    const { status, description } = await ended(id);
    expect(status).toBe("failed");
    expect(description).toMatch(/another program on this host has taken its port/);
    expect(description).toContain("It was uninstalled again.");
    expect(await deployments()).toBe("");
    expect(frontsOf(folder)).toEqual([]);
    expect(said).toEqual([]);
    // Not by plain HTTP either.
    expect(hungUp.join("\n")).not.toMatch(/http request/i);
  }

  test("tells a stranger who takes it nothing; helm is told to stop, and what it did is undone", async () => {
    const waiting = await givenWaiting();
    const { first, killFront, port } = waiting;
    // The agent is to be too late for the port.
    first.kill("SIGSTOP");
    onTestFinished(() => void first.kill("SIGCONT"));
    await killFront();
    const stranger = await strangerAt(port);
    await expect.poll(() => stranger.hungUp.length).toBeGreaterThan(0);
    first.kill("SIGCONT");
    await expectUndone(waiting, stranger);
  });

  test("and that of its killed agent are followed by ones at another: helm is told to stop, too", async () => {
    const waiting = await givenWaiting();
    const { first, kill, again, killFront, port } = waiting;
    await kill(first);
    await killFront();
    const stranger = await strangerAt(port);
    await again();
    await expectUndone(waiting, stranger);
  });
});
