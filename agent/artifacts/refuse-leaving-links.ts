import { readdirSync, readlinkSync, realpathSync } from "node:fs";
import path from "node:path";
import { PackFault } from "./pack-fault.ts";
import { isWithin } from "./place-modules.ts";
import { utf8Name } from "./utf8-name.ts";

/**
 * Throws PackFault for a link anywhere in a folder, also in hidden folders, that leads out of it: a tool that follows it
 * would pack a file of the host.
 */
export function refuseLeavingLinks(folder: string): void {
  const root = realpathSync(folder);
  const waiting = [root];
  for (let here = waiting.pop(); here !== undefined; here = waiting.pop()) {
    for (const entry of readdirSync(here, { withFileTypes: true, encoding: "buffer" })) {
      const place = path.join(here, utf8Name(entry.name, path.relative(root, here)));
      if (entry.isDirectory()) waiting.push(place);
      if (!entry.isSymbolicLink() || isWithin(root, targetOf(place))) continue;
      const name = JSON.stringify(path.relative(root, place).slice(0, 200));
      throw new PackFault("unsafe", `${name} is a link that leads out of the source: remove it`);
    }
  }
}

/** Of a link that leads nowhere, where it would. */
function targetOf(link: string): string {
  try {
    return realpathSync(link);
  } catch {
    return path.resolve(path.dirname(link), readlinkSync(link));
  }
}
