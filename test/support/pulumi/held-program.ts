/**
 * A folder of a repository with such a program. Node finds what it imports in the agent's folder: the artifact stays small.
 */
export const heldProgram = (
  name: string,
  mark: (of: string) => string,
): Record<string, string> => ({
  [`${name}/Pulumi.yaml`]: `name: ${name}\nruntime: nodejs\n`,
  [`${name}/index.js`]: program(name, mark),
  [`${name}/package.json`]: `{"name":"${name}","version":"1.0.0"}`,
  [`${name}/package-lock.json`]: `{"name":"${name}","version":"1.0.0","lockfileVersion":3,"packages":{"":{"name":"${name}","version":"1.0.0"}}}`,
});

/** Says what it makes, once it does, and makes more when it is let go on. */
const program = (name: string, mark: (of: string) => string): string => `
const pulumi = require("@pulumi/pulumi");
const fs = require("node:fs");
const { execFile } = require("node:child_process");
const { promisify } = require("node:util");
new pulumi.ComponentResource("words:index:Part", "first");
module.exports = async () => {
  if (!pulumi.runtime.isDryRun()) {
    fs.appendFileSync(${JSON.stringify(mark("ran"))}, "${name}\\n");
    await promisify(execFile)("sh", ["-c", "until [ -e ${mark(`go-${name}`)} ]; do sleep 0.05; done"]);
  }
  new pulumi.ComponentResource("words:index:Part", "second");
  return { url: "${name}/" + new pulumi.Config().require("size") };
};
`;
