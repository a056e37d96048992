import { readFile } from "node:fs/promises";
import { z } from "zod";
import { firstFault } from "../../shared/issue-words.ts";
import { ExitError } from "../exit-error.ts";
import { readYaml, YamlFault } from "../kubernetes/read-yaml.ts";

const map = z.record(z.string(), z.string());
const named = z.looseObject({ name: z.string() });
const container = z.looseObject({
  name: z.string(),
  env: z.array(named).optional(),
  volumeMounts: z.array(named).optional(),
  securityContext: z.looseObject({}).optional(),
});

const schema = z.strictObject({
  apiVersion: z.literal("v1").optional(),
  kind: z.literal("PodTemplate").optional(),
  metadata: z.strictObject({ labels: map.optional(), annotations: map.optional() }).optional(),
  spec: z
    .looseObject({
      containers: z.array(container).optional(),
      volumes: z.array(named).optional(),
      securityContext: z.looseObject({}).optional(),
    })
    .optional(),
});

/** What the agent's operator sets for the pods of its jobs. */
export type PodTemplate = z.infer<typeof schema>;

/**
 * Reads the file of executor-pod; without a file the template is empty. Throws an ExitError that names the invalid
 * member.
 */
export async function readPodTemplate(file: string | undefined): Promise<PodTemplate> {
  if (file === undefined) return {};
  const unfit = (words: string): ExitError =>
    new ExitError("config", `executor-pod: ${file}: ${words}.`);
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw unfit(`it cannot be read (${(error as NodeJS.ErrnoException).code})`);
  });
  const [document, other] = await readYaml(text).catch((error: unknown) => {
    if (error instanceof YamlFault) throw unfit(error.message);
    throw error;
  });
  if (other !== undefined) throw unfit("it contains more than one document");
  const { data, error } = schema.safeParse(document?.value ?? {});
  if (data !== undefined) return data;
  throw unfit(firstFault(error, { whole: "the document" }));
}
