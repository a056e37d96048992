import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { deleteUnusedSources } from "../../../broker/retention/delete-unused-sources.ts";
import { givenArchivesApi } from "../../support/apps/archives-api.ts";
import { tarEnd, tarEntry } from "../../support/apps/tar-entry.ts";

const { db, setup } = await givenArchivesApi();
const metadata = tarEntry("metadata.toml", 'name = "shop"\n');
const component = (directory: string, name = "net") =>
  tarEntry(
    `components/${name}.toml`,
    `name = "${name}"\ntype = "terraform_module"\ndirectory = "${directory}"\n`,
  );
const main = tarEntry("net/main.tf", 'output "a" { value = 1 }\n');
const linkTo = (name: string, target: string) => tarEntry(name, "", { type: "2", target });

type Blob = { readonly id: string; readonly digest: string; readonly size: number };

async function given() {
  const rest = await setup();
  const blobs = () =>
    db<
      Blob[]
    >`select id, digest, size_bytes::int as size from source_blobs where org_id = ${rest.orgId} order by id`;
  return { blobs, ...rest };
}

describe("a component in the config's own directory", () => {
  test("is kept with the config, once for each content, and another content is another config", async () => {
    const { pack, blobs, read } = await given();
    const first = await pack(metadata, component("net"), main);
    expect(first.status).toBe(201);
    const [kept] = await blobs();
    expect(kept?.digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect((await pack(metadata, component("./net/"), component("net", "two"), main)).status).toBe(
      201,
    );
    expect(await blobs()).toHaveLength(1);
    expect((await pack(main, component("./net/"), component("net", "two"), metadata)).status).toBe(
      200,
    );
    const other = tarEntry("net/main.tf", 'output "a" { value = 2 }\n');
    const changed = await pack(metadata, component("./net/"), component("net", "two"), other);
    expect(changed).toMatchObject({ status: 201, body: { version: 3 } });
    expect(await blobs()).toHaveLength(2);
    const shown = await read(`/configs/${changed.body.id}?recurse=true`);
    expect(JSON.stringify(shown.body)).toContain('"directory":"./net/"');
  });

  test("keeps links within its folder, and what may be run", async () => {
    const { pack, blobs } = await given();
    const run = tarEntry("net/run.sh", "#!/bin/sh\n", { mode: 0o755 });
    const plain = tarEntry("net/run.sh", "#!/bin/sh\n");
    for (const parts of [
      [main, run],
      [main, plain],
      [main, plain, linkTo("net/b.tf", "main.tf")],
    ])
      expect((await pack(metadata, component("net"), ...parts)).status).toBe(201);
    expect(new Set((await blobs()).map(({ digest }) => digest)).size).toBe(3);
  });

  test.each<[string, string, Buffer[], [string, string]]>([
    ["a folder that is not there", "nowhere", [main], ["missing_file", "nowhere has no files"]],
    ["a folder above", "../net", [main], ["outside_root", "leaves the config's directory"]],
    ["an absolute path", "/net", [main], ["outside_root", "is an absolute path"]],
    ["a template", "{{ .svc.app.name }}", [main], ["bad_value", "has a template"]],
    [
      "a link that leaves it",
      "net",
      [main, linkTo("net/a", "../components/net.toml")],
      ["outside_root", "a is a link that leaves the folder"],
    ],
    [
      "a link to an absolute path",
      "net",
      [main, linkTo("net/a", "/etc/passwd")],
      ["outside_root", "a is a link that leaves the folder"],
    ],
    [
      "too much",
      "net",
      [main, tarEntry("net/large", Buffer.alloc(11 * 2 ** 20))],
      ["config_too_costly", "net has 11.1 MiB: one may have 10 MiB"],
    ],
  ])("is refused with %s", async (_what, directory, parts, [code, words]) => {
    const { pack, blobs } = await given();
    const { status, body } = await pack(metadata, component(directory), ...parts);
    expect([status, body.errors]).toMatchObject([
      422,
      [{ file: "components/net.toml", pointer: "#/components/net.toml/directory", code }],
    ]);
    expect(body.errors?.[0]?.["detail"]).toContain(words);
    expect(await blobs()).toEqual([]);
  });

  test("has links nowhere else, and comes in no JSON document", async () => {
    const { faults, sync } = await given();
    expect(await faults(metadata, component("net"), main, linkTo("x", "net/main.tf"))).toEqual([
      ["x", "not_a_file"],
    ]);
    const net = { name: "net", type: "terraform_module", directory: "net" };
    const document = { "metadata.toml": { name: "shop" }, components: { "net.toml": net } };
    const { status, body } = await sync(document);
    expect([status, body.errors]).toMatchObject([422, [{ code: "missing_file" }]]);
    expect(body.errors?.[0]?.["detail"]).toContain("run svc app sync, or send the directory");
    const { directory: _directory, ...bare } = net;
    const alone = { ...bare, public_repo: { repo: "acme/net" }, source_digest: "sha256:0" };
    const told = await sync({ ...document, components: { "net.toml": alone } });
    expect(told.body.errors).toMatchObject([{ code: "bad_value" }]);
  });

  test("goes when nothing is built of its configs any more, or its app is deleted", async () => {
    const { pack, blobs, orgId } = await given();
    await pack(metadata, component("net"), main);
    await pack(metadata, component("net"), tarEntry("net/main.tf", "# empty\n"));
    const batches = { signal: new AbortController().signal, batch: 10 };
    await db`update source_blobs set used_at = svc_now() - interval '2 days' where org_id = ${orgId}`;
    await db`update app_configs set created_at = svc_now() - interval '2 days' where org_id = ${orgId}`;
    expect(await deleteUnusedSources(db, batches)).toBe(0); // one of the last ten
    await db`update app_configs set version = version + 9 where org_id = ${orgId} and status = 'active'`;
    expect(await deleteUnusedSources(db, batches)).toBe(1);
    const [left] = await blobs();
    const parts = await db`
      select from terraform_state_parts where org_id = ${orgId} and object_id <> ${left?.id ?? ""}`;
    expect([(await blobs()).length, parts.length]).toEqual([1, 0]);
    await db`update source_blobs set used_at = svc_now() where org_id = ${orgId}`;
    await db`update apps set deleted_at = svc_now() - interval '2 days' where org_id = ${orgId}`;
    expect(await deleteUnusedSources(db, batches)).toBe(0); // a sync may be about to name it
    await db`update source_blobs set used_at = svc_now() - interval '2 days' where org_id = ${orgId}`;
    expect(await deleteUnusedSources(db, batches)).toBe(1);
  });

  test("is not kept where the sync is based on another config than the active one, or changes nothing", async () => {
    const { pack, send, blobs } = await given();
    const first = await pack(metadata, component("net"), main);
    await pack(metadata, component("net"), main, component("net", "two"));
    const other = [metadata, component("net"), tarEntry("net/main.tf", "# other\n"), tarEnd];
    const body = gzipSync(Buffer.concat(other));
    const query = `?base_config_id=${first.body.id}`;
    expect((await send(body, { query })).status).toBe(409);
    expect((await send(body, { query: "?dry_run=true" })).status).toBe(200);
    expect(await blobs()).toHaveLength(1);
  });

  test("counts all files that are packed, and has nothing that builds do not need", async () => {
    const { pack, blobs } = await given();
    const deep = Array.from({ length: 10 }, (_, n) => `d${n}`);
    const names = Array.from({ length: 250 }, (_, n) => `${deep.join("/")}/${n}`);
    const nested = deep.map((_, n) => component(deep.slice(0, n + 1).join("/"), `c${n}`));
    const { status, body } = await pack(
      metadata,
      ...nested,
      ...names.map((name) => tarEntry(name, "")),
    );
    expect([status, body.errors?.[0]?.["code"]]).toEqual([422, "config_too_costly"]);
    expect(body.errors?.[0]?.["detail"]).toContain("1999 together");
    const kept = [".git/config", ".terraform/x", "a.tfstate"].map((name) =>
      tarEntry(`net/${name}`, "x"),
    );
    await pack(metadata, component("net"), main);
    expect((await pack(metadata, component("net"), main, ...kept)).status).toBe(200);
    expect(await blobs()).toHaveLength(1);
  });
});
