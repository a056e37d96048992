import { fileText } from "./file-text.ts";
import { nameFrom } from "./name-from.ts";

/** The files of a small app by their names: each member with what the table of files says of it. */
export function starterFiles(folderName: string): Record<string, string> {
  return {
    "metadata.toml": fileText("metadata", {
      name: nameFrom(folderName, "my-app"),
      display_name: folderName,
      description: "What it is for, in a sentence.",
    }),
    "inputs.toml": fileText("inputs", {
      input: [
        {
          name: "greeting",
          display_name: "Greeting",
          description: "What the action says.",
          type: "string",
          default: "Hello",
        },
      ],
    }),
    "actions/greet.toml": fileText("action", {
      name: "greet",
      timeout: "1m",
      triggers: [{ type: "manual" }],
      steps: [
        {
          name: "greet",
          inline_contents: "./scripts/greet.sh",
          env_vars: {
            GREETING: "{{ .svc.inputs.inputs.greeting }}",
            INSTALL: "{{ .svc.install.name }}",
          },
        },
      ],
    }),
    "scripts/greet.sh":
      '#!/bin/sh\n# What comes from an install comes in variables: in double quotes, a shell runs nothing of it.\necho "$GREETING from $INSTALL"\n',
  };
}
