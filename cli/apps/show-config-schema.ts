import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";

export const showConfigSchema = defineCommand({
  name: "app schema",
  summary: "Show the JSON Schema of one kind of file of an app's config, for editors.",
  details:
    "The type is a kind of file (action, component, inputs …), or config for the whole JSON document.",
  isLocal: true,
  args: { type: { summary: "The kind of file." } },
  examples: [
    {
      does: "Write the schema of actions to a file.",
      run: "svc app schema action > action.schema.json",
    },
  ],
  run: async ({ args, screen }) => {
    const { configSchemaOf, configSchemaTypes } =
      await import("../../shared/app-config/config-schemas.ts");
    const schema = configSchemaOf(args.type);
    if (schema === undefined)
      throw new UsageError(
        `There is no type ${args.type}.`,
        `Types: ${configSchemaTypes.join(", ")}.`,
      );
    screen.out(JSON.stringify(schema, null, 2));
  },
});
