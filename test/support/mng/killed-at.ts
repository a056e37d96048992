/** A moment in which a management process is killed. */
export type KillPoint =
  /** The step is in the journal, and nothing of it was done; the nth time that it is written. */
  | { readonly at: "written"; readonly step: string; readonly nth?: number }
  /** In this step the agent was started, or a signal was sent to it; the journal does not know yet. */
  | { readonly at: "started" | "signalled"; readonly step: string }
  /** The operation is about to end in this step, or has ended in it and nobody was told. */
  | { readonly at: "ending" | "ended"; readonly step: string }
  /** The nth writing of this file is about to be, or was, completed. */
  | {
      readonly at: "before-file" | "after-file";
      readonly file: string;
      readonly nth: number;
    }
  /** A command with this word was begun. */
  | { readonly at: "commanded"; readonly word: string };

/**
 * Arguments of Node that kill the program at this point as nothing can be handled. What it does to the world goes through
 * a rename, a spawn or a signal: the kill comes right before or right after one of these, never at some time.
 */
export function killedAt(point: KillPoint): readonly string[] {
  const source = `
    import { readFileSync } from "node:fs";
    import files from "node:fs/promises";
    import { ChildProcess } from "node:child_process";
    import { syncBuiltinESMExports } from "node:module";
    const point = ${JSON.stringify(point)};
    const die = () => process.kill(process.pid, "SIGKILL");
    const kill = process.kill.bind(process);
    process.kill = (pid, signal) => {
      const sent = kill(pid, signal);
      const isToOther = pid !== process.pid && signal !== 0 && signal !== undefined;
      if (isToOther && point.at === "signalled" && step === point.step) die();
      return sent;
    };
    let step = "";
    let nth = 0;
    const rename = files.rename;
    files.rename = async (from, to) => {
      const isFile = point.file !== undefined && to === point.file;
      if (isFile) nth += 1;
      if (isFile && point.at === "before-file" && nth === point.nth) die();
      const isJournal = to.endsWith("/management.json");
      const next = isJournal ? JSON.parse(readFileSync(from, "utf8")).operation?.step ?? "" : step;
      const isOver = isJournal && next === "" && step === point.step;
      if (isOver && point.at === "ending") die();
      await rename(from, to);
      if (isFile && point.at === "after-file" && nth === point.nth) die();
      if (isOver && point.at === "ended") die();
      if (isJournal && point.at === "written" && next === point.step && ++nth === (point.nth ?? 1)) die();
      step = next;
    };
    const isMeant = (args) =>
      point.at === "commanded"
        ? args.join(" ").includes(point.word)
        : point.at === "started" && step === point.step && args.includes("start");
    const { spawn } = ChildProcess.prototype;
    ChildProcess.prototype.spawn = function (options) {
      const failed = spawn.call(this, options);
      if (isMeant(options.args)) die();
      return failed;
    };
    syncBuiltinESMExports();`;
  return ["--import", `data:text/javascript,${encodeURIComponent(source)}`];
}
