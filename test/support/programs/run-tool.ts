import { execFile } from "node:child_process";
import { tool } from "../../tools/find-tool.ts";

type Given = {
  readonly cwd?: string;
  /** Besides PATH and HOME, which alone come from this process. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
};

/** Runs a program of test/tools and gives what it printed; fails with what it complained of. */
export async function runTool(
  program: string,
  args: readonly string[],
  { cwd, env, input = "" }: Given = {},
): Promise<string> {
  const { PATH = "", HOME = "/" } = process.env;
  const options = { cwd, env: { PATH, HOME, ...env }, maxBuffer: 64 * 1024 * 1024 };
  return await new Promise((resolve, reject) => {
    const child = execFile(tool(program), args, options, (error, out, err) => {
      if (error === null) resolve(out);
      else reject(new Error(`${program} ${args.join(" ")}: ${err || out || error.message}`));
    });
    child.stdin?.on("error", () => {}); // it may end without reading: its end says how
    child.stdin?.end(input);
  });
}
