import { execFile } from "node:child_process";
import { lstat, mkdir, readFile, readlink, stat, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { readArchive } from "../../../agent/sources/unpack/read-archive.ts";
import { readFolder } from "../../../agent/sources/unpack/read-folder.ts";
import { unpackInto } from "../../../agent/sources/unpack/unpack-entries.ts";
import { testFolder } from "../../support/run/folder.ts";
import { type TarEntry, tarArchive } from "../../support/sources/tar-archive.ts";
import { type ZipEntry, zipArchive } from "../../support/sources/zip-archive.ts";

const run = promisify(execFile);
const bounds = { mostBytes: 1_000_000, mostEntries: 100 };

/** Unpacks an archive of these bytes; answers the folder. */
async function unpack(bytes: Buffer, more = bounds): Promise<string> {
  const base = await testFolder();
  const [file, folder] = [path.join(base, "archive"), path.join(base, "folder")];
  await mkdir(folder);
  await writeFile(file, bytes);
  const unpacked = unpackInto(folder, more);
  const entries = await readArchive(file);
  if (entries === undefined) throw new Error("no archive");
  await unpacked.add(entries);
  await unpacked.finish();
  return folder;
}

const textOf = async (...parts: string[]): Promise<string> =>
  await readFile(path.join(...parts), "utf8");

describe("an archive", () => {
  const entries: readonly TarEntry[] = [
    { name: "./", type: "5" },
    { name: "./a/main.tf", text: "one" },
    { name: "a/run.sh", text: "two", mode: 0o755 },
    { name: "b", type: "2", target: "a/main.tf" },
    { name: "c", type: "1", target: "a/main.tf" },
    { name: "a/main.tf", text: "three" },
  ];
  test.each([
    ["tar", (bytes: Buffer) => bytes],
    ["tar with gzip", gzipSync],
    ["tar with zstd", zstdCompressSync],
  ])("of %s is unpacked, the later entry over the earlier", async (_, packed) => {
    const folder = await unpack(packed(tarArchive(entries)));
    expect(await textOf(folder, "a", "main.tf")).toBe("three");
    expect(await textOf(folder, "c")).toBe("one"); // what the name meant when it was linked
    expect(await readlink(path.join(folder, "b"))).toBe("a/main.tf");
    const { mode } = await stat(path.join(folder, "a", "run.sh"));
    expect(mode & 0o777).toBe(0o755);
  });

  test("of zip is unpacked, with links and programs", async () => {
    const folder = await unpack(
      zipArchive([
        { name: "a/", mode: 0o040755 },
        { name: "a/main.tf", text: "x".repeat(5000), isDeflated: true },
        { name: "run.sh", text: "two", mode: 0o100755 },
        { name: "b", text: "a/main.tf", mode: 0o120777 },
      ]),
    );
    expect(await textOf(folder, "b")).toHaveLength(5000);
    expect((await stat(path.join(folder, "run.sh"))).mode & 0o111).toBe(0o111);
  });

  test.each(["gnu", "pax", "ustar", "v7"])(
    "that tar itself made, in its format %s, is what it was",
    async (format) => {
      const source = await testFolder();
      const long = format === "v7" ? "short" : "d".repeat(90);
      await mkdir(path.join(source, long), { recursive: true });
      const name = format === "v7" ? "name" : `ü${"n".repeat(80)}.tf`;
      await writeFile(path.join(source, long, name), "x".repeat(70_000));
      await symlink(name, path.join(source, long, "link"));
      const { stdout } = await run("tar", [`--format=${format}`, "-C", source, "-cf", "-", "."], {
        encoding: "buffer",
        maxBuffer: 2 ** 24,
      });
      const folder = await unpackV7(stdout, format === "v7");
      expect(await textOf(folder, long, "link")).toHaveLength(70_000);
    },
  );
});

/** What was there before ustar has no mark by which it could be told: it comes with gzip, as ever. */
const unpackV7 = async (bytes: Buffer, isPacked: boolean): Promise<string> =>
  await unpack(isPacked ? gzipSync(bytes) : bytes);

describe("an archive is refused by its entry's name", () => {
  const file = { name: "a/b", text: "x" };
  test.each<[string, readonly TarEntry[], string]>([
    ["leads out", [{ name: "a/../../evil" }], '"a/../../evil" is a path outside'],
    ["is absolute", [{ name: "/etc/evil" }], '"/etc/evil" is an absolute name'],
    ["links out", [{ name: "l", type: "2", target: "../x" }], '"l" is a link to'],
    ["links to the host", [{ name: "l", type: "2", target: "/etc" }], '"l" is a link to'],
    [
      "links out by another link",
      [
        { name: "a/b/up", type: "2", target: "../.." },
        { name: "l", type: "2", target: "a/b/up/../x" },
      ],
      '"l" is a link to',
    ],
    [
      "links in a circle",
      [
        { name: "l", type: "2", target: "m/x" },
        { name: "m", type: "2", target: "l/x" },
      ],
      "outside of the archive",
    ],
    [
      "lies behind a link",
      [
        { name: "l", type: "2", target: "." },
        { name: "l/x", text: "y" },
      ],
      '"l/x" is inside "l", which is a link',
    ],
    ["is a hard link out", [{ name: "l", type: "1", target: "../x" }], "leads to a path outside"],
    [
      "is a hard link to nothing",
      [{ name: "l", type: "1", target: "x" }],
      "not a file of this archive",
    ],
    [
      "is a hard link to a link",
      [
        { name: "l", type: "2", target: "a" },
        { name: "h", type: "1", target: "l" },
      ],
      '"h" is a hard link to "l", which is not a file',
    ],
    ["is a device", [{ name: "dev", type: "3" }], '"dev" is a device'],
    ["is a pipe", [{ name: "pipe", type: "6" }], '"pipe" is a named pipe'],
    ["is sparse", [{ name: "s", type: "S" }], '"s" is a sparse file'],
    ["is setuid", [{ name: "su", mode: 0o4755 }], '"su" has the setuid or setgid bit'],
    ["is a folder and a file", [file, { name: "a", text: "x" }], '"a" is already a folder'],
    ["has no size", [{ name: "a", size: 10 ** 6, text: "x" }], "is truncated"],
  ])("that %s", async (_, entries, words) => {
    await expect(unpack(tarArchive(entries))).rejects.toThrow(words);
  });

  test.each<[string, readonly ZipEntry[], string]>([
    ["leads out", [{ name: "../evil", text: "x" }], '"../evil" is a path outside'],
    ["is absolute", [{ name: "/evil", text: "x" }], '"/evil" is an absolute name'],
    ["links out", [{ name: "l", text: "../x", mode: 0o120777 }], '"l" is a link to'],
    ["is a device", [{ name: "d", mode: 0o020666 }], '"d" is a device'],
    ["is setuid", [{ name: "su", mode: 0o104755 }], '"su" has the setuid or setgid bit'],
  ])("that %s, in a zip archive, too", async (_, entries, words) => {
    await expect(unpack(zipArchive(entries))).rejects.toThrow(words);
  });

  test("with which it has too many, or too much", async () => {
    const many = Array.from({ length: 101 }, (_, at) => ({ name: `f${at}` }));
    await expect(unpack(tarArchive(many))).rejects.toThrow('100 entries at the entry "f100"');
    const bomb = [{ name: "bomb", text: "0".repeat(3_000_000) }];
    await expect(unpack(gzipSync(tarArchive(bomb)))).rejects.toThrow("exceeds 1000000 bytes");
    const zip = zipArchive([{ name: "bomb", text: "0".repeat(3_000_000), isDeflated: true }]);
    await expect(unpack(zip)).rejects.toThrow('at the entry "bomb"');
  });

  test("or as damaged, when its bytes are not what they were", async () => {
    const archive = tarArchive([{ name: "a", text: "x" }]);
    archive[3] = 65;
    await expect(unpack(archive)).rejects.toThrow("a checksum is wrong");
    const packed = gzipSync(tarArchive([{ name: "a", text: "x" }])).subarray(0, 40);
    await expect(unpack(packed)).rejects.toThrow("damaged");
    await expect(unpack(Buffer.from("PK and nothing else"))).rejects.toThrow(
      "not a valid zip archive",
    );
  });
});

test("nothing is written where a link of the archive leads, whatever comes after it", async () => {
  const base = await testFolder();
  const folder = path.join(base, "folder");
  await mkdir(folder);
  const unpacked = unpackInto(folder, bounds);
  const file = path.join(base, "archive");
  await writeFile(
    file,
    tarArchive([
      { name: "l", type: "2", target: ".." },
      { name: "l/evil", text: "x" },
    ]),
  );
  const entries = await readArchive(file);
  await expect(unpacked.add(entries ?? readFolder(base))).rejects.toThrow("is inside");
  await expect(lstat(path.join(base, "evil"))).rejects.toThrow("ENOENT");
});

test("a folder of the host is copied like an archive, and refused like one", async () => {
  const [source, folder] = [await testFolder(), await testFolder()];
  await mkdir(path.join(source, "a"));
  await writeFile(path.join(source, "a", "main.tf"), "one");
  await symlink("a/main.tf", path.join(source, "good"));
  const unpacked = unpackInto(folder, bounds);
  await unpacked.add(readFolder(source));
  await unpacked.finish();
  expect(await textOf(folder, "good")).toBe("one");
  await symlink("/etc/passwd", path.join(source, "bad"));
  const again = unpackInto(await testFolder(), bounds);
  await again.add(readFolder(source));
  await expect(again.finish()).rejects.toThrow('"bad" is a link to');
});
