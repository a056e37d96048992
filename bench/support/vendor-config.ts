/** The files of a config of 200 files, as vendors write them: `nth` makes it another config. */
export function vendorConfig(nth: number): ReadonlyMap<string, string> {
  const files = new Map([
    ["metadata.toml", `name = "large"\ndescription = "Take ${nth}."\nreadme = "./README.md"\n`],
    ["README.md", "# Large\n\nInstalled as {{ .svc.install.name }}.\n".repeat(20)],
    ["runner.toml", 'runner_type = "aws"\n'],
    ["sandbox.toml", sandbox],
  ]);
  for (let at = 0; at < counts.inputs; at++)
    files.set(`inputs/group-${at % 5}/i${at}.toml`, `name = "i${at}"\ndefault = "${at}"\n`);
  for (let at = 0; at < counts.charts; at++) {
    files.set(`components/team-${at % 7}/c${at}.toml`, chartOf(at));
    files.set(`components/team-${at % 7}/c${at}.yaml`, valuesOf(at));
  }
  for (let at = 0; at < counts.actions; at++) {
    files.set(`actions/a${at}/action.toml`, actionOf(at));
    files.set(`actions/a${at}/run.sh`, scriptOf(at));
  }
  for (let at = 0; files.size < wholeFiles; at++) files.set(`runbooks/r${at}.toml`, runbookOf(at));
  return files;
}

/** How many files it has. */
export const wholeFiles = 200;
const counts = { inputs: 30, charts: 40, actions: 35 } as const;

const sandbox =
  'terraform_version = "1.9.0"\n[public_repo]\nrepo = "o/r"\n[vars]\nregion = "{{ .svc.install_stack.outputs.region }}"\n';

const chartOf = (at: number): string =>
  `name = "c${at}"\ntype = "helm_chart"\nchart_name = "c${at}"\nnamespace = "team"\n` +
  `dependencies = [${at === 0 ? "" : `"c${Math.floor(at / 2)}"`}]\n[public_repo]\nrepo = "o/r"\ndirectory = "charts/c${at}"\n` +
  `[values]\nname = "{{ .svc.install.name }}"\n[[values_file]]\ncontents = "./c${at}.yaml"\n`;

const valuesOf = (at: number): string =>
  `image: i${at}\nhost: {{ .svc.inputs.inputs.i${at % counts.inputs} }}\nlabels: {{ .Values.labels }}\n`.repeat(
    10,
  );

const actionOf = (at: number): string =>
  `name = "a${at}"\ntimeout = "5m"\n[[triggers]]\ntype = "post-provision"\nindex = ${at}\n[[steps]]\nname = "run"\n` +
  `inline_contents = "./run.sh"\n[steps.env_vars]\nHOST = "{{ .svc.inputs.inputs.i${at % counts.inputs} }}"\n`;

const scriptOf = (at: number): string => `#!/bin/sh\n${`echo "take ${at} of $HOST"\n`.repeat(25)}`;

const runbookOf = (at: number): string =>
  `name = "r${at}"\n[[steps]]\nname = "one"\ntype = "action"\naction_name = "a${at % counts.actions}"\n` +
  `[[steps]]\nname = "two"\ntype = "deploy"\ncomponent_name = "c${at % counts.charts}"\n`;
