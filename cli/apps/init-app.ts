import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";

export const initApp = defineCommand({
  name: "app init",
  summary: "Write the config of a small app as a start: its name, an input, an action.",
  details: "Nothing is overwritten: the folder must be empty or must not exist.",
  isLocal: true,
  args: { folder: { summary: "The new folder; its name is the app's." } },
  examples: [{ does: "Start an app.", run: "svc app init shop && svc app validate shop" }],
  run: async ({ args, screen }) => {
    const { starterFiles } = await import("../../shared/app-config/starter-files.ts");
    const root = path.resolve(args.folder);
    const there = await readdir(root).catch(() => []);
    if (there.length > 0) throw new UsageError(`${args.folder} is not empty.`);
    const files = starterFiles(path.basename(root));
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(root, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text, { flag: "wx" });
      screen.out(path.join(args.folder, name));
    }
    screen.say(`Check it: svc app validate ${args.folder}`);
  },
});
