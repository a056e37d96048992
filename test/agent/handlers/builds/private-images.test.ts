import { chmod, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { type Fleet, givenFleet } from "../../../support/broker/given-fleet.ts";
import { givenBuilds } from "../../../support/builds/given-builds.ts";
import { givenDockerContext, imageTools } from "../../../support/builds/given-docker-context.ts";
import { describeWithTools } from "../../../support/run/describe-with-tools.ts";
import { testFolder } from "../../../support/run/folder.ts";
import { type Registry, startRegistry } from "../../../support/sources/start-registry.ts";

let fleet: Fleet;
let registry: Registry;
let locked: Registry;

const base = "FROM scratch\nCOPY busybox /bin/busybox\n";
const login = () => ({ username: locked.login?.user, password: locked.login?.password });
const lockedPlace = () => ({
  loginServer: locked.host,
  repository: "acme/base",
  registryType: "private_oci",
  ociauth: login(),
});

/** An image in the private registry. */
async function pushBase(): Promise<void> {
  const { build } = await givenBuilds(fleet, registry);
  const pushed = await build("docker-build", {
    source: { path: await givenDockerContext(base) },
    dst_registry: lockedPlace(),
    dst_tag: "1",
  });
  if (pushed.status !== "finished") throw new Error(pushed.description);
}

/** A file of logins, as the agent's owner writes it. */
async function givenCredentials(host: string, mode = 0o600): Promise<string> {
  const file = path.join(await testFolder(), "logins.json");
  await writeFile(file, JSON.stringify({ auths: { [host]: login() } }));
  await chmod(file, mode);
  return file;
}

/** A proxy that goes nowhere, and what it was asked for. */
async function givenProxy() {
  const asked: string[] = [];
  const server = createServer((request, answer) => {
    asked.push(request.url ?? "");
    answer.writeHead(502).end();
  });
  server.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it has no port");
  return { url: `http://127.0.0.1:${address.port}`, asked };
}

describeWithTools(imageTools, "an image that begins with one of a private registry", () => {
  beforeAll(async () => {
    fleet = await givenFleet();
    registry = await startRegistry({ isOfFile: true });
    locked = await startRegistry({ isOfFile: true, asks: true });
  });

  test("is built by the login that the agent's owner gives for it, which nobody sees", async () => {
    await pushBase();
    const context = await givenDockerContext(
      `FROM ${locked.host}/acme/base:1\nCOPY --from=${locked.host}/acme/base:1 /bin/busybox /again\nRUN ["/bin/busybox", "sh", "-c", "cat /proc/[0-9]*/environ; env; true"]\n`,
    );
    const plan = { source: { path: context }, dst_tag: "made" };
    const without = await givenBuilds(fleet, registry);
    const refused = await without.build("docker-build", plan);
    expect(refused.result?.error_metadata["class"]).toBe("refused");
    expect(refused.description).toContain("127.0.0.1 (loopback), where nothing is asked for");

    const file = await givenCredentials(locked.host);
    const runner = await givenBuilds(fleet, registry, { "registry-credentials": file });
    const made = await runner.build("docker-build", plan);
    expect(made).toMatchObject({ status: "finished" });
    expect(made.outputs["base_images"]).toMatchObject([{ image: `${locked.host}/acme/base:1` }]);
    const said = JSON.stringify([
      made,
      await runner.logOf(made.id),
      await runner.statementFor(made),
    ]);
    expect(said).not.toContain(locked.login?.password);

    await chmod(file, 0o644);
    const readable = await runner.build("docker-build", plan);
    expect(readable.result?.error_metadata["class"]).toBe("auth");
    expect(readable.description).toContain("other users may read or write");
  });

  test("or by the job's own login, where that registry gets the image", async () => {
    await pushBase();
    const { build } = await givenBuilds(fleet, registry);
    const source = { path: await givenDockerContext(`FROM ${locked.host}/acme/base:1\nENV A=b\n`) };
    const made = await build("docker-build", {
      source,
      dst_registry: lockedPlace(),
      dst_tag: "2",
    });
    expect(made).toMatchObject({ status: "finished" });
  });

  test("is refused at a private address behind a proxy, too, which is not asked", async () => {
    const proxy = await givenProxy();
    const env = { http_proxy: proxy.url, https_proxy: proxy.url, no_proxy: "127.0.0.1" };
    const { build } = await givenBuilds(fleet, registry, {}, env);
    const built = async (image: string) =>
      await build("docker-build", {
        source: { path: await givenDockerContext(`FROM ${image}\n`) },
        dst_tag: "never",
      });
    for (const host of ["127.0.0.2:1", "localhost:1", "10.0.0.1", locked.host]) {
      const { description, result } = await built(`${host}/acme/base:1`);
      expect([host, result?.error_metadata["class"]]).toEqual([host, "refused"]);
      expect(description).toContain("where nothing is asked for");
    }
    expect(proxy.asked).toEqual([]);
    const far = await built("198.51.100.0.example/acme/base:1");
    expect(far.result?.error_metadata["class"]).toBe("network");
    expect(proxy.asked[0]).toContain("198.51.100.0.example");
  });
});
