import { beforeAll, expect, test } from "vitest";
import { foundIn } from "../../../agent/sources/fetch-git.ts";
import { readLfsPointer } from "../../../agent/sources/lfs-pointers.ts";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { startGitServer } from "../../support/sources/git-server.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";
import { type Lfs, oidOf, pointerTo, startLfsServer } from "../../support/sources/lfs-server.ts";

let fleet: Fleet;
beforeAll(async () => {
  fleet = await givenFleet();
});

const program = 'name: net\nruntime: go\noutputs:\n  one: "1"\n';

/** A repository whose program is in LFS, and what becomes of its build. */
async function given(contents: string, lfs: Lfs, settings: Record<string, string> = {}) {
  const repository = await givenRepository();
  await repository.commit(".gitattributes", "*.yaml filter=lfs diff=lfs merge=lfs -text\n");
  await repository.commit("net/Pulumi.yaml", pointerTo(contents));
  await repository.commit("docs/gone.yaml", pointerTo("what nobody has, and nobody needs", 1e12));
  await repository.commit("README.md", pointerTo("of no attribute: it stays"));
  const git = await startGitServer({ folders: { shop: repository.folder } });
  const server = await startLfsServer({ ...lfs, gitUrl: git.url });
  const { run } = await givenRunnerWithAgent(fleet, settings);
  const build = async (url = `${server.url}/shop`) =>
    await run({
      type: "pulumi-build",
      operation: "build",
      plan: JSON.stringify({
        git_source: { url, path: "net" },
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

test("a checkout of which nothing is known after a reboot is looked through for files of Git LFS", () => {
  const revision = "a".repeat(40);
  expect(foundIn(`${revision}\nlfs\n`)).toEqual({ revision, hasLfs: true });
  expect(foundIn(`${revision}\n`)).toEqual({ revision, hasLfs: false });
  expect(foundIn("")).toEqual({ revision: "", hasLfs: true });
});
