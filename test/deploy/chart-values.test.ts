import { expect, test } from "vitest";
import { chart, helm, objectOf, rendered, usualValues } from "../support/helm/deploy-chart.ts";
import { describeWithTools } from "../support/run/describe-with-tools.ts";

type Peer = {
  readonly namespaceSelector?: object;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
};
type Egress = { readonly to?: readonly Peer[]; readonly ports?: readonly { port: number }[] };

/** What the agent, or its jobs, may reach. */
async function egressOf(
  name: string,
  networkPolicy: object = {},
  broker: object = usualValues.broker,
): Promise<readonly Egress[]> {
  const objects = await rendered({ ...usualValues, networkPolicy, broker });
  const { egress } = objectOf(objects, "NetworkPolicy", name)["spec"] as { egress: Egress[] };
  return egress;
}

const [ofAgent, ofJobs] = ["rel-svc-agent", "rel-svc-agent-jobs"];

/** Whether this address may be reached by what a rule names in blocks: none of ours is narrower than that. */
function reaches(egress: readonly Egress[], address: string): boolean {
  const all = address.includes(":") ? "::/0" : "0.0.0.0/0";
  return egress
    .flatMap(({ to = [] }) => to)
    .some(({ ipBlock }) => {
      if (ipBlock?.cidr === address) return true;
      return ipBlock?.cidr === all && ipBlock.except?.includes(address) !== true;
    });
}

const metadata = [
  "169.254.169.254/32",
  "100.100.100.200/32",
  "168.63.129.16/32",
  "fd00:ec2::254/128",
  "fd20:ce::254/128",
];

describeWithTools(["helm"], "the network policies of deploy/chart", () => {
  test.each([ofAgent, ofJobs])("let %s ask the node's own cache for names", async (name) => {
    const [dns] = await egressOf(name);
    expect(dns?.to).toContainEqual({ ipBlock: { cidr: "169.254.20.10/32" } });
    expect(dns?.ports?.map(({ port }) => port)).toEqual([53, 53]);
  });

  test("let the agent to the API server by the ports that are given, and to the broker", async () => {
    const [, usual] = await egressOf(ofAgent);
    expect(usual?.ports?.map(({ port }) => port)).toEqual([443, 6443, 8443]);
    const [, given] = await egressOf(ofAgent, { agent: { ports: [16443] } });
    expect(given?.ports?.map(({ port }) => port)).toEqual([16443, 8443]);
  });

  test("name no addresses for the agent, which some networks take for neither nodes nor pods", async () => {
    const [, usual, ...others] = await egressOf(ofAgent);
    expect(usual).not.toHaveProperty("to");
    expect(others).toEqual([]);
    const to = [{ ipBlock: { cidr: "192.0.2.1/32" } }];
    const [, given, ...more] = await egressOf(ofAgent, { agent: { to } });
    expect(given).toMatchObject({ to, ports: [{ port: 443 }, { port: 6443 }, { port: 8443 }] });
    expect(more).toEqual([]);
  });

  test("keep jobs from a cloud's metadata, and let them to pods and all else", async () => {
    const egress = await egressOf(ofJobs);
    for (const address of metadata) expect(reaches(egress, address)).toBe(false);
    expect(reaches(egress, "192.0.2.1/32")).toBe(true);
    expect(egress.at(-1)?.to).toContainEqual({ namespaceSelector: {} });
  });

  test("keep the agent from a cloud's metadata where its broker has their port", async () => {
    const [, others, eighty] = await egressOf(ofAgent, {}, { url: "http://svc.example" });
    expect(others?.ports?.map(({ port }) => port)).toEqual([443, 6443]);
    expect(eighty?.ports?.map(({ port }) => port)).toEqual([80]);
    for (const address of metadata) expect(reaches([eighty ?? {}], address)).toBe(false);
    expect(reaches([eighty ?? {}], "192.0.2.1/32")).toBe(true);
    expect(eighty?.to).toContainEqual({ namespaceSelector: {} });
  });

  test("let jobs to a cloud's metadata where a value allows it, and only them", async () => {
    const allowed = { jobs: { metadata: true } };
    for (const address of metadata) {
      expect(reaches(await egressOf(ofJobs, allowed), address)).toBe(true);
      expect(reaches(await egressOf(ofAgent, allowed), address)).toBe(false);
    }
    const narrow = { jobs: { metadata: true, egress: [{ ports: [{ port: 443 }] }] } };
    expect(reaches(await egressOf(ofJobs, narrow), "169.254.169.254/32")).toBe(true);
  });
});

describeWithTools(["helm"], "the values of deploy/chart", () => {
  test("may be numbers and yes or no where they are settings", async () => {
    const values = `${JSON.stringify(usualValues).slice(0, -1)},
      settings: { read-only: yes, log-spool: 20000000, min-free-disk: 0, groups: deploy=2 } }`;
    const config = objectOf(await rendered(values), "ConfigMap");
    const { "agent.conf": text } = config["data"] as { "agent.conf": string };
    const lines = ["read-only = yes", "log-spool = 20000000", "min-free-disk = 0"];
    for (const line of [...lines, "groups = deploy=2"]) expect(text.split("\n")).toContain(line);
  });

  test("that are no single word are refused as settings", async () => {
    const values = { ...usualValues, settings: { groups: { deploy: 2 } } };
    const refused = helm(["template", "rel", chart], values);
    await expect(refused).rejects.toThrow(/settings\/groups.*object/s);
  });

  test.each([
    "svc-agent/executor",
    "svc-agent/execution",
    "app.kubernetes.io/name",
    "app.kubernetes.io/instance",
    "app.kubernetes.io/component",
    "app.kubernetes.io/managed-by",
  ])("give no pods the label %s, by which the agent knows its own", async (label) => {
    for (const whose of ["agent", "jobs"]) {
      const values = { ...usualValues, [whose]: { labels: { [label]: "mine" } } };
      await expect(helm(["template", "rel", chart], values)).rejects.toThrow(`'${label}'`);
    }
    const others = { ...usualValues, jobs: { labels: { "app.kubernetes.io/part-of": "x" } } };
    await expect(helm(["template", "rel", chart], others)).resolves.toContain("part-of: x");
  });
});
