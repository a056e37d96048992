import { JobFailure } from "../../../agent/jobs/job-failure.ts";
import { readPlanState, renderTexts } from "../../../agent/templates/render-texts.ts";

const member = {
  state: { inputs: { inputs: { level: 3, password: "hunter-2-hunter" } } },
  state_sensitive: { inputs: { inputs: { password: true } } },
};
type Given = { readonly file?: string; readonly given?: unknown; readonly plan?: object };

/** A text that is rendered as a file, and what is kept out of logs for it. */
export async function rendered(
  text: string,
  { file = "map.yaml", given = member, plan = {} }: Given = {},
) {
  const secrets: string[] = [];
  const job = { addSecret: (secret: string) => void secrets.push(secret) };
  const [made] = await renderTexts(job, [{ name: file, text }], readPlanState(given, plan));
  return { text: made?.text, secrets };
}

/** A member of a plan with a state with these inputs. */
export const inputs = (values: object) => ({ state: { inputs: { inputs: values } } });
/** An action that reads one. */
export const read = (name: string): string => `{{ .svc.inputs.inputs.${name} }}`;

/** Why it fails. */
export async function failureOf(act: Promise<unknown>): Promise<JobFailure> {
  try {
    await act;
  } catch (error) {
    if (error instanceof JobFailure) return error;
    throw error;
  }
  throw new Error("nothing failed");
}
