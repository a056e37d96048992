import { createInterface } from "node:readline";

/** Asks on standard error and reads one line of standard input; only `yes` is a yes. */
export async function ask(question: string): Promise<boolean> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin });
  try {
    for await (const line of lines) return line.trim() === "yes";
    process.stderr.write("\n");
    return false;
  } finally {
    lines.close();
    process.stdin.unref();
  }
}
