import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";

/** The built program in the launcher's place, which starts with half the work. */
export async function makeLauncher(folder: string, name: string, program: string): Promise<void> {
  const launcher = path.join(folder, name);
  const script = `#!/bin/sh\nexport SVC_LAUNCHED_AS="$0"\nexec '${process.execPath}' '${program}' "$@"\n`;
  await writeFile(launcher, script);
  await chmod(launcher, 0o755);
}
