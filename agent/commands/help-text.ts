import { settingOf } from "../config/settings.ts";
import type { AgentCommand } from "./agent-command.ts";
import { settingFlags } from "./parse-line.ts";

/** What `svc-agent --help` prints. */
export function helpText(commands: readonly AgentCommand[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    "svc-agent takes jobs of a runner from a broker and does them.",
    "",
    ...commands.map(({ name, summary }) => `  svc-agent ${name.padEnd(width)}  ${summary}`),
    "",
    "svc-agent COMMAND --help tells a command's flags.",
  ].join("\n");
}

/** What `svc-agent COMMAND --help` prints. */
export function commandHelp(command: AgentCommand): string {
  const names = settingFlags(command);
  const rows = [
    ...Object.entries(command.flags ?? {}).map(([name, { value, doc }]) => [
      `--${name}${value === undefined ? "" : ` ${value}`}`,
      doc,
    ]),
    ...names.map((name) => {
      const { value, doc, byDefault } = settingOf(name);
      return [`--${name} ${value}`, byDefault === undefined ? doc : `${doc} [${byDefault}]`];
    }),
    ...(names.length === 0
      ? []
      : [["--config FILE", "Where settings are read: lines of name = value."]]),
  ];
  const width = Math.max(0, ...rows.map(([flag = ""]) => flag.length));
  return [
    `svc-agent ${command.name}${command.words === undefined ? "" : ` ${command.words}`}`,
    "",
    command.summary,
    "",
    ...rows.map(([flag = "", doc = ""]) => `  ${flag.padEnd(width)}  ${doc}`),
    ...(names.length === 0
      ? []
      : ["", "Each is SVC_AGENT_… in the environment, too; flags come first."]),
  ].join("\n");
}
