import { z } from "@hono/zod-openapi";
import { runbook } from "../app-config/members/action-members.ts";
import { asText } from "./part-members.ts";
import { listIn, ofWhole, or, partRecord, type PartRecord, type Stored } from "./part-record.ts";

const { shape } = runbook;
const place = { schema: z.int(), read: ({ idx }: Stored) => idx };

const within = { runbook_config_id: z.string(), ...ofWhole };

const input = partRecord("RunbookInput", {
  within,
  file: shape.input.unwrap().element,
  made: {
    idx: place,
    type: or(z.string(), "type", "string"),
    default: {
      schema: z.string().describe("What is no text as JSON."),
      read: ({ default: value }) => (value === undefined ? value : asText(value)),
    },
    required: or(z.boolean(), "required", false),
    sensitive: or(z.boolean(), "sensitive", false),
  },
});

const step = partRecord("RunbookStepConfig", {
  within,
  file: shape.steps.element,
  made: {
    idx: place,
    timeout: { schema: z.int().describe("Nanoseconds."), read: ({ timeout }) => timeout },
    action_workflow_id: {
      schema: z.string().describe("Of the action that it runs, where the app has that still."),
      read: ({ action_id: id }) => id,
    },
  },
});

/**
 * What a config of an app says of a runbook. It is read from the config's part, which has `action_ids` besides: ids of the app's actions
 * by names.
 */
export const runbookConfigRecord: PartRecord = partRecord("RunbookConfig", {
  also: {
    id: z.string(),
    runbook_id: z.string(),
    app_id: z.string(),
    app_config_id: z.string(),
    app_config_version: z.int(),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    updated_at: z.iso.datetime().describe("As created_at: it never changes."),
  },
  made: {
    readme: { schema: z.string(), read: ({ readme }) => readme ?? "" },
    inputs: {
      schema: z.array(input.schema),
      read: (part, whole) =>
        listIn(part, "input").map((one, idx) => input.read({ ...one, idx }, whole)),
    },
    steps: {
      schema: z.array(step.schema),
      read: (part, whole) => {
        const ids = part["action_ids"] as Readonly<Record<string, string>>; // given besides
        return listIn(part, "steps").map((one, idx) =>
          step.read({ ...one, idx, action_id: ids[String(one["action"])] }, whole),
        );
      },
    },
  },
});
