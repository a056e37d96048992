import type { ExecPlugin, KubeUser } from "./read-kubeconfig.ts";

/** What a request shows of who asks; certificates are shown once, when a connection is made. */
export type KubeLogin = {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly basic?: string;
  /** It is to be asked for anew after that. */
  readonly untilMs: number;
};

export type LoginMeans = {
  /** Runs a plugin as the job's user. */
  readonly askPlugin: (plugin: ExecPlugin) => Promise<KubeLogin>;
  readonly readFile: (file: string) => Promise<string>;
};

/** A token in a file is exchanged by whoever wrote it there. */
const fileTokenMs = 60_000;

/** Says who the user of a kubeconfig is. Throws JobFailure. */
export async function kubeLogin(user: KubeUser, means: LoginMeans): Promise<KubeLogin> {
  const { readFile } = means;
  if (user.exec != null) return await means.askPlugin(user.exec);
  const cert = await inlineOr(
    user["client-certificate-data"],
    user["client-certificate"],
    readFile,
  );
  const key = await inlineOr(user["client-key-data"], user["client-key"], readFile);
  const certificate = { ...(cert && { cert }), ...(key && { key }) };
  if (user.token) return { ...certificate, token: user.token, untilMs: Infinity };
  if (user.tokenFile) {
    const token = (await readFile(user.tokenFile)).trim();
    return { ...certificate, token, untilMs: Date.now() + fileTokenMs };
  }
  if (user.username) {
    const basic = Buffer.from(`${user.username}:${user.password ?? ""}`).toString("base64");
    return { ...certificate, basic, untilMs: Infinity };
  }
  return { ...certificate, untilMs: Infinity };
}

/** What stands in the kubeconfig itself, in base64, or in a file that it names. */
export async function inlineOr(
  data: string | null | undefined,
  file: string | null | undefined,
  readFile: (file: string) => Promise<string>,
): Promise<string | undefined> {
  if (data) return Buffer.from(data, "base64").toString("utf8");
  return file ? await readFile(file) : undefined;
}
