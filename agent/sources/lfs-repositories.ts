import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { overHttps } from "./git-url.ts";

/** A repository as it is checked out. */
export type LfsRepository = {
  /** Without links. */
  readonly folder: string;
  /** By HTTPS, where ssh reaches it, and without credentials. */
  readonly url: string;
  /** A submodule's path; empty for the repository itself. */
  readonly name: string;
};

const run = promisify(execFile);
const mostListBytes = 16 * 2 ** 20;

/** A repository, and its submodules as they were checked out, each with its own URL. */
export async function listLfsRepositories(
  root: string,
  url: string,
): Promise<readonly LfsRepository[]> {
  const script = `printf '%s\\0%s\\0' "$(pwd -P)" "$(git config remote.origin.url)"`;
  const { stdout } = await run("git", ["submodule", "--quiet", "foreach", "--recursive", script], {
    cwd: root,
    maxBuffer: mostListBytes,
  });
  const words = stdout.split("\0");
  const parts: LfsRepository[] = [];
  for (let at = 0; at + 1 < words.length; at += 2) {
    const folder = words[at] ?? "";
    const name = path.relative(root, folder);
    if (name.startsWith("..")) continue; // git checks out no submodule behind a link
    parts.push({ folder, url: overHttps(withoutLogin(words[at + 1] ?? "")), name });
  }
  return [{ folder: root, url, name: "" }, ...parts];
}

/** What a `.gitmodules` gives to sign in with is for git. */
function withoutLogin(given: string): string {
  if (!/^https?:/i.test(given) || !URL.canParse(given)) return given;
  const { origin, pathname } = new URL(given);
  return `${origin}${pathname}`;
}
