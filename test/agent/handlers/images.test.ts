import { beforeAll, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { givenKillableAgent } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { runTool } from "../../support/programs/run-tool.ts";
import { describeWithTools } from "../../support/run/describe-with-tools.ts";
import {
  type RegistryFaultOnWay,
  startFaultyRegistry,
} from "../../support/sources/faulty-registry.ts";
import { pushImage, pushIndex, pusherOf } from "../../support/sources/given-images.ts";
import { type Registry, startRegistry } from "../../support/sources/start-registry.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

type Place = { readonly host: string; readonly repository: string; readonly tag: string };

const copyPlan = (from: Place, to: Place, more: object = {}): string =>
  JSON.stringify({
    src_registry: { loginServer: from.host, repository: from.repository },
    src_tag: from.tag,
    dst_registry: { loginServer: to.host, repository: to.repository },
    dst_tag: to.tag,
    ...more,
  });

const zeros = `sha256:${"0".repeat(64)}`;
const manifests = /^GET .*manifests/;
const blobs = /^GET .*blobs/;
const hostile: readonly {
  readonly which: RegExp;
  readonly fault: RegistryFaultOnWay;
  readonly kind: string;
  readonly words: string;
}[] = [
  { which: manifests, fault: { status: 404 }, kind: "not_found", words: "does not have it (404)" },
  {
    which: manifests,
    fault: { status: 403, body: '{"errors":[{"code":"DENIED"}]}' },
    kind: "auth",
    words: "refused the credentials (403): DENIED",
  },
  {
    which: manifests,
    fault: { status: 429, headers: { "retry-after": "900" } },
    kind: "rate_limited",
    words: "it asks to wait 900 s",
  },
  { which: manifests, fault: { status: 500 }, kind: "network", words: "answered 500" },
  {
    which: blobs,
    fault: { status: 200, body: Buffer.alloc(100, 1) },
    kind: "digest",
    words: "a blob",
  },
  {
    which: manifests,
    fault: { status: 200, headers: { "docker-content-digest": zeros }, body: "{}" },
    kind: "digest",
    words: "its manifest has the digest",
  },
  {
    which: blobs,
    fault: { status: 307, headers: { location: "http://169.254.169.254/latest" } },
    kind: "refused",
    words: "cloud metadata",
  },
];

describeWithTools(["registry", "crane"], "an oci-sync", () => {
  let registry: Registry;
  beforeAll(async () => {
    registry = await startRegistry({ isOfFile: true });
  });
  const at = (repository: string, tag = "one", { host } = registry): Place => ({
    host,
    repository,
    tag,
  });
  const crane = async (...args: string[]): Promise<string> => await runTool("crane", args);
  const shown = ({ host, repository, tag }: Place): string => `${host}/${repository}:${tag}`;

  test("copies an index with all its platforms byte for byte, and a second time nothing", async () => {
    const { digest, size } = await pushIndex(pusherOf(registry.host, "src/a"), { tag: "one" });
    const { run, logOf } = await givenRunnerWithAgent(fleet);
    const [from, to] = [at("src/a"), at("dst/a", "v1")];
    const ended = await run({ type: "oci-sync", plan: copyPlan(from, to) });
    expect(ended.description).toContain(`/dst/a:v1 is ${digest}: 4 blobs were copied`);
    const facts = { digest, size, media_type: "application/vnd.oci.image.index.v1+json" };
    const platforms = [{ architecture: "amd64" }, { architecture: "arm64" }];
    const repository = `${registry.host}/dst/a`;
    const image = { registry: registry.host, repository, tag: "v1", ...facts, platforms };
    expect(ended.outputs).toMatchObject({ ...facts, image, source_digest: digest });
    expect(await crane("manifest", shown(to))).toBe(await crane("manifest", shown(from)));
    for (const platform of ["linux/amd64", "linux/arm64"])
      expect(await crane("validate", "--platform", platform, "--remote", shown(to))).toContain(
        "PASS",
      );
    const again = await run({ type: "oci-sync", plan: copyPlan(from, to) });
    expect(again.outputs).toMatchObject({ digest, copied_blobs: 0 });
    expect(again.description).toContain("already");
    expect((await logOf(ended.id)).join("\n")).toContain("mounted");
  });

  test("goes on where a connection broke, on either side", async () => {
    const bytes = 3_000_000;
    const { digest } = await pushImage(pusherOf(registry.host, "src/b"), { tag: "one", bytes });
    const [left, right] = [
      await startFaultyRegistry(registry.host),
      await startFaultyRegistry(registry.host),
    ];
    left.fail(/^GET .*\/blobs\//, { cutAnswerAt: 700_000 }, 2);
    right.fail(/^PATCH /, { cutRequestAt: 1_200_000 });
    const { run } = await givenRunnerWithAgent(fleet);
    const plan = copyPlan(
      at("src/b", "one", { ...registry, host: left.host }),
      at("dst/b", "one", { ...registry, host: right.host }),
    );
    const ended = await run({ type: "oci-sync", plan });
    expect(ended.description).toContain(`is ${digest}: 2 blobs`);
    expect(await crane("validate", "--remote", shown(at("dst/b")))).toContain("PASS");
    const ranges = right.passed.map(({ headers }) => headers["content-range"] ?? "").join(" ");
    expect(ranges).toMatch(/[1-9]\d*-\d+/);
  });

  test("copies what its tag meant when it was looked at, and a digest whatever the tag means", async () => {
    const client = pusherOf(registry.host, "src/c");
    const first = await pushImage(client, { tag: "one" });
    const faulty = await startFaultyRegistry(registry.host);
    const goOn = faulty.hold(/^GET .*\/blobs\//);
    const { run } = await givenRunnerWithAgent(fleet);
    const from = { ...at("src/c"), host: faulty.host };
    const copying = run({ type: "oci-sync", plan: copyPlan(from, at("dst/c")) });
    await expect.poll(() => faulty.passed.some(({ path }) => path.includes("/blobs/"))).toBe(true);
    const second = await pushImage(client, { tag: "one" });
    goOn();
    expect((await copying).outputs["digest"]).toBe(first.digest);
    const named = { src_digest: first.digest };
    const ended = await run({
      type: "oci-sync",
      plan: copyPlan(at("src/c"), at("dst/c", "two"), named),
    });
    expect(ended.outputs["digest"]).toBe(first.digest);
    expect(second.digest).not.toBe(first.digest);
  });

  test("whose agent is killed goes on under the next one, and nothing is under the tag before", async () => {
    const { digest } = await pushImage(pusherOf(registry.host, "src/d"), {
      tag: "one",
      bytes: 600_000,
    });
    const faulty = await startFaultyRegistry(registry.host);
    const goOn = faulty.hold(/^PUT .*\/blobs\//);
    const { enqueue, ended, first, again, kill } = await givenKillableAgent(fleet);
    const plan = copyPlan(at("src/d"), { ...at("dst/d"), host: faulty.host });
    const id = await enqueue({ type: "oci-sync", plan });
    await expect.poll(() => faulty.passed.some(({ method }) => method === "PUT")).toBe(true);
    await kill(first);
    await expect(crane("digest", shown(at("dst/d")))).rejects.toThrow(/UNKNOWN|not found/);
    goOn();
    await again();
    expect(await ended(id)).toMatchObject({ status: "finished", outputs: { digest } });
    expect((await crane("digest", shown(at("dst/d")))).trim()).toBe(digest);
  });

  test("from a registry that does not serve ends as that, with nothing under the tag", async () => {
    const { run } = await givenRunnerWithAgent(fleet);
    await pushImage(pusherOf(registry.host, "src/f"), { tag: "one" });
    for (const [row, { which, fault, kind, words }] of hostile.entries()) {
      const faulty = await startFaultyRegistry(registry.host);
      faulty.fail(which, fault, 100);
      const to = at(`dst/f${row}`);
      const plan = copyPlan({ ...at("src/f"), host: faulty.host }, to);
      const ended = await run({ type: "oci-sync", plan });
      const metadata = { reason: "registry_failed", class: kind };
      expect(ended).toMatchObject({ status: "failed", result: { error_metadata: metadata } });
      expect(ended.result?.composite_error).toMatchObject({ type: `registry.${kind}` });
      expect(ended.description).toContain(words);
      await expect(crane("digest", shown(to))).rejects.toThrow(/UNKNOWN|not found/);
    }
  });

  test("signs in as its plan says, which shows nowhere", async () => {
    const { host, login } = await startRegistry({ asks: true });
    await pushImage(pusherOf(registry.host, "src/e"), { tag: "one" });
    const { run, logOf, agent } = await givenRunnerWithAgent(fleet);
    const by = async (password: string | undefined) => {
      const ociauth = { username: login?.user, password };
      const dst_registry = { loginServer: host, repository: "dst/e", ociauth };
      const plan = copyPlan(at("src/e"), at("dst/e"), { dst_registry });
      return await run({ type: "oci-sync", plan });
    };
    const ended = await by(login?.password);
    expect(ended.description).toContain("/dst/e:one is sha256:");
    const refused = await by("wrong-one-1");
    expect(refused.result?.error_metadata["class"]).toBe("auth");
    expect(refused.description).toContain(`the registry ${host} refused the credentials (401)`);
    const all = JSON.stringify([
      ended,
      refused,
      agent.logged,
      await logOf(ended.id),
      await logOf(refused.id),
    ]);
    expect(all).not.toContain(login?.password);
    expect(all).not.toContain("wrong-one-1");
  });
});
