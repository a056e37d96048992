import { existsSync } from "node:fs";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { canChangeUsers, givenJobUsers, leftOut } from "../../support/agent/given-job-users.ts";
import { wait } from "../../support/agent/given-killable-agent.ts";
import { type Fleet, givenFleet } from "../../support/broker/given-fleet.ts";
import { until } from "../../support/broker/given-polling.ts";
import { agentProgram } from "../../support/programs/present-programs.ts";
import { testFolder } from "../../support/run/folder.ts";
import { readRootFile } from "../../support/run/source-files.ts";
import { startGitServer } from "../../support/sources/git-server.ts";
import { givenRepository } from "../../support/sources/given-repository.ts";

let fleet: Fleet;

beforeAll(async () => {
  fleet = await givenFleet();
});

const step = (script: string, more: object = {}): object => ({
  name: "step",
  interpolated_inline_contents: script,
  ...more,
});

const action = (scripts: readonly string[], plan: object = {}) => ({
  type: "actions-workflow" as const,
  plan: JSON.stringify({
    ...plan,
    steps: scripts.map((script, at) => step(script, { name: `step ${at}` })),
  }),
});

if (!canChangeUsers) test(leftOut, () => expect(canChangeUsers).toBe(false));

const asRoot = canChangeUsers ? describe : () => {};
asRoot("jobs as other users", () => {
  test("a job has a user of its own, without groups and rights, and works as any other", async () => {
    const runner = await givenJobUsers(fleet, [59_000, 59_001]);
    const first = `
      set_output() { svc-agent output set "$1"; }
      id -u | set_output user; id -G | set_output groups
      stat -c '%u %a' "$HOME" | set_output home; stat -c '%u %a' "$TMPDIR" | set_output tmp
      umask | set_output umask
      grep -c '^NoNewPrivs:.*1' /proc/self/status | set_output no_new_privs
      grep '^CapEff' /proc/self/status | tr -d '\\t' | set_output rights
      printf '%s' "$QUOTED" | set_output quoted
      echo hunter22hunter22 | svc-agent output set --secret word
      echo kept > "$TMPDIR/left"; echo in_file=yes >> "$SVC_ACTIONS_OUTPUT_FILEPATH"
      mv "$SVC_ACTIONS_OUTPUT_FILEPATH" "$TMPDIR/o"; mv "$TMPDIR/o" "$SVC_ACTIONS_OUTPUT_FILEPATH"`;
    const second = `
      grep -q hunter22hunter22 "$SVC_ACTIONS_PREVIOUS_OUTPUTS_FILEPATH" && cat "$TMPDIR/left" | svc-agent output set left
      test "$(cat "$KUBECONFIG")" = cluster && kubectl_like() { echo changed > "$KUBECONFIG"; } && kubectl_like && echo config=changed >> "$SVC_ACTIONS_OUTPUT_FILEPATH"`;
    const quoted = `it's "quoted" $HOME \`id\`\nand \\ long`;
    const plan = {
      override_env_vars: { QUOTED: quoted, UID: "0" },
      cluster_info: { kube_config: "cluster", env_vars: { LD_PRELOAD: "/nowhere.so" } },
    };
    const job = await runner.run(action([first, second], plan));
    expect(job.description).toBe("");
    const { user, groups, ...outputs } = job.outputs;
    expect(["59000", "59001"]).toContain(user);
    expect(groups).toBe(user);
    expect(outputs).toMatchObject({
      home: `${String(user)} 700`,
      tmp: `${String(user)} 700`,
      umask: "0077",
      no_new_privs: "1",
      rights: "CapEff:0000000000000000",
      quoted,
      in_file: "yes",
      left: "kept",
      config: "changed",
    });
    expect(runner.running()).toEqual([]);
    expect(existsSync(path.join(runner.agent.dataDir, "work", "left"))).toBe(false);
  });

  test("the rights that the unit leaves to the agent are enough, for sources and credentials too", async () => {
    const unit = await readRootFile("deploy/svc-agent.service");
    const [, rights = ""] = /^CapabilityBoundingSet=(.*)$/m.exec(unit) ?? [];
    const bounding = rights.toLowerCase().replaceAll("cap_", "+").split(" ").join(",");
    const less = ["--no-new-privs", "--inh-caps=-all", `--bounding-set=-all,${bounding}`];
    const command = ["setpriv", ...less, process.execPath, agentProgram] as const;
    const runner = await givenJobUsers(fleet, [59_060, 59_060], {}, command);
    const { folder, commit } = await givenRepository();
    await commit("what", "fetched");
    const { url } = await startGitServer({
      folders: { repo: folder },
      login: "x-access-token:aSecretOfGit1234",
    });
    const auth = { password: "aSecretOfGit1234" };
    const source = { url: `${url}/repo`, ref: "main", auth };
    const steps = [
      step('test "$(cat what)" = fetched; touch new; stat -c %u . | svc-agent output set owner', {
        git_source: source,
      }),
      step("true", { name: "other", git_source: { ...source, ref: "nowhere" } }),
    ];
    const plan = JSON.stringify({ steps });
    const job = await runner.run({ type: "actions-workflow", plan });
    expect(job.description).toContain("nowhere");
    expect(job.description).toContain("fetching it failed");
    expect(job.outputs).toMatchObject({ owner: "59060" });
  });

  test("two jobs at once have two users, and none finds what is another's", async () => {
    const runner = await givenJobUsers(fleet, [59_010, 59_013]);
    const go = path.join(runner.marks, "go");
    const victim = `
      echo treasure > "$SVC_WORKSPACE/treasure"; chmod 777 "$SVC_WORKSPACE" "$SVC_WORKSPACE/treasure" "$HOME"
      (exec sleep 1000) & echo "$! $SVC_WORKSPACE $SVC_EXECUTION_ID $(dirname "$SVC_JOB_SOCKET")" > ${runner.marks}/told; chmod 644 ${runner.marks}/told; mv ${runner.marks}/told ${runner.marks}/victim
      ${wait(go)}
      kill -0 %1 && id -u | svc-agent output set user`;
    const thief = `
      read -r pid workspace execution folder < ${runner.marks}/victim
      got() { echo "GOT $*"; }
      cat "$workspace/treasure" && got treasure
      ls "$workspace" && got workspace
      ls "$folder" && got folder; cat "$folder/own/"* && got secrets
      kill -9 "$pid" && got killed; kill -CONT "$pid" && got signal
      for it in environ mem maps; do head -c 1 /proc/$pid/$it && got $it; done
      ls /proc/$pid/fd/ && got fd; ls /proc/$pid/cwd/ && got cwd
      id -u | svc-agent output set user`;
    const held = await runner.enqueue(action([victim]));
    await until(() => existsSync(path.join(runner.marks, "victim")));
    const stole = await runner.run(action([`{ ${thief}\n} 2>/dev/null; echo done`]));
    await writeFile(go, "");
    const robbed = await runner.ended(held);
    expect(stole.description).toBe("");
    expect(robbed.description).toBe("");
    const said = (await runner.logOf(stole.id)).join("\n");
    expect(said).toContain("done");
    expect(said).not.toContain("GOT");
    expect(stole.outputs["user"]).not.toBe(robbed.outputs["user"]);
  });

  test("no daemon survives its job, whatever it has shed", async () => {
    const runner = await givenJobUsers(fleet, [59_020, 59_020]);
    const script = `
      env -i setsid -f sleep 1000
      env -i setsid -f bash -c 'trap "" TERM HUP; (while :; do sleep 0.1; done) & wait'
      echo left > /tmp/svc-left-$(id -u); echo left > /dev/shm/svc-left-$(id -u)`;
    const job = await runner.run(action([script]));
    expect(job.description).toBe("");
    await until(() => runner.running().length === 0);
    // The next job of the same user finds nothing of the one before.
    const next = await runner.run(action(["! ls /tmp/svc-left-* /dev/shm/svc-left-*"]));
    expect(next.description).toBe("");
  });

  test("jobs wait for a user where there are fewer than slots", async () => {
    const runner = await givenJobUsers(fleet, [59_030, 59_030]);
    const go = path.join(runner.marks, "go");
    const first = await runner.enqueue(action([`touch ${runner.marks}/first; ${wait(go)}`]));
    await until(() => existsSync(path.join(runner.marks, "first")));
    const second = await runner.enqueue(action([`test -e ${go}`]));
    await until(async () => (await runner.job(second)).status === "in-progress");
    await writeFile(go, "");
    expect((await runner.ended(first)).description).toBe("");
    expect((await runner.ended(second)).description).toBe("");
  });

  test("an agent that is killed takes its jobs up as who they were", async () => {
    const runner = await givenJobUsers(fleet, [59_040, 59_043]);
    const go = path.join(runner.marks, "go");
    const scripts = [
      `id -u > ${runner.marks}/before; ${wait(go)}; echo of=first >> "$SVC_ACTIONS_OUTPUT_FILEPATH"`,
      `echo "same=$([ "$(id -u)" = "$(cat ${runner.marks}/before)" ] && echo yes)" >> "$SVC_ACTIONS_OUTPUT_FILEPATH"`,
    ];
    const jobId = await runner.enqueue(action(scripts));
    await until(() => existsSync(path.join(runner.marks, "before")));
    runner.agent.kill("SIGKILL");
    await runner.agent.ended;
    await runner.again();
    await writeFile(go, "");
    const { description, outputs } = await runner.ended(jobId);
    expect(description).toBe("");
    expect(outputs).toMatchObject({ of: "first", same: "yes" });
    await until(() => runner.running().length === 0);
  });

  test("links of a job lead the agent nowhere: nothing of others is read, changed or taken away", async () => {
    const runner = await givenJobUsers(fleet, [59_050, 59_051]);
    const precious = await testFolder(0o700);
    const secret = path.join(precious, "outputs");
    await writeFile(secret, "stolen=yes\n", { mode: 0o600 });
    await mkdir(path.join(precious, "deep"), { mode: 0o500 });
    await writeFile(path.join(precious, "deep", "file"), "kept", { mode: 0o600 });
    const before = await stat(precious);
    const traps = `
      own=$(dirname "$(dirname "$(dirname "$SVC_ACTIONS_OUTPUT_FILEPATH")")")
      cd "$own"; rm -rf steps/1; ln -s ${precious} steps/1
      for n in 2 3; do ln -s ${precious} steps/$n; done
      ln -sf ${secret} outputs.json; ln -sf ${secret} outputs.json.new
      cd "$SVC_WORKSPACE/.."; rm -rf work home tmp sources
      for n in work home tmp sources a/b; do mkdir -p "$(dirname $n)"; ln -s ${precious} $n; done
      mkdir closed; touch closed/x; chmod 000 closed
      (while :; do rm -rf race; mkdir -p race/deep; touch race/deep/file; rm -rf race; ln -s ${precious} race; done) >/dev/null 2>&1 &
      exit 0`;
    const job = await runner.run(action([traps, "true", "true"]));
    expect(JSON.stringify(job)).not.toContain("stolen");
    expect(job.status).toBe("failed");
    expect(await readFile(secret, "utf8")).toBe("stolen=yes\n");
    expect(await readFile(path.join(precious, "deep", "file"), "utf8")).toBe("kept");
    const { uid, mode } = await stat(precious);
    expect({ uid, mode }).toEqual({ uid: before.uid, mode: before.mode });
    await until(() => runner.running().length === 0);
    const [execution] = (await runner.job(job.id)).executions;
    await until(() => !existsSync(path.join(runner.agent.dataDir, "work", execution?.id ?? "")));
    await until(() => !existsSync(path.join(runner.runDir, `${execution?.id}.job`)));
    // The user is whole again for the next job.
    expect((await runner.run(action(["true"]))).status).toBe("finished");
  });
});
