import { expect, test } from "vitest";
import { digestOf } from "../../support/builds/given-builder.ts";
import { deletes, givenDueArtifacts } from "../../support/registry/given-due-artifacts.ts";

const { host, script, givenDue, run, asked } = await givenDueArtifacts();
const there = { status: 200, headers: { "docker-content-digest": digestOf("a") } };

test("of what a list says is attached only that goes which says so itself and is no build's", async () => {
  const one = await givenDue();
  const about = { subject: { digest: digestOf("0") } };
  const list = ["b", "c", "1"].map((letter) => ({ digest: digestOf(letter) }));
  script.answer = (what) => {
    if (what.method !== "GET") return deletes(what);
    if (what.path.includes("/referrers/")) return { status: 404 };
    if (what.path.endsWith(digestOf("0").replace(":", "-")))
      return {
        ...there,
        headers: { "docker-content-digest": digestOf("f") },
        body: { manifests: list },
      };
    return { status: 200, body: what.path.endsWith(digestOf("c")) ? {} : about };
  };
  expect(await run()).toEqual({ deleted: 1 });
  const at = (reference: string) =>
    `/v2/${one.repository.slice(host.length + 1)}/manifests/${reference}`;
  const tag = asked("DELETE").at(-2)?.path ?? "";
  expect(tag).toContain("/manifests/bld_");
  expect(asked("DELETE").map(({ path }) => path)).toEqual([
    at(digestOf("b")),
    at(digestOf("f")),
    tag,
    at(digestOf("0")),
  ]);
});

test("what is attached comes in pages, of which none but the query of a link is followed", async () => {
  await givenDue();
  const page = (letter: string) => ({ manifests: [{ digest: digestOf(letter) }] });
  const link = `<http://elsewhere.example.com/v2/x/referrers/y?last=1>; rel="next"`;
  script.answer = (what) => {
    if (what.method !== "GET") return deletes(what);
    if (what.path.endsWith("?last=1")) return { status: 200, body: page("c") };
    if (what.path.includes("/referrers/"))
      return { status: 200, headers: { link }, body: page("b") };
    return { status: 200, body: { subject: { digest: digestOf("0") } } };
  };
  expect(await run()).toEqual({ deleted: 1 });
  const gone = asked("DELETE").map(({ path }) => path.split("/").at(-1));
  expect(gone.slice(0, 2)).toEqual([digestOf("b"), digestOf("c")]);
});
