import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Config } from "../../support/apps/apps-api.ts";
import { givenArchivesApi } from "../../support/apps/archives-api.ts";
import { tarEnd, tarEntry } from "../../support/apps/tar-entry.ts";

const { setup } = await givenArchivesApi();
const metadata = tarEntry("metadata.toml", 'name = "shop"\n');

describe("an archive is refused", () => {
  test("at one byte more than 16 MiB, and not at one less", async () => {
    const { faults, pack } = await setup();
    const room = 16 * 2 ** 20 - Buffer.byteLength('name = "shop"\n');
    const filled = (bytes: number) => tarEntry("big.bin", Buffer.alloc(bytes));
    expect((await pack(metadata, filled(room))).status).toBe(201);
    expect(await faults(metadata, filled(room + 1))).toEqual([["", "too_large"]]);
  });

  test("with data behind its end, of the tar or of the gzip", async () => {
    const { send, read } = await setup();
    const tar = Buffer.concat([metadata, tarEnd]);
    const more = tarEntry("actions/more.toml", 'name = "more"\n');
    const bodies = [
      gzipSync(Buffer.concat([tar, more, tarEnd])),
      gzipSync(Buffer.concat([tar, Buffer.alloc(200_000), Buffer.from("x")])),
      Buffer.concat([gzipSync(tar), gzipSync(Buffer.concat([more, tarEnd]))]),
      Buffer.concat([gzipSync(tar), Buffer.from("garbage")]),
      Buffer.concat([gzipSync(tar), Buffer.alloc(8), Buffer.from("garbage")]),
    ];
    for (const body of bodies)
      expect(await send(body)).toMatchObject({
        status: 422,
        body: { errors: [{ file: "", code: "bad_archive" }] },
      });
    expect((await read<Config[]>("/configs")).body).toEqual([]);
    const padded = gzipSync(Buffer.concat([tar, Buffer.alloc(9216)]));
    expect((await send(padded)).status).toBe(201); // tars are blocks of 10 KiB
  });

  test("that is empty", async () => {
    const { send, faults, read } = await setup();
    for (const body of [Buffer.alloc(0), gzipSync(Buffer.alloc(0)).subarray(0, 10)])
      expect(await send(body)).toMatchObject({
        status: 422,
        body: { errors: [{ code: "bad_archive" }] },
      });
    expect((await send(gzipSync(Buffer.alloc(0)))).body.errors).toMatchObject([
      { file: "metadata.toml", code: "missing_file" },
    ]);
    expect(await faults(tarEntry("shop/", "", { type: "5" }))).toEqual([
      ["metadata.toml", "missing_file"],
    ]);
    expect((await read<Config[]>("/configs")).body).toEqual([]);
  });
});
