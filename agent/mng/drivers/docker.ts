import { readFile } from "node:fs/promises";
import { z } from "zod";
import type { AgentConfig } from "../../config/read-config.ts";
import { type Driver, type Nudge, Refusal } from "../driver.ts";
import { imageFault, namedImage, wantedImage } from "../images.ts";
import { CommandFault, runCommand } from "../run-command.ts";
import { wordsOf } from "../steps/step.ts";
import { verifyImage } from "../verify-image.ts";

const withinMs = 60_000;
const pullWithinMs = 20 * 60_000;

const containerSchema = z.object({
  Id: z.string(),
  State: z.object({ Running: z.boolean(), ExitCode: z.number(), StartedAt: z.string() }),
  Config: z.object({
    Image: z.string(),
    Labels: z.record(z.string(), z.string()).nullish(),
  }),
});
type Container = z.infer<typeof containerSchema>;

const signals: Readonly<Record<Nudge, string>> = {
  finish: "SIGUSR2",
  stop: "SIGTERM",
  kill: "SIGKILL",
};

/** The label of the image that a host had before the first switch: what the empty release means. */
const originalLabel = "svc-agent.original-image";

/**
 * The agent as a docker container, by docker's own command. A container is made anew for another image; what must
 * survive it is in the volumes that the owner's arguments name.
 */
export function dockerDriver(config: AgentConfig): Driver {
  const { mngContainer: name } = config;
  const docker = makeDocker(config);
  const inspect = async (): Promise<Container | undefined> => await inspectContainer(docker, name);
  return {
    name: "docker",
    wanted: wantedImage,
    named: namedImage,
    versionOf: () => undefined,
    async prepare(image, { settings, signal, say }) {
      const fault = imageFault(image, config.mngImages ?? []);
      if (fault !== undefined) throw new Refusal(fault);
      say(`Pulling ${image}.`);
      await pull(docker, image, signal);
      const digests = await docker([
        "image",
        "inspect",
        "--format",
        "{{json .RepoDigests}}",
        image,
      ]);
      return await verifyImage(image, digests, { config, settings, signal });
    },
    async look() {
      const found = await inspect();
      if (found === undefined) return { isRunning: false };
      const { Running: isRunning, ExitCode: exitCode, StartedAt: at } = found.State;
      const hasRun = !at.startsWith("0001");
      if (!isRunning) return { isRunning, ...(hasRun && { exitCode }) };
      return { isRunning, key: `${found.Id} ${at}`, release: found.Config.Image };
    },
    start: async (release) => await start(docker, config, release),
    async nudge(how) {
      await docker(["kill", "--signal", signals[how], name]).catch(() => undefined); // it has ended meanwhile
    },
    async processId() {
      // An archive of one file: it needs no program in the image, and no port of the agent.
      const file = `${name}:${config.mngAgentDataDir}/process.json`;
      const archive = await docker(["cp", file, "-"]).catch(() => ""); // it has not registered yet
      const text = archive.slice(archive.indexOf("{")).split("\0")[0];
      return registeredSchema.safeParse(text).data?.id;
    },
  };
}

type Docker = (
  args: readonly string[],
  how?: { readonly timeout?: number; readonly signal?: AbortSignal },
) => Promise<string>;

function makeDocker({ env }: AgentConfig): Docker {
  return async (args, { timeout = withinMs, signal } = {}) =>
    await runCommand("docker", args, { env, timeout, signal });
}

/** What a command complained of before it failed. */
const complaintOf = (error: unknown): string => (error instanceof CommandFault ? error.stderr : "");

async function inspectContainer(docker: Docker, name: string): Promise<Container | undefined> {
  const text = await docker(["container", "inspect", name]).catch((error: unknown) => {
    if (/no such container/i.test(complaintOf(error))) return "[]";
    throw error;
  });
  return z.array(containerSchema).parse(JSON.parse(text))[0];
}

async function pull(docker: Docker, image: string, signal: AbortSignal): Promise<void> {
  const isHere = await docker(["image", "inspect", image]).then(
    () => true,
    () => false,
  );
  if (isHere) return;
  const how = { timeout: pullWithinMs, signal };
  await docker(["pull", "--quiet", image], how).catch((error: unknown) => {
    // No verdict on the image: a registry that does not answer today may do so tomorrow.
    throw new Error(`${image} could not be pulled: ${wordsOf(error)}`, { cause: error });
  });
}

async function start(docker: Docker, config: AgentConfig, release: string): Promise<void> {
  const { mngContainer: name } = config;
  const formerName = `${name}.former`;
  const found = await inspectContainer(docker, name);
  // Killed while it made the container anew, this process finds the former one under that name.
  const known = found ?? (await inspectContainer(docker, formerName));
  const { Labels: labels, Image: present } = known?.Config ?? {};
  const original = labels?.[originalLabel] ?? present ?? config.mngImage;
  const image = release || original;
  if (image === undefined) {
    throw new Refusal("No image is known: set mng-image, or the image in the runner's settings.");
  }
  const removeFormer = async (): Promise<unknown> =>
    await docker(["rm", "--force", formerName]).catch(() => undefined); // there is none
  const isMade = found === undefined || present !== image;
  // First: without the owner's arguments nothing may change.
  const given = isMade ? await ownersArguments(config.mngContainerArgs) : [];
  if (found !== undefined) await removeFormer();
  if (isMade) {
    if (found !== undefined) await docker(["rename", name, formerName]);
    await create(docker, config, { image, original: original ?? image, given });
    await removeFormer();
  }
  await docker(["start", name]);
}

type Making = {
  readonly image: string;
  readonly original: string;
  readonly given: readonly string[];
};

async function create(
  docker: Docker,
  { mngContainer: name, mngAgentConfig }: AgentConfig,
  { image, original, given }: Making,
): Promise<void> {
  const own = ["--name", name, "--restart", "no", "--label", `${originalLabel}=${original}`];
  const start = ["start", "--config", mngAgentConfig];
  await docker(["create", ...own, ...given, image, ...start]);
}

const registeredSchema = z
  .string()
  .transform((text): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  })
  .pipe(z.looseObject({ id: z.string() }));

/** Arguments of docker create, one a line; lines that begin with # say nothing. */
async function ownersArguments(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  const lines = (await readFile(file, "utf8")).split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "" && !line.startsWith("#"));
}
