import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { canChangeUsers, givenJobUsers, leftOut } from "../../support/agent/given-job-users.ts";
import { startAgentProcess } from "../../support/agent/start-agent-process.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentProgram } from "../../support/programs/present-programs.ts";
import { testFolder } from "../../support/run/folder.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

/** What a job with a shell tries; it says "GOT …" for whatever it gets. */
const attack = `
set +e
got() { echo "GOT $*"; }
agent=$(cat "$MARKS/agent"); data=$(cat "$MARKS/data"); run=$(cat "$MARKS/run"); token_file=$(cat "$MARKS/token-file")
cat "$token_file" >/dev/null && got the token file
ls "$data" && got a list of the data directory
ls "$run" && got a list of the run directory
for f in agent.json process.json enrolled.json; do cat "$data/$f" >/dev/null && got "$f"; done
for d in executions results logs work; do ls "$data/$d" >/dev/null && got "the folder $d"; done
find "$data" "$run" -type f ! -user "$(id -u)" -readable ! -path "$data/bin/*" 2>/dev/null | grep . && got files
find "$data" "$run" ! -type l ! -user "$(id -u)" -writable 2>/dev/null | grep . && got writable places
echo evil >> "$data/bin/svc-agent" && got the program on its PATH
mv "$data/bin/svc-agent" "$data/bin/other" && got the programs folder
touch "$data/work/exe_evil" "$data/evil" "$run/evil" && got a new file
folder=$(dirname "$SVC_JOB_SOCKET")
for f in bearer secrets outputs-kept.json; do cat "$folder/$f" >/dev/null && got "kept $f"; done
ln -s /etc/passwd "$folder/secrets.new" && got a link beside what is kept
rm -f "$SVC_JOB_SOCKET" "$folder/bearer"; [ -e "$SVC_JOB_SOCKET" ] || got rid of the socket
child="$run/$SVC_EXECUTION_ID.1"
ls "$child" && got the output folder
echo 0 > "$child/code" && got to say how it ended
rm -rf "$child" "$folder"; [ -d "$folder" ] || got rid of the folder
for process in /proc/[0-9]*; do
  [ -O "$process" ] && continue
  # The kernel's own threads have neither arguments nor memory.
  words=""; IFS= read -r -d '' words <"$process/cmdline"; [ -n "$words" ] || continue
  for it in environ mem maps auxv; do : <"$process/$it" && got "$it of $process"; done
  for it in fd cwd root; do cd "$process/$it" && got "$it of $process" && cd /; done
done 2>/dev/null
cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -E 'svc_(rt|job|boot)_' && got a token in arguments
cat /proc/self/environ /proc/[0-9]*/environ 2>/dev/null | tr '\\0' ' ' | grep -E 'svc_(rt|job|boot)_' && got a token in variables
kill -9 "$agent" && got the agent killed
supervisor=$(awk '{print $4}' /proc/$$/stat); kill -9 "$supervisor" && got the supervisor killed
kill -0 "$agent" && got a signal through
echo 1000 > "/proc/$agent/oom_score_adj" && got it marked for death
sudo -n true && got root; su -c true && got su
cp /bin/bash "$TMPDIR/bash" && chmod u+s "$TMPDIR/bash" && [ "$("$TMPDIR/bash" -p -c 'id -u')" = 0 ] && got a setuid shell
unshare -Ur sh -c 'kill -9 "$0"; cat "$1"' "$agent" "$token_file" >/dev/null && got root in a namespace
for shm in /dev/shm/*; do find "$shm" -type f -readable ! -user "$(id -u)" -path '*svc-agent*' 2>/dev/null; done | grep . && got files in memory
echo done
`;

const asRoot = canChangeUsers ? describe : () => {};
if (!canChangeUsers) test(leftOut, () => expect(canChangeUsers).toBe(false));

asRoot("what a job with a shell cannot reach", () => {
  test("the token, the agent, its files, its sockets, the supervisor and how the job ended", async () => {
    const runner = await givenJobUsers(fleet, [59_100, 59_103]);
    const mark = async (name: string, text: string): Promise<void> =>
      await writeFile(path.join(runner.marks, name), text);
    await mark("agent", `${runner.agent.pid}`);
    await mark("data", runner.agent.dataDir);
    await mark("run", runner.runDir);
    await mark("token-file", runner.tokenFile);
    const plan = {
      override_env_vars: { MARKS: runner.marks },
      steps: [
        { name: "before", interpolated_inline_contents: "echo ok | svc-agent output set first" },
        {
          name: "attack",
          interpolated_inline_contents: `{ ${attack} } 2>/dev/null\nexit 7`,
        },
      ],
    };
    const job = await runner.run({ type: "actions-workflow", plan: JSON.stringify(plan) });
    const said = (await runner.logOf(job.id)).filter((line) => /^GOT|^done$/.test(line));
    expect(said).toEqual(["done"]);
    // Its end is its own, whatever it wanted to have written there.
    expect(job).toMatchObject({ status: "failed", result: { error_code: 7 } });
    expect(job.outputs).toMatchObject({ first: "ok" });
    await until(() => runner.running().length === 0);
    expect((await runner.run({ type: "noop" })).status).toBe("finished");
  });

  test("an agent that cannot give its jobs other users says so and ends: 78", async () => {
    const runner = await fleet.addRunner();
    const dataDir = await testFolder(0o777);
    const given = { url: fleet.broker.url, env: { SVC_AGENT_TOKEN: runner.token }, dataDir };
    const agent = await startAgentProcess({
      ...given,
      settings: { "job-user": "59200-59203" },
      command: [
        "setpriv",
        "--reuid=59210",
        "--regid=59210",
        "--clear-groups",
        process.execPath,
        agentProgram,
      ],
    });
    expect(await agent.ended).toBe(78);
    expect(agent.said.err).toContain("job-user is set, but the agent runs as user 59210");
  });

  test("a folder that they cannot enter is named at the start", async () => {
    const runner = await fleet.addRunner();
    const closed = await testFolder(0o700);
    const agent = await startAgentProcess({
      url: fleet.broker.url,
      env: { SVC_AGENT_TOKEN: runner.token },
      settings: { "job-user": "59220", "work-dir": path.join(closed, "work") },
    });
    expect(await agent.ended).toBe(78);
    expect(agent.said.err).toContain(`cannot enter ${closed}/work`);
  });

  test("users that another agent of the host has are not taken by a second one", async () => {
    const first = await givenJobUsers(fleet, [59_230, 59_231]);
    await until(() => existsSync(path.join(first.agent.dataDir, "process.json")));
    const runner = await fleet.addRunner();
    const given = { url: fleet.broker.url, env: { SVC_AGENT_TOKEN: runner.token } };
    const second = await startAgentProcess({ ...given, settings: { "job-user": "59230-59231" } });
    expect(await second.ended).toBe(78);
    expect(second.said.err).toContain("Another agent on this host uses all users of job-user");
  });
});
