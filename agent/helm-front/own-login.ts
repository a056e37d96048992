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

/** The user's credentials for the cluster, renewed when they expire. Throws FrontRefusal. */
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
      // Concurrent requests share one run of the plugin.
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

/** Its error output may hold a secret, so only the failure itself is reported. */
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
