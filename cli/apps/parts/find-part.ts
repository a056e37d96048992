import { UsageError } from "../../../shared/command-line/usage-error.ts";
import type { Page } from "../../output/print.ts";

/** What of an app a name or an id means: a component, a runbook, an action. */
export async function findPart<Part>(
  { kind, prefix, app, given }: Wanted,
  { read, byName }: Readers<Part>,
): Promise<{ readonly text: string; readonly body: Part }> {
  if (given.startsWith(`${prefix}_`)) return await read(given);
  const [body] = (await byName(given)).body.items;
  if (body === undefined)
    throw new UsageError(
      `${app} has no ${kind} ${given}.`,
      `List them: svc app ${kind} list ${app}`,
    );
  return { text: JSON.stringify(body), body };
}

type Wanted = {
  readonly kind: "action" | "component" | "runbook";
  /** What its ids begin with. */
  readonly prefix: string;
  /** The app's name. */
  readonly app: string;
  readonly given: string;
};

type Readers<Part> = {
  readonly read: (id: string) => Promise<{ readonly text: string; readonly body: Part }>;
  readonly byName: (name: string) => Promise<Page<Part>>;
};
