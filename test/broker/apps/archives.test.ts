import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { openConfigFolder } from "../../../cli/apps/open-config-folder.ts";
import { checkConfigFolder } from "../../../shared/app-config/check-config.ts";
import { filesOfDocument } from "../../../shared/app-config/files-of-document.ts";
import type { Config } from "../../support/apps/apps-api.ts";
import { givenArchivesApi } from "../../support/apps/archives-api.ts";
import { tarEnd, tarEntry } from "../../support/apps/tar-entry.ts";
import { testFolder } from "../../support/run/folder.ts";

const { setup } = await givenArchivesApi();
const metadata = tarEntry("metadata.toml", 'name = "shop"\n');

/** Packs a folder by the tar of this machine. */
async function packed(folder: string, ...args: string[]): Promise<Buffer> {
  const archive = path.join(await testFolder(), "app.tar.gz");
  await promisify(execFile)("tar", ["-czf", archive, ...args, "-C", folder, "."]);
  return await readFile(archive);
}

/** A copy of the example by the name of the app that is there. */
async function givenFolder(): Promise<string> {
  const folder = path.join(await testFolder(), "shop");
  await cp("examples/app", folder, { recursive: true });
  const file = path.join(folder, "metadata.toml");
  const text = await readFile(file, "utf8");
  await writeFile(file, text.replace(/^name = .*$/m, 'name = "shop"'));
  return folder;
}

describe("a sync of a tar.gz", () => {
  test("of the example gives the checksum that its JSON document gives", async () => {
    const { send, sync } = await setup();
    const folder = await givenFolder();
    const { config } = await checkConfigFolder(await openConfigFolder(folder));
    const archived = await send(await packed(folder), { query: "?dry_run=true" });
    expect(archived).toMatchObject({ status: 200, body: { checksum: config?.checksum } });
    const made = await send(await packed(folder));
    expect(made).toMatchObject({ status: 201, body: { version: 1, status: "active" } });
    if (config === undefined) throw new Error("the example is not valid");
    const again = await sync(filesOfDocument(config.document));
    expect(again).toMatchObject({ status: 200, body: { id: made.body.id, version: 1 } });
    expect(again.body.checksum).toBe(made.body.checksum);
  });

  test("takes each way in which tars write names, each content type, and the folder itself", async () => {
    const { send } = await setup();
    const folder = await givenFolder();
    const first = await send(await packed(folder));
    for (const format of ["ustar", "gnu", "pax"]) {
      const one = await send(await packed(folder, `--format=${format}`), {
        type: "application/x-tar+gzip",
      });
      expect(one).toMatchObject({ status: 200, body: { id: first.body.id } });
    }
    const outer = await packed(path.dirname(folder));
    const whole = await send(outer, { type: "application/x-gzip; a=b" });
    expect(whole).toMatchObject({ status: 200, body: { id: first.body.id } });
    expect((await send(outer, { type: "application/zip" })).status).toBe(415);
    expect((await send(outer, { headers: { "content-encoding": "gzip" } })).status).toBe(415);
  });

  test("tells on what of it nothing acts, stored or not, with the lines that an archive has", async () => {
    const { send } = await setup();
    const parts = [metadata, tarEntry("secrets.toml", '\n[[secret]]\nname = "license"\n')];
    const archive = gzipSync(Buffer.concat([...parts, tarEnd]));
    const notices = [{ code: "not_deployed_yet", file: "secrets.toml", line: 2, column: 3 }];
    for (const [query, status] of [
      ["?dry_run=true", 200],
      ["", 201],
    ] as const)
      expect(await send(archive, { query })).toMatchObject({ status, body: { notices } });
  });

  test("tells all faults of the config, each with its file, line and column", async () => {
    const { pack } = await setup();
    const { status, body } = await pack(
      tarEntry("metadata.toml", 'name = "shop"\nverzion = "v1"\nreadme = "./gone.md"\n'),
      tarEntry("actions/a.toml", 'name = "A"\n'),
      tarEntry("actions/b.toml", Buffer.from([0x6e, 0xff])),
      tarEntry("picture.png", Buffer.from([0xff, 0xd8, 0])),
    );
    expect(status).toBe(422);
    expect(body.errors?.map(({ file, line, column, code }) => [file, line, column, code])).toEqual([
      ["actions/a.toml", 1, 1, "bad_value"],
      ["actions/a.toml", 1, 1, "missing_key"],
      ["actions/b.toml", null, null, "bad_value"],
      ["metadata.toml", 3, 1, "missing_file"],
    ]);
  });

  test("runs once for each Idempotency-Key", async () => {
    const { send } = await setup();
    const headers = { "idempotency-key": "one" };
    const archive = gzipSync(Buffer.concat([metadata, tarEnd]));
    const [first, again] = [await send(archive, { headers }), await send(archive, { headers })];
    expect([first.status, again.status, again.headers.get("idempotency-replayed")]).toEqual([
      201,
      201,
      "true",
    ]);
    const other = gzipSync(Buffer.concat([metadata, tarEntry("x", "y"), tarEnd]));
    expect((await send(other, { headers })).status).toBe(422);
  });
});

describe("an archive is refused", () => {
  test("with every entry that leads out, is no file or comes twice", async () => {
    const { faults, read } = await setup();
    const long = "d/".repeat(40);
    const told = await faults(
      metadata,
      tarEntry("../out.toml", "x"),
      tarEntry("a/../../out.toml", "x"),
      tarEntry("/etc/passwd", "x"),
      tarEntry("link.toml", "", { type: "2", target: "metadata.toml" }),
      tarEntry("hard.toml", "", { type: "1", target: "metadata.toml" }),
      tarEntry("device", "", { type: "3" }),
      tarEntry("pipe", "", { type: "6" }),
      tarEntry("sparse", "", { type: "S" }),
      tarEntry("./metadata.toml", 'name = "other"\n'),
      tarEntry("metadata.toml/inner.toml", "x"),
      tarEntry("metadata.toml", "", { type: "5" }),
      tarEntry(Buffer.from([0x61, 0xff]), "x"),
      tarEntry("line\nbreak", "x"),
      tarEntry(`${long.slice(0, 80)}f`, "x"),
    );
    expect(told).toEqual([
      ["../out.toml", "outside_root"],
      ["a/../../out.toml", "outside_root"],
      ["/etc/passwd", "outside_root"],
      ["link.toml", "not_a_file"],
      ["hard.toml", "not_a_file"],
      ["device", "not_a_file"],
      ["pipe", "not_a_file"],
      ["sparse", "not_a_file"],
      ["./metadata.toml", "duplicate_file"],
      ["metadata.toml/inner.toml", "duplicate_file"],
      ["metadata.toml", "duplicate_file"],
      ["a\uFFFD", "bad_name"],
      ["line\nbreak", "bad_name"],
      [`${long.slice(0, 80)}f`, "bad_name"],
    ]);
    expect((await read<Config[]>("/configs")).body).toEqual([]);
  });

  test("that the tar of this machine packed with a link in it", async () => {
    const { send } = await setup();
    const folder = await givenFolder();
    await symlink("/etc/passwd", path.join(folder, "link.txt"));
    const { status, body } = await send(await packed(folder));
    expect([status, body.errors]).toMatchObject([
      422,
      [
        {
          file: "./link.txt",
          code: "not_a_file",
          detail: "is a link: only files and folders are read",
        },
      ],
    ]);
  });

  test("at 16 MiB of contents, and never inflated further", async () => {
    const { faults, send, pack } = await setup();
    const mebibytes = (count: number) => Buffer.alloc(count * 2 ** 20);
    expect(await faults(metadata, tarEntry("big.bin", mebibytes(17)))).toEqual([["", "too_large"]]);
    expect((await pack(metadata, tarEntry("big.bin", mebibytes(15)))).status).toBe(201);
    const behind = gzipSync(Buffer.concat([metadata, tarEnd, mebibytes(60)]));
    expect((await send(behind)).body.errors).toMatchObject([{ code: "too_large" }]);
    const parts = Array<Buffer>(200).fill(gzipSync(mebibytes(20)));
    const bomb = await send(Buffer.concat([gzipSync(metadata), ...parts])); // 4 GB, of which its end says 20 MB
    expect(bomb.body.errors).toMatchObject([{ code: "too_large" }]);
  });

  test("at 2,000 files, and at as many folders as files", async () => {
    const { faults, pack } = await setup();
    const many = (count: number, type = "0") =>
      Buffer.concat(Array.from({ length: count }, (_, nth) => tarEntry(`f${nth}`, "", { type })));
    expect((await pack(metadata, many(1999))).status).toBe(201);
    expect(await faults(metadata, many(2000))).toMatchObject([["", "too_many_files"]]);
    expect(await faults(metadata, many(10_000, "5"))).toMatchObject([["", "too_many_files"]]);
  });

  test("that is broken, incomplete, or none", async () => {
    const { send, faults } = await setup();
    const good = gzipSync(Buffer.concat([metadata, tarEnd]));
    const flipped = Buffer.from(good);
    flipped.writeUInt8(flipped.readUInt8(good.length - 8) ^ 1, good.length - 8); // its checksum
    const bodies = [
      Buffer.from("hello, this is no gzip at all"),
      Buffer.from([0x1f, 0x8b]),
      good.subarray(0, -4),
      good.subarray(0, 40),
      flipped,
      gzipSync(Buffer.alloc(2048, 1)),
    ];
    for (const body of bodies)
      expect(await send(body)).toMatchObject({
        status: 422,
        body: { code: "invalid", errors: [{ file: "", code: "bad_archive" }] },
      });
    const short = tarEntry("a", "x", { size: 9_999_999 });
    expect(await faults(metadata, short)).toEqual([["", "bad_archive"]]);
    const pax = tarEntry("x", "9 path=a\n", { type: "x" });
    pax.write("7 path=\n\n", 512);
    expect(await faults(pax, metadata)).toEqual([["", "bad_archive"]]);
    expect(await faults()).toEqual([["metadata.toml", "missing_file"]]);
  });
});
