import { lstat, mkdir, readFile, readlink, rename, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { gatherEntries } from "../../../agent/artifacts/gather-entries.ts";
import { lfsMark } from "../../../agent/sources/lfs-mark.ts";
import { listLfsRepositories } from "../../../agent/sources/lfs-repositories.ts";
import type { LfsRequest } from "../../../agent/sources/lfs-request.ts";
import { runLfsRequest } from "../../../agent/sources/run-lfs-request.ts";
import { testFolder } from "../../support/run/folder.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";
import { type Lfs, oidOf, pointerTo, startLfsServer } from "../../support/sources/lfs-server.ts";

const of = (...contents: string[]): Record<string, string> =>
  Object.fromEntries(contents.map((one) => [oidOf(one), one]));

/** A checkout with these files, of which `*.bin` are in LFS, and the child that fetches them. */
async function given(files: Readonly<Record<string, string>>, lfs: Partial<Lfs> = {}) {
  const repository = await givenRepository();
  const { folder } = repository;
  await repository.commit(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  await repository.git("add", ".");
  await repository.git("commit", "-q", "-m", "files", "--allow-empty");
  const server = await startLfsServer({ objects: {}, ...lfs });
  const place = await testFolder();
  const run = async (order: Partial<LfsRequest> = {}) => {
    const [file, told] = [path.join(place, "lfs.json"), path.join(place, "told")];
    const url = `${server.url}/shop`;
    const whole = { folder, built: folder, url, logins: [], mostBytes: 1e6, told, ...order };
    await writeFile(file, JSON.stringify(whole));
    const said: string[] = [];
    const code = await runLfsRequest(file, { env: {}, say: (line) => void said.push(line) });
    expect(await lstat(file).catch(() => "gone")).toBe("gone"); // it has logins
    const answer = JSON.parse(await readFile(told, "utf8")) as { class?: string; words?: string };
    return { code, said, ...answer };
  };
  const read = async (name: string) => await readFile(path.join(folder, name), "utf8");
  return { repository, folder, server, run, read };
}

test("a link with the name of a draft leads nobody to another file", async () => {
  const victim = path.join(await testFolder(), "victim");
  await writeFile(victim, "mine");
  const { folder, repository, run, read } = await given(
    { "a.bin": pointerTo("one") },
    { objects: of("one") },
  );
  await symlink(victim, path.join(folder, "a.bin.svc-lfs"));
  await repository.commit("b.txt", "and the link");
  expect(await run()).toMatchObject({ code: 0, files: 1 });
  expect([await read("a.bin"), await readFile(victim, "utf8")]).toEqual(["one", "mine"]);
  expect(await readlink(path.join(folder, "a.bin.svc-lfs"))).toBe(victim);
  expect((await lstat(path.join(folder, "a.bin"))).isFile()).toBe(true);
});

test("a folder that is a link by now is not written to", async () => {
  const files = { "in/a.bin": pointerTo("one") };
  const { folder, run } = await given(files, { objects: of("one") });
  const elsewhere = path.join(await testFolder(), "in");
  await rename(path.join(folder, "in"), elsewhere);
  await symlink(elsewhere, path.join(folder, "in"));
  const words = '"in/a.bin": it is behind a link, or no file any more';
  expect(await run()).toMatchObject({ code: 72, class: "unsafe", words });
  expect(await readFile(path.join(elsewhere, "a.bin"), "utf8")).toBe(pointerTo("one"));
});

test("what the built directory does not need is not fetched, and is in no artifact", async () => {
  const names = ["own", "base", "module", "chart", "package", "docs", "unnamed"];
  const { folder, run, read, server } = await given(
    {
      "app/own.bin": pointerTo("own"),
      "app/kustomization.yaml": "resources: [../base]\n",
      "base/kustomization.yaml": "resources:\n- a.bin\n",
      "base/a.bin": pointerTo("base"),
      "app/main.tf": 'module "m" {\n  source = "../modules/m"\n}\n',
      "modules/m/main.tf": 'file("${path.module}/../shared/x.bin")\n',
      "modules/shared/x.bin": pointerTo("module"),
      "app/Chart.yaml": "dependencies: [{name: c, repository: 'file://../charts/c'}]\n",
      "charts/c/a.bin": pointerTo("chart"),
      "app/package-lock.json": '{"packages":{"../words":{}}}\n',
      "words/a.bin": pointerTo("package"),
      "docs/large.bin": pointerTo("docs", 2e6), // nobody has it
      "modules/unnamed.bin": pointerTo("unnamed"),
    },
    { objects: of(...names.filter((name) => name !== "docs")) },
  );
  const ran = await run({ built: path.join(folder, "app") });
  expect(ran).toMatchObject({ code: 0, files: 5 });
  expect(ran.said).toContain("files of Git LFS that are not needed and not fetched: 2");
  expect([await read("app/own.bin"), await read("base/a.bin"), await read("words/a.bin")]).toEqual([
    "own",
    "base",
    "package",
  ]);
  expect([await read("modules/shared/x.bin"), await read("charts/c/a.bin")]).toEqual([
    "module",
    "chart",
  ]);
  expect(await readlink(path.join(folder, "docs/large.bin"))).toBe(lfsMark);
  expect(server.asked.filter((one) => one.startsWith("store"))).toHaveLength(5);
  const part = { to: "", isSource: true, leaveOut: [], followsLinks: false };
  const pack = (name: string) =>
    gatherEntries(
      { parts: [{ ...part, from: path.join(folder, name) }], texts: [], files: [] },
      { mostBytes: 1e6, mostEntries: 100 },
    );
  expect(pack("app")).toHaveLength(5);
  expect(() => pack("modules")).toThrow('"unnamed.bin" is in Git LFS, outside of the directory');
});

test("a submodule's files are asked of its own server with its own login, and its faults name it", async () => {
  const { repository, folder, run, read } = await given({});
  const part = await given({ "a.bin": pointerTo("two") }, { objects: of("two"), login: "me:own" });
  const at = await part.repository.git("rev-parse", "HEAD");
  await repository.addSubmodule("lib", part.folder, at);
  await repository.git("clone", "-q", part.folder, "lib");
  const origin = async (url: string): Promise<string> =>
    await repository.git("-C", "lib", "config", "remote.origin.url", url);
  await origin(`${part.server.url.replace("//", "//x:y@")}/lib`);
  const logins = [{ origin: "https://git.example.com", username: "you", password: "other" }];
  const refused = await run({ logins });
  expect(refused).toMatchObject({ code: 72, class: "auth" });
  expect(refused.words).toBe(
    `in its submodule "lib" of ${new URL(part.server.url).host}: the server asks who is there`,
  );
  logins.push({ origin: part.server.url, username: "me", password: "own" });
  expect(await run({ logins })).toMatchObject({ code: 0, files: 1 });
  expect([await read("lib/a.bin"), part.server.asked.slice(0, 2)]).toEqual([
    "two",
    ["batch ", "batch me:own"],
  ]);
  await origin("git@git.example.com:acme/lib.git");
  const [, lib] = await listLfsRepositories(folder, "https://git.example.com/acme/shop");
  expect(lib?.url).toBe("https://git.example.com/acme/lib.git");
});

test("a file whose connection breaks goes on from there, and is asked for anew where its address is over", async () => {
  const contents = "0123456789".repeat(10_000);
  let nth = 0;
  const { run, read, server } = await given(
    { "a.bin": pointerTo(contents) },
    {
      objects: of(contents),
      store: (_request, response) => {
        nth += 1;
        if (nth === 2) response.writeHead(403).end();
        if (nth !== 1) return nth === 2;
        response.writeHead(200, { "content-length": contents.length });
        response.write(contents.slice(0, 50_000), () => response.destroy());
        return true;
      },
    },
  );
  expect(await run()).toMatchObject({ code: 0, files: 1 });
  expect(await read("a.bin")).toBe(contents);
  const asked = server.asked.map((one) => one.replace("nobody of-the-store", "").trim());
  expect(asked.map((one) => one.split(/ +/).slice(0, 1).join())).toEqual([
    "batch",
    "store",
    "store",
    "batch",
    "store",
  ]);
  expect(asked.slice(2).join()).toMatch(/^store +(bytes=[1-9]\d*-),batch,store +\1$/);
});

test("a store that refuses also the newer address is told of, and one with other bytes in the words of git", async () => {
  const refusing = await given(
    { "a.bin": pointerTo("one") },
    { objects: of("one"), store: (_request, response) => !!response.writeHead(403).end() },
  );
  expect(await refusing.run()).toMatchObject({ code: 72, class: "auth" });
  expect(refusing.server.asked.map((one) => one.slice(0, 5))).toEqual([
    "batch",
    "store",
    "batch",
    "store",
  ]);
  const larger = await given({ "a.bin": pointerTo("one", 2) }, { objects: of("one") });
  const words = '"a.bin": it is larger than the 2 bytes in its pointer';
  expect(await larger.run()).toMatchObject({ code: 72, class: "digest", words });
});

test("addresses are asked for right before their files are fetched", async () => {
  const texts = Array.from({ length: 101 }, (_, at) => `text ${at}`);
  const files = Object.fromEntries(texts.map((one, at) => [`${at}.bin`, pointerTo(one)]));
  const { run, server } = await given(files, { objects: of(...texts) });
  expect(await run()).toMatchObject({ code: 0, files: 101 });
  expect(server.asked.flatMap((one, at) => (one.startsWith("batch") ? [at] : []))).toEqual([
    0, 101,
  ]);
});
