import { commandsOf } from "../shared/command-line/program.ts";
import { flagTable, reference, table } from "../shared/command-line/reference.ts";
import { variables } from "./config.ts";
import { brokerFlags, everyFlags } from "./flags/global-flags.ts";
import { wholeProgram } from "./program.ts";

/** docs/cli.md, made from the table of commands; a test compares the file with it. */
export async function commandReference(): Promise<string> {
  return reference(await wholeProgram(), {
    head: [
      "# The svc command line",
      "Generated from the commands that cli/nouns.ts names, by `npx vitest run test/cli/reference.test.ts -u`.",
      "In the project's folder, type `./svc`: what it then suggests begins with `./svc`, too. `npm link` puts `svc` itself on your PATH. `svc COMMAND --help` has all of one command in one place.",
    ],
    common: [
      flagTable(everyFlags),
      "Commands that call a broker also take:",
      flagTable(brokerFlags),
      "### Environment",
      table("Variable", Object.entries(variables)),
      "Flags take precedence over the environment, the environment over the profile that `svc auth login` saved, and the " +
        "profile over the project's own `svc dev` (which SVC_DATA_DIR puts first). A saved token is only sent to the URL it was " +
        "saved with.",
    ],
  });
}

/** cli/outline.json: of every command what is known of it before its noun is loaded, a line each. */
export async function commandOutline(): Promise<string> {
  const commands = commandsOf(await wholeProgram());
  const nouns = Object.entries(Object.groupBy(commands, ({ name }) => name.split(" ")[0] ?? name));
  const lines = nouns.map(([noun, its = []]) => {
    const known = its.map(({ name, summary, isHidden }) => ({ name, summary, isHidden }));
    return `  ${JSON.stringify(noun)}: [\n${known.map((each) => `    ${JSON.stringify(each)}`).join(",\n")}\n  ]`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}
