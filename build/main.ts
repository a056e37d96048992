import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "./bundle.ts";
import { programs } from "./programs.ts";
import { makeSingle } from "./single.ts";

const megabyte = 1024 * 1024;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    out: { type: "string", default: "dist" },
    single: { type: "boolean", default: false },
  },
});
const unknown = positionals.filter((name) => !programs.some((program) => program.name === name));

if (unknown.length > 0) {
  process.stderr.write(`There is no program ${unknown.join(", ")}.\n`);
  process.exitCode = 2;
} else {
  await buildAll();
}

async function buildAll(): Promise<void> {
  const directory = path.resolve(values.out);
  await mkdir(directory, { recursive: true });
  for (const program of programs) {
    if (positionals.length > 0 && !positionals.includes(program.name)) continue;
    const startedAtMs = performance.now();
    const file = await (values.single ? makeSingle : bundle)(program, directory);
    const { size } = await stat(file);
    const tookMs = (performance.now() - startedAtMs).toFixed(0);
    process.stdout.write(`${file}  ${(size / megabyte).toFixed(1)} MB  ${tookMs} ms\n`);
  }
}
