import { spawn } from "node:child_process";
import { once } from "node:events";
import { onTestFinished } from "vitest";

type Typed = {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** What a person answers, one question after the other. */
  readonly answers: readonly string[];
};

const question = /\? Only yes is a yes: $/;

/** Types a line into a shell in a terminal of its own; answers with its exit code, and what then stands on the screen. */
export async function typeInTerminal(
  line: string,
  { folder, env, answers }: Typed,
): Promise<{ code: number | null; lines: string[] }> {
  const child = spawn("script", ["-qfec", `stty cols 200 rows 50; ${line}`, "/dev/null"], {
    cwd: folder,
    env: { ...env, SHELL: "/bin/bash", TERM: "xterm", NO_COLOR: "1" },
    stdio: "pipe",
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const rest = [...answers];
  let written = "";
  if (rest.length === 0) child.stdin.end();
  child.stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
    if (!question.test(written)) return;
    const answer = rest.shift();
    if (answer !== undefined) child.stdin.write(`${answer}\n`);
    if (rest.length === 0) child.stdin.end();
  });
  const [code] = (await once(child, "close")) as [number | null];
  return { code, lines: linesOnScreen(written) };
}

/** What stands on a screen, of any height, when all of this was written to it. */
function linesOnScreen(written: string): string[] {
  const lines = [""];
  let [row, column] = [0, 0];
  for (const [piece, count, verb] of written.matchAll(
    // oxlint-disable-next-line eslint/no-control-regex -- what steers a terminal
    /\u001B\[(\d*)([A-Za-z])|[\r\n]|[^\r\n\u001B]+/g,
  )) {
    const line = lines[row] ?? "";
    if (piece === "\r") column = 0;
    else if (piece === "\n") row += 1;
    else if (verb === "A") row = Math.max(0, row - Number(count));
    else if (verb === "K" || verb === "J") {
      lines[row] = line.slice(0, column);
      if (verb === "J") lines.length = row + 1;
    } else if (verb === undefined) {
      lines[row] = line.slice(0, column) + piece + line.slice(column + piece.length);
      column += piece.length;
    } else if (verb !== "m") throw new Error(`This screen does not know ${JSON.stringify(piece)}.`);
    lines[row] ??= "";
  }
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
