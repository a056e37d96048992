import { version } from "../../shared/version.ts";
import { defineCommand } from "../command.ts";

export const showVersion = defineCommand({
  name: "version",
  summary: "Show the version.",
  isLocal: true,
  examples: [
    { does: "Show the version.", run: "svc version" },
    { does: "Use the flag instead.", run: "svc --version" },
  ],
  run: async ({ screen }) => {
    const isPlain = screen.format === "table" || screen.format === "name";
    screen.out(isPlain ? version : JSON.stringify({ version }));
    return await Promise.resolve();
  },
});
