import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";

test("ARCHITECTURE.md names every room of the programs", async () => {
  const architecture = await readFile("ARCHITECTURE.md", "utf8");
  const rooms = await Promise.all(
    ["agent", "broker", "cli", "shared"].map(async (program) =>
      (await readdir(program, { withFileTypes: true }))
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `\`${program}/${name}/\``),
    ),
  );
  expect(rooms.flat().filter((room) => !architecture.includes(room))).toEqual([]);
});
