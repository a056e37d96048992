import { expect, test } from "vitest";
import { agentProgram } from "../../agent/commands/program.ts";
import { helpFlag } from "../../shared/command-line/program.ts";
import { flagTable, reference } from "../../shared/command-line/reference.ts";

const program = agentProgram({});

test("docs/agent-cli.md is what the table of commands says", async () => {
  const page = reference(program, {
    head: [
      "# The svc-agent command line",
      "Generated from agent/commands/commands.ts by `npx vitest run test/agent/agent-docs.test.ts -u`.",
      "How to install and run the agent: [agent.md](agent.md).",
    ],
    common: [flagTable(helpFlag)],
  });
  await expect(page).toMatchFileSnapshot("../../docs/agent-cli.md");
});
