import { existsSync } from "node:fs";
import path from "node:path";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import type { CommandEnd } from "../../jobs/stored-execution.ts";
import { endFailure, registryFailure } from "../../registry/registry-failure.ts";
import { RegistryFault } from "../../registry/registry-fault.ts";
import { signIn } from "../../registry/sign-in.ts";
import { type ImageOrder, type ImagePlace, type ImageTold, imageTold } from "./image-order.ts";
import type { WantedImage, WantedPlace } from "./wanted-image.ts";

const mostToldBytes = 16 * 2 ** 20;

/** Has a child of this program do what a plan wants of registries, as the job's user. Throws JobFailure. */
export async function doImageOrder(job: Job, wanted: WantedImage): Promise<JobResult> {
  const { secrets, owner } = job.directories;
  const orderFile = path.join(secrets, "image.json");
  const told = path.join(secrets, "image.told");
  if (!existsSync(orderFile)) {
    const order = await orderOf(job, wanted, told);
    await writeJobFileOnce(orderFile, JSON.stringify(order), owner);
  }
  let end = await run(job, "image", orderFile);
  // Copies go on where they were: a host that was rebooted has lost nothing but time.
  if (end.why === "lost" && existsSync(orderFile)) end = await run(job, "image/again", orderFile);
  const said = await toldBy(job, end, told);
  if (said === undefined) throw endFailure(job, wanted.failed, end);
  if ("class" in said) throw registryFailure(job, wanted.failed, said);
  return { outputs: said.outputs, description: said.words };
}

async function run(job: Job, key: string, orderFile: string): Promise<CommandEnd> {
  return await job.run({
    key,
    step: "registry",
    argv: ["svc-agent", "image", orderFile],
    cwd: job.directories.workspace,
    env: {
      PATH: job.agent.config.env["PATH"] ?? "",
      ...job.agent.networkEnv,
      NODE_USE_ENV_PROXY: "1",
    },
  });
}

async function orderOf(job: Job, wanted: WantedImage, told: string): Promise<ImageOrder> {
  const { order, from, to, failed } = wanted;
  try {
    const places = { from: await placeOf(job, from), ...(to && { to: await placeOf(job, to) }) };
    return { does: order, ...places, told };
  } catch (error) {
    if (!(error instanceof RegistryFault)) throw error;
    throw registryFailure(job, failed, { class: error.class, words: error.message });
  }
}

async function placeOf(job: Job, { reference, identity }: WantedPlace): Promise<ImagePlace> {
  const { origin, repository, tag, digest } = reference;
  const login = await signIn(job, { identity, origin });
  return {
    origin,
    repository,
    ...(tag && { tag }),
    ...(digest && { digest }),
    login: { ...login },
  };
}

async function toldBy(job: Job, end: CommandEnd, file: string): Promise<ImageTold | undefined> {
  if (end.why !== "exited") return undefined;
  const text = await readJobText(file, job.directories.owner, mostToldBytes);
  return text === "" ? undefined : imageTold.parse(JSON.parse(text));
}
