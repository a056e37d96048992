import { describe, expect, test } from "vitest";
import { type EndFacts, explainEnd, shellCode } from "./explain-end.ts";

const plain: EndFacts = {
  code: 0,
  hasSaidSignal: false,
  sent: [],
  graceMs: 10_000,
  oomKills: 0,
  bounds: { memory: false, pids: false },
  freeBytes: 1e9,
  hasGap: false,
};
const asked = { signal: "SIGTERM", atMs: 5_000 };
const killed = (afterMs: number) => ({ signal: "SIGKILL", atMs: asked.atMs + afterMs });
const memory = { memory: true, pids: false };
const pids = { memory: false, pids: true };
const gibibyte = 2 ** 30;

describe("the end of a child", () => {
  test.each<[Partial<EndFacts>, string, RegExp]>([
    [{}, "exited", /^exited with code 0$/],
    [{ code: 1 }, "exited", /^exited with code 1$/],
    [{ code: 126 }, "exited", /is not executable/],
    [{ code: 127 }, "exited", /not found/],
    [{ code: 139, hasSaidSignal: true }, "exited", /^was ended by SIGSEGV$/],
    [{ code: 143 }, "exited", /^exited with code 143, as after SIGTERM$/],
    [{ code: 141 }, "exited", /^was ended by SIGPIPE: it wrote to a closed pipe/],
    [{ code: 137, hasSaidSignal: true }, "exited", /SIGKILL, which the agent did not send/],
    [{ code: 137, hasSaidSignal: true, oomKills: 1 }, "out-of-memory", /because memory ran out/],
    [{ code: 137, oomKills: 1 }, "out-of-memory", /^exited with code 137: .*memory ran out/],
    [{ code: 1, oomKills: 2 }, "exited", /meanwhile the kernel killed processes/],
    [{ code: 0, oomKills: 2 }, "exited", /^exited with code 0$/],
    [
      { code: 137, oomKills: 1, bounds: memory },
      "out-of-memory",
      /the job reached job-memory-max$/,
    ],
    [{ code: 1, oomKills: 1, bounds: memory }, "exited", /of this job .* reached job-memory-max$/],
    [{ code: 1, bounds: pids }, "exited", /the job reached job-pids-max/],
    [{ code: 0, bounds: pids }, "exited", /^exited with code 0$/],
    [{ code: 1, freeBytes: 4_096 }, "disk-full", /^exited with code 1: the disk .* is full$/],
    [{ hasGap: true }, "exited", /^exited with code 0; part of its output was lost/],
    [{ code: 0, freeBytes: 0 }, "exited", /^exited with code 0$/],
    [{ code: 1, freeBytes: gibibyte }, "exited", /^exited with code 1$/],
    [{ code: 143, hasSaidSignal: true, sent: [asked] }, "killed", /^was stopped by SIGTERM$/],
    [
      { code: 0, sent: [{ signal: "SIGINT", atMs: 1 }] },
      "killed",
      /^was stopped by SIGINT and exited with code 0$/,
    ],
    [{ code: 137, hasSaidSignal: true, sent: [killed(0)] }, "killed", /^was killed by SIGKILL$/],
    [
      { code: 137, hasSaidSignal: true, sent: [asked, killed(10_012)], oomKills: 1, freeBytes: 0 },
      "killed",
      /^did not end within 10 s of SIGTERM and was killed$/,
    ],
    [{ code: 137, sent: [asked, killed(512)] }, "killed", /^was killed 0.5 s after SIGTERM$/],
    [{ code: 137, sent: [killed(0), asked] }, "killed", /^was killed by SIGKILL$/],
  ])("after %j is told as %s", (facts, why, words) => {
    const end = explainEnd({ ...plain, ...facts });
    expect(end.why).toBe(why);
    expect(end.words).toMatch(words);
  });

  test("has a code or a signal, never both", () => {
    const ends = Array.from({ length: 512 }, (_, at) =>
      explainEnd({ ...plain, code: at % 256, hasSaidSignal: at > 255 }),
    );
    const isOne = ends.map(({ code, signal }) => (code === null) !== (signal === null));
    expect(isOne).toEqual(ends.map(() => true));
    // Nothing of the shell's number is lost in that.
    expect(ends.map(shellCode)).toEqual(ends.map((_, at) => at % 256));
  });
});
