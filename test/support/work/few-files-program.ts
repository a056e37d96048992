import { closeSync, openSync } from "node:fs";
import { ChildEnded, startChild } from "../../../broker/work-pool/child-process.ts";

/*
 * Asks a child that cannot be started, as this process may open no more files, and then one that can; prints what came
 * of each as a line of JSON.
 */

const program = { file: new URL("./hungry-program.ts", import.meta.url) };
const awake = setInterval(() => {}, 1000); // a child that is waited for keeps nobody awake
const open = fillFiles();
const first = await ask();
for (const file of open) closeSync(file);
const second = await ask();
clearInterval(awake);
process.stdout.write(`${JSON.stringify([first, second])}\n`);

async function ask(): Promise<object> {
  const child = startChild(program, { heapMb: 96, nice: 0 });
  try {
    const { head } = await child.ask({ head: { kind: "echo", asked: "x" }, parts: [] });
    return { told: (head as { told: { asked: string } }).told.asked };
  } catch (error) {
    if (!(error instanceof ChildEnded)) throw error;
    await child.gone;
    return { reason: error.reason, message: error.message, hasEnded: child.hasEnded() };
  } finally {
    child.kill();
  }
}

/** Opens as many as the process may have. */
function fillFiles(): number[] {
  const files: number[] = [];
  try {
    while (files.length < 10_000) files.push(openSync("/dev/null", "r"));
  } catch {
    // no more
  }
  return files;
}
