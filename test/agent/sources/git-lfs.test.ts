import { createHash } from "node:crypto";
import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { readLfsPointer } from "../../../agent/sources/lfs-pointers.ts";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { startGitServer } from "../../support/sources/git-server.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const pointerTo = (contents: string, size = contents.length): string =>
  `version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(contents)}\nsize ${size}\n`;
const oidOf = (contents: string): string => createHash("sha256").update(contents).digest("hex");
const program = 'name: net\nruntime: go\noutputs:\n  one: "1"\n';

type Lfs = { readonly objects: Record<string, string>; readonly login?: string };

/** A server of a repository's files in LFS, before one of git: the batch API, and the files elsewhere. */
async function startLfsServer(gitUrl: string, { objects, login }: Lfs) {
  const asked: string[] = [];
  const store = http.createServer((request, response) => {
    asked.push(
      `store ${request.headers.authorization ?? "nobody"} ${String(request.headers["x-pass"])}`,
    );
    const contents = objects[request.url?.slice(1) ?? ""];
    response.writeHead(contents === undefined ? 404 : 200).end(contents);
  });
  store.listen(0, "127.0.0.1");
  await once(store, "listening");
  const storePort = (store.address() as AddressInfo).port;
  const server = http.createServer((request, response) => {
    void (async () => {
      const { authorization = "" } = request.headers;
      const said = Buffer.from(authorization.replace("Basic ", ""), "base64").toString();
      if (!request.url?.endsWith("/info/lfs/objects/batch")) {
        const passed = await fetch(`${gitUrl}${request.url}`, {
          method: request.method ?? "GET",
          headers: request.headers as Record<string, string>,
          ...(request.method === "POST" && { body: await buffer(request) }),
        });
        const type = passed.headers.get("content-type") ?? "";
        response.writeHead(passed.status, { "content-type": type });
        response.end(Buffer.from(await passed.arrayBuffer()));
        return;
      }
      asked.push(`batch ${said}`);
      if (login !== undefined && said !== login) {
        response.writeHead(401).end();
        return;
      }
      const body = JSON.parse((await buffer(request)).toString()) as { objects: { oid: string }[] };
      const told = body.objects.map(({ oid }) =>
        objects[oid] === undefined
          ? { oid, error: { code: 404, message: "no such object" } }
          : {
              oid,
              actions: {
                download: {
                  href: `http://127.0.0.1:${storePort}/${oid}`,
                  header: { "x-pass": "of-the-store" },
                },
              },
            },
      );
      response.writeHead(200, { "content-type": "application/vnd.git-lfs+json" });
      response.end(JSON.stringify({ objects: told }));
    })();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void [server.close(), store.close()]);
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** A repository whose program is in LFS, and what becomes of its build. */
async function given(contents: string, lfs: Lfs, settings: Record<string, string> = {}) {
  const repository = await givenRepository();
  await repository.commit(".gitattributes", "*.yaml filter=lfs diff=lfs merge=lfs -text\n");
  await repository.commit("Pulumi.yaml", pointerTo(contents));
  await repository.commit("README.md", pointerTo("of no attribute: it stays"));
  const git = await startGitServer({ folders: { shop: repository.folder } });
  const server = await startLfsServer(git.url, lfs);
  const { run } = await givenRunnerWithAgent(fleet, settings);
  const build = async (url = `${server.url}/shop`) =>
    await run({
      type: "pulumi-build",
      operation: "build",
      plan: JSON.stringify({
        git_source: { url },
        dst_registry: { loginServer: "127.0.0.1:9", repository: "a", plain_http: true },
        dst_tag: "b1",
      }),
    });
  return { server, build };
}

test("a build has the files that pointers stand for, and their store hears no login", async () => {
  const objects = { [oidOf(program)]: program };
  const { server, build } = await given(program, { objects, login: "me:pass-word-9" });
  const built = await build(server.url.replace("//", "//me:pass-word-9@") + "/shop");
  // It was read by now: it is of a runtime that is not built.
  expect(built.result?.error_metadata).toMatchObject({
    reason: "build_failed",
    class: "config_invalid",
  });
  expect(built.description).toContain("Programs of the runtime go are not built");
  expect(server.asked).toEqual(["batch me:pass-word-9", "store nobody of-the-store"]);
});

test.each<[string, Partial<Lfs>, string, string, Record<string, string>?]>([
  ["a file that is not there", {}, "not_found", "the server has it not"],
  [
    "other bytes than its pointer says",
    { objects: { [oidOf(program)]: program.replace("1", "2") } },
    "digest",
    "has the digest sha256:",
  ],
  ["a login that is missing", { login: "me:other" }, "repository_refused", "git-credentials"],
  ["more than source-size", {}, "too_large", "source-size is 10", { "source-size": "10" }],
])("a build fails with %s, and ships no pointer", async (_what, lfs, ...expected) => {
  const [kind, words, settings = {}] = expected;
  const { build } = await given(program, { objects: {}, ...lfs }, settings);
  const built = await build();
  expect(built.status).toBe("failed");
  expect(built.result?.error_metadata).toMatchObject({ class: kind });
  expect(built.description).toContain("its files of Git LFS cannot be fetched");
  expect(built.description).toContain(words);
});

test("a pointer is read as git-lfs writes it, and nothing else is one", () => {
  expect(readLfsPointer(pointerTo("a", 1))).toEqual({ oid: oidOf("a"), size: 1 });
  for (const text of [
    "",
    "version 1\n",
    pointerTo("a").replace("sha256", "md5"),
    `x${pointerTo("a")}`,
  ])
    expect(readLfsPointer(text)).toBeUndefined();
});
