import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Damages these lines of a log on disk, in whatever file each is: one that was being sent is followed by another. Answers how many. */
export async function spoilLines(folder: string, lines: readonly string[]): Promise<number> {
  let spoilt = 0;
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(".frames"))) {
    const bytes = await readFile(join(folder, name));
    const places = lines.map((line) => bytes.indexOf(line)).filter((at) => at >= 0);
    for (const at of places) bytes[at] = 0x58;
    spoilt += places.length;
    await writeFile(join(folder, name), bytes);
  }
  return spoilt;
}
