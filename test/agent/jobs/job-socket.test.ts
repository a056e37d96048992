import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { givenRunnerWithAgent } from "../../support/agent/given-jobs.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const main = path.join(import.meta.dirname, "..", "..", "..", "agent", "main.ts");
const svcAgent = `${process.execPath} ${main}`;

describe("a job's own processes", () => {
  test("set outputs without a file, as text or as JSON", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      {
        name: "set",
        interpolated_command: `
          printf 'two\\nlines\\n' | ${svcAgent} output set text
          echo '{"a": [1]}' | ${svcAgent} output set json --json
          echo file=1 >"$SVC_ACTIONS_OUTPUT_FILEPATH"`,
      },
    ]);
    expect(ended.description).toBe("");
    expect(ended.outputs).toMatchObject({ text: "two\nlines", json: { a: [1] }, file: "1" });
  });

  test("hand a secret to later steps, and to nobody else", async () => {
    const { runSteps, agent } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      {
        name: "make",
        interpolated_command: `echo very-secret-value-7 | ${svcAgent} output set password --secret`,
      },
      {
        name: "use",
        interpolated_command: `
          grep -c very-secret-value-7 "$SVC_ACTIONS_PREVIOUS_OUTPUTS_FILEPATH" | sed s/^/seen=/ >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
          echo leaked=very-secret-value-7 >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`,
      },
    ]);
    expect(ended).toMatchObject({ status: "finished", outputs: { seen: "1" } });
    expect(ended.outputs).not.toHaveProperty("password");
    expect(JSON.stringify([ended, agent.logged])).not.toContain("very-secret-value-7");
  });

  test("hide a secret from then on", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      {
        name: "hide",
        interpolated_command: `
          echo made-up-while-running-5 | ${svcAgent} redact add
          echo shown=made-up-while-running-5 >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`,
      },
    ]);
    expect(ended.status).toBe("finished");
    expect(JSON.stringify(ended)).not.toContain("made-up-while-running-5");
  });

  test("are told when it is too much, whether they say its size or not", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ask = `curl -s --unix-socket "$SVC_JOB_SOCKET" -H "authorization: Bearer $SVC_JOB_TOKEN"`;
    const ended = await runSteps([
      {
        name: "much",
        interpolated_command: `
          head -c 9000000 /dev/zero >zeros
          echo "sized=$(${ask} --data-binary @zeros http://x/secrets)" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
          echo "endless=$(${ask} -X POST -T - http://x/secrets <zeros)" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
          echo "broken=$(${ask} -d '{"secret": s3cret}' http://x/secrets)" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`,
      },
    ]);
    const much = JSON.stringify({ detail: "The body is larger than 2 MiB." });
    const broken = JSON.stringify({ detail: "The body is not JSON." });
    expect(ended.outputs).toMatchObject({ sized: much, endless: much, broken });
  });

  test("are refused with words: a wrong name, or somebody else's token", async () => {
    const { runSteps } = await givenRunnerWithAgent(fleet);
    const ended = await runSteps([
      {
        name: "wrong",
        interpolated_command: `
          said=$(echo x | ${svcAgent} output set 'no name' 2>&1) && exit 9
          echo "name=$said" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"
          said=$(echo x | SVC_JOB_TOKEN=other ${svcAgent} output set x 2>&1) && exit 9
          echo "token=$said" >>"$SVC_ACTIONS_OUTPUT_FILEPATH"`,
      },
    ]);
    expect(ended.description).toBe("");
    expect(ended.outputs["name"]).toContain("is not a valid output name");
    expect(ended.outputs["token"]).toContain("not the job's token");
  });
});
