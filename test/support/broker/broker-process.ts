import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { compileCache, svcProgram } from "../programs/present-programs.ts";
import { loopbackEgress } from "./loopback-egress.ts";
import { testSealKeys } from "./seal-keys.ts";

/** A broker as a process of its own, which can be killed. */
export type BrokerProcess = {
  readonly url: string;
  /** Ends it without a chance to do anything. */
  readonly kill: () => Promise<void>;
  /** Asks it to go, as a supervisor does; answers its exit code. */
  readonly terminate: () => Promise<number | null>;
};

type BrokerProgram = {
  /** The present broker unless told. */
  readonly main?: string;
  /** A program that is its own Node, instead. */
  readonly executable?: string;
  readonly args?: readonly string[];
  readonly port?: string;
  /** Settings besides. */
  readonly settings?: Readonly<Record<string, string>>;
};

/** Starts a broker over a database and waits until it serves. The caller kills it in the end. */
export async function startBrokerProcess(
  databaseUrl: string,
  {
    main,
    executable,
    args = main === undefined && executable === undefined ? ["broker"] : [],
    port = "0",
    settings = {},
  }: BrokerProgram = {},
): Promise<BrokerProcess> {
  const begun = executable === undefined ? [main ?? svcProgram, ...args] : args;
  const child = spawn(executable ?? process.execPath, begun, {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compileCache,
      DATABASE_URL: databaseUrl,
      SVC_PORT: port,
      SVC_DRAIN_LINGER_MS: "0",
      SVC_SEAL_KEYS: testSealKeys,
      ...loopbackEgress,
      SVC_WORK_NICE: "0", // beside other tests it would have no turn
      SVC_RATE_TOKEN_PER_S: "0",
      SVC_RATE_ORG_PER_S: "0",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exited = once(child, "exit");
  let complaint = "";
  child.stderr.on("data", (bytes: Buffer) => (complaint += bytes.toString()));
  const url = await Promise.race([
    urlOf(child),
    exited.then(() => Promise.reject(new Error(`the broker did not start: ${complaint}`))),
  ]);
  return {
    url,
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
    terminate: async () => {
      child.kill("SIGTERM");
      await exited;
      return child.exitCode;
    },
  };
}

/** What a broker logs when it serves; releases before 0.2 say it in other words. */
const isReady = /^(?:broker is ready|the broker serves)$/;

/** Its log says where it serves; the rest of the log is read and forgotten. */
async function urlOf({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error("the broker has no standard output");
  const { promise, resolve } = Promise.withResolvers<string>();
  createInterface(stdout).on("line", (line) => {
    const { msg, url } = JSON.parse(line) as { msg?: string; url?: string };
    if (isReady.test(msg ?? "") && url !== undefined) resolve(url);
  });
  return promise;
}
