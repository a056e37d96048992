import { createInterface } from "node:readline";

/** Asks on standard error and reads one line of standard input; only `yes` is a yes. */
export async function ask(question: string): Promise<boolean> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line.trim() === "yes";
    process.stderr.write("\nNobody answered.\n");
    return false;
  } finally {
    lines.close();
    if ("unref" in process.stdin) process.stdin.unref(); // a file has nothing to let go of
  }
}
