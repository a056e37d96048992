import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { constants, brotliCompressSync } from "node:zlib";
import { bundle } from "./bundle.ts";
import { programs } from "./programs.ts";

/** So many builds are kept: those that the next release must get on with. */
const mostKept = 2;
const kept = path.join(import.meta.dirname, "..", "test", "builds");
const [name = ""] = process.argv.slice(2);

if (/^[\w.-]+$/.test(name)) {
  await keep(name);
} else {
  process.stderr.write("Say what the build is called: npm run keep-build -- 0.2.0\n");
  process.exitCode = 2;
}

/** Builds agent and broker as they are now, packs them for the tests of upgrades, and drops the oldest. */
async function keep(called: string): Promise<void> {
  const number = Math.max(0, ...(await names()).map((one) => Number.parseInt(one, 10))) + 1;
  const folder = path.join(kept, `${String(number).padStart(3, "0")}-${called}`);
  await mkdir(folder);
  for (const program of programs.filter(({ name }) => name !== "svc-broker")) {
    const file = await bundle(program, folder);
    const text = await readFile(file);
    const params = { [constants.BROTLI_PARAM_LGWIN]: 24, [constants.BROTLI_PARAM_QUALITY]: 11 };
    await writeFile(`${file}.br`, brotliCompressSync(text, { params }));
    for (const one of [file, `${file}.map`]) await rm(one);
  }
  process.stdout.write(`${folder}\n`);
  for (const old of (await names()).slice(0, -mostKept)) {
    await rm(path.join(kept, old), { recursive: true });
    process.stdout.write(`${path.join(kept, old)} is kept no longer\n`);
  }
}

async function names(): Promise<string[]> {
  const entries = await readdir(kept, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .toSorted();
}
