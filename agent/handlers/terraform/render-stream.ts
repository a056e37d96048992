import { z } from "zod";
import type { ResourceStep } from "../../jobs/open-progress.ts";
import type { MakeRenderer, RenderedLine } from "../../logs/line-renderer.ts";
import { type Diagnostic, keepDiagnostic, keepWords, openSaid, type Said } from "./said.ts";

const text = z.string().catch("");
const count = z.number().catch(0);
const place = z.object({ line: z.number(), column: z.number() });
const diagnosticSchema = z.object({
  severity: z.string().catch("error"),
  summary: text,
  detail: text,
  address: z.string().optional().catch(undefined),
  range: z.object({ filename: z.string(), start: place }).optional().catch(undefined),
  snippet: z
    .object({ context: z.string().nullish(), code: text, start_line: count })
    .optional()
    .catch(undefined),
});
const record = z.object({
  type: z.string(),
  "@message": text,
  "@level": text,
  hook: z
    .object({ resource: z.object({ addr: z.string() }), action: text })
    .optional()
    .catch(undefined),
  changes: z
    .object({ add: count, change: count, remove: count, import: count })
    .optional()
    .catch(undefined),
  outputs: z.record(z.string(), z.unknown()).optional().catch(undefined),
  diagnostic: diagnosticSchema.optional().catch(undefined),
});
type StreamRecord = z.infer<typeof record>;
type StreamDiagnostic = z.infer<typeof diagnosticSchema>;

/**
 * Renders the records of `terraform plan -json` and `apply -json` as terraform would for people, and keeps what
 * decides the job's end. `onStep` is called for each resource, at most once in each process of the agent.
 */
export function renderStream(onStep: (step: ResourceStep) => void): MakeRenderer {
  return (kept) => {
    const said = openSaid(kept);
    return {
      line: (line) => render(said, line, onStep),
      tooLong: () => [{ text: "(a record of terraform that was too long was omitted)" }],
      kept: () => JSON.stringify(said),
    };
  };
}

function render(
  said: Said,
  line: string,
  onStep: (step: ResourceStep) => void,
): readonly RenderedLine[] {
  const read = readRecord(line);
  if (read === undefined) {
    keepWords(said, line);
    return [{ text: line }];
  }
  countStep(said, read, onStep);
  if (read.changes !== undefined) said.counts = read.changes;
  if (read.type === "diagnostic" && read.diagnostic !== undefined) {
    return complain(said, read.diagnostic);
  }
  const message = read["@message"];
  if (hidden.has(read.type) || message === "") return [];
  if (read.type === "outputs") return namesOf(read.outputs ?? {});
  return [{ text: message, severity: severityOf(read["@level"]) }];
}

/** Records that terraform itself does not show to people. */
const hidden = new Set(["version", "refresh_complete", "provision_start", "provision_complete"]);

function readRecord(line: string): StreamRecord | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return record.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

const steps: Readonly<Record<string, ResourceStep["status"]>> = {
  apply_start: "in-progress",
  apply_complete: "finished",
  apply_errored: "error",
};

function countStep(said: Said, { type, hook }: StreamRecord, onStep: (step: ResourceStep) => void) {
  const status = steps[type];
  if (status === undefined || hook === undefined) return;
  const isRead = hook.action === "read";
  if (!isRead && status === "in-progress") said.begun += 1;
  if (!isRead && status === "finished") said.made += 1;
  if (!isRead && status === "error") said.failed += 1;
  onStep({ address: hook.resource.addr, action: hook.action, status });
}

/** Only the names: the values go to the result, where it is known which of them are secret. */
function namesOf(outputs: Readonly<Record<string, unknown>>): readonly RenderedLine[] {
  const names = Object.keys(outputs);
  return names.length === 0 ? [] : [{ text: `Outputs: ${names.join(", ")}` }];
}

function complain(said: Said, given: StreamDiagnostic): readonly RenderedLine[] {
  const { summary, detail, address, range, snippet } = given;
  const severity = given.severity === "warning" ? "warning" : "error";
  const diagnostic: Diagnostic = {
    severity,
    summary,
    detail,
    ...(address !== undefined && { address }),
    ...(range !== undefined && { file: range.filename, ...range.start }),
  };
  keepDiagnostic(said, diagnostic);
  const lines = [`${severity === "error" ? "Error" : "Warning"}: ${summary}`];
  if (address !== undefined) lines.push(`  with ${address}`);
  if (range !== undefined) {
    const where = snippet?.context ? `, in ${snippet.context}` : "";
    lines.push(`  on ${range.filename} line ${range.start.line}${where}`);
  }
  if (snippet !== undefined && snippet.code !== "") {
    const code = snippet.code.split("\n");
    lines.push(...code.map((one, at) => `  ${snippet.start_line + at}: ${one}`));
  }
  if (detail !== "")
    lines.push(
      ...detail
        .trimEnd()
        .split("\n")
        .map((one) => `  ${one}`),
    );
  return [{ text: lines.join("\n"), severity: severity === "error" ? "error" : "warn" }];
}

function severityOf(level: string): "info" | "warn" | "error" {
  return level === "error" || level === "warn" ? level : "info";
}
