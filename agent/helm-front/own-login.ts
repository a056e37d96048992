import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { execCredential, pluginEnv, pluginTimeoutMs } from "../kubernetes/exec-credential.ts";
import { type KubeLogin, kubeLogin } from "../kubernetes/kube-login.ts";
import type { ExecPlugin, KubeUser } from "../kubernetes/read-kubeconfig.ts";
import { FrontRefusal } from "./status-answer.ts";

type Env = Readonly<Record<string, string | undefined>>;
const run = promisify(execFile);

/** Says to the cluster who a user is, asked again when that has ended. Throws FrontRefusal. */
export function openLogin(user: KubeUser, env: Env) {
  let known: KubeLogin | undefined;
  let asking: Promise<KubeLogin> | undefined;
  const ask = async (): Promise<KubeLogin> => {
    known = await kubeLogin(user, {
      readFile: async (file) => await readFile(file, "utf8"),
      askPlugin: async (plugin) => await askPlugin(plugin, env),
    });
    return known;
  };
  return {
    login: async (): Promise<KubeLogin> => {
      if (known !== undefined && known.untilMs > Date.now()) return known;
      // Many ask at once, and one plugin answers for all.
      return await (asking ??= ask()
        .catch(asRefusal)
        .finally(() => (asking = undefined)));
    },
    forget: () => void (known = undefined),
  };
}

function asRefusal(error: unknown): never {
  const words = error instanceof Error ? error.message : "";
  throw new FrontRefusal(401, `Unauthorized: ${words}`);
}

/** What it complains of may hold a secret: it is told only that it failed. */
async function askPlugin(plugin: ExecPlugin, env: Env): Promise<KubeLogin> {
  const { command, args } = plugin;
  const printed = await run(command, args ?? [], {
    env: { ...env, ...pluginEnv(plugin) },
    timeout: pluginTimeoutMs,
    maxBuffer: 2 ** 18,
  }).catch(({ code }: { readonly code?: unknown }) => {
    const how = typeof code === "number" ? `exited with code ${code}` : "could not be run";
    throw new Error(`the kubeconfig's plugin ${path.basename(command)} ${how}`);
  });
  return execCredential(printed.stdout);
}
