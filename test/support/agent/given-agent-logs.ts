import { makeRedactor } from "../../../agent/logs/redactor.ts";
import { type LogsAsked, openTestLogs, startLogReceiver } from "../logs/log-receiver.ts";
import { testFolder } from "../run/folder.ts";
import { outputOf } from "./child-output.ts";

/** An agent's logs on disk, and who takes them. */
export async function givenAgentLogs(asked: Partial<LogsAsked> = {}) {
  const receiver = await startLogReceiver();
  const dir = await testFolder(0o700);
  const open = async () => await openTestLogs({ url: receiver.url, dir, ...asked });
  const logs = await open();
  const openJobLog = async (name: string, from = logs) =>
    await from.openJobLog(
      { executionId: `exe_${name}`, streamId: `lgs_${name}`, attributes: {} },
      makeRedactor([]),
    );
  const bodies = (name: string): string[] => receiver.stored(`lgs_${name}`).map(({ body }) => body);
  return { receiver, dir, logs, open, openJobLog, bodies };
}

/** Lines that show where one is missing. */
export const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `line ${at}`);
export const source = { step: "a", run: "1" };
/** The lines as a child has printed them, cut anywhere. */
export const asOutput = (lines: readonly string[], piece = 20_000) => {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
  const count = Math.ceil(bytes.length / piece);
  return outputOf(
    Array.from({ length: count }, (_, at) => bytes.subarray(at * piece, (at + 1) * piece)),
  );
};
