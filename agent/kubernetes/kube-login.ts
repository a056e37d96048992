import type { ExecPlugin, KubeUser } from "./read-kubeconfig.ts";

/** The credentials of a request. Certificates are used once, when a connection is made. */
export type KubeLogin = {
  readonly token?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly basic?: string;
  /** The time after which it must be refreshed. */
  readonly untilMs: number;
};

export type LoginMeans = {
  /** Runs a plugin as the job's user. */
  readonly askPlugin: (plugin: ExecPlugin) => Promise<KubeLogin>;
  readonly readFile: (file: string) => Promise<string>;
};

/** A token file is updated by whoever wrote it, so it is read again. */
const fileTokenMs = 60_000;

/** Makes the login of a kubeconfig's user. */
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

/** A value that is in the kubeconfig itself, as base64, or in a file. */
export async function inlineOr(
  data: string | null | undefined,
  file: string | null | undefined,
  readFile: (file: string) => Promise<string>,
): Promise<string | undefined> {
  if (data) return Buffer.from(data, "base64").toString("utf8");
  return file ? await readFile(file) : undefined;
}
