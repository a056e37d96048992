import { fault, job, type MakePiece, repo, tables, thing, top } from "./layout-piece.ts";

/** Inputs, installs, branches, and what begins by events. */
export const deliveryPieces: Readonly<Record<string, MakePiece>> = {
  "an input that customers give": ({ name, pick }) => {
    const [own, group] = [name("domain"), name("network")];
    const is = pick("true", "false");
    return {
      rows: ["user_configurable"],
      parts: [
        thing("group", group, `name = "${group}"\n`),
        thing("input", own, `name = "${own}"\ngroup = "${group}"\nuser_configurable = ${is}\n`),
      ],
      keeps: [
        ["inputs.input", own, { group, source: is === "true" ? "customer" : "vendor" }],
        ["inputs.group", group, {}],
      ],
      faults: [
        fault("unknown_group", 1, ["group =", '«unknown_group»group = "nope"\n#']),
        fault("wrong_type", 1, ["user_configurable =", '«wrong_type»user_configurable = "yes"\n#']),
        fault("one_of", 1, [
          "user_configurable =",
          `source = "${is === "true" ? "vendor" : "customer"}"\n«one_of»user_configurable =`,
        ]),
        fault("wrong_type", 1, ["group =", "«wrong_type»default = 5\ngroup ="]),
        fault("bad_value", 1, ["group =", '«bad_value»type = "numbr"\ngroup =']),
        fault("wrong_type", 0, ["name =", "«wrong_type»description = true\nname ="]),
      ],
    };
  },
  "further files of inputs": ({ name, pick }) => {
    const [own, further, second] = [name("own"), name("further"), name("second")];
    const file = pick("inputs/net.toml", "more/net.toml");
    const key = pick("source", "sources");
    /** Told of the element of a list, else of the key. */
    const given = (path: string, mark = ""): string =>
      key === "source" ? `${mark}source = "${path}"` : `sources = [${mark}"${path}"]`;
    const named = (code: string, part: number, [from, to]: readonly [string, string]) =>
      fault(code, part, [given(from), given(to, `«${code}»`)]);
    const lost = [
      named("missing_file", 2, ["./db.toml", "./gone.toml"]),
      named("bad_value", 0, [`./${file}`, "./metadata.toml"]),
      named("remote_contents", 0, [`./${file}`, "https://x.example/a"]),
      named("outside_root", 0, [`./${file}`, "../x.toml"]),
    ];
    return {
      rows: ["source and sources of inputs"],
      parts: [
        top("inputs.toml", `${given(`./${file}`)}\n`),
        thing("input", own, `name = "${own}"\n`),
        { is: "file", file, body: `${given("./db.toml")}\n[[input]]\nname = "${further}"\n` },
        { is: "file", file: file.replace("net", "db"), body: `[[input]]\nname = "${second}"\n` },
      ],
      oneFile: ["inputs.toml"],
      keeps: [
        ["inputs.input", further, {}],
        ["inputs.input", second, {}],
      ],
      faults: [
        fault("duplicate_name", 3, ["name =", `«duplicate_name»name = "${further}"\n#`]),
        fault("wrong_type", 3, ["[[input]]", "[«wrong_type»input]"]),
        ...(file.startsWith("inputs/") ? [] : lost), // those of inputs/ would be inputs then
      ],
    };
  },
  "an install": ({ name, pick }) => {
    const [own, input, component] = [name("Acme Inc"), name("size"), name("optional")];
    const listed = pick('components = ["x"]', "components = { x = 1 }");
    return {
      rows: ["components of an install", "a template of a stack that is ./x"],
      parts: [
        thing("input", input, `name = "${input}"\n`),
        thing("component", component, `${job(component)}toggleable = true\n`),
        thing(
          "install",
          own,
          `name = "${own}"\n${listed}\ncomponent_toggles = { ${component} = false }\n[aws_account]\nregion = "eu-west-1"\n[stack_overrides]\nrunner_nested_template_url = "./${component}.json"\n[[inputs]]\n${input} = "x"\n`,
        ),
        {
          is: "text",
          of: 2,
          at: pick("own", "kind", "root"),
          path: `${component}.json`,
          body: "{}",
        },
      ],
      keeps: [
        [
          "installs",
          own,
          {
            aws_account: { region: "eu-west-1" },
            stack_overrides: { runner_nested_template: "{}" },
          },
        ],
      ],
      faults: [
        fault("unknown_input", 2, [`${input} =`, "«unknown_input»nope ="]),
        fault("unknown_component", 2, [`${component} = false`, "«unknown_component»nope = false"]),
        fault("wrong_type", 2, ['region = "eu-west-1"', "«wrong_type»region = 1"]),
        fault("wrong_type", 2, [`${component} = false`, `«wrong_type»${component} = 1`]),
        fault("missing_file", 2, [
          'runner_nested_template_url = "./',
          '«missing_file»runner_nested_template_url = "./no-',
        ]),
      ],
    };
  },
  "a branch": ({ name, pick }) => {
    const [own, runbook] = [name("main"), name("after")];
    const [run, preview] = pick(["run", "preview"], ["run_config", "preview_config"]);
    return {
      rows: ["preview of a branch"],
      parts: [
        thing(
          "branch",
          own,
          `name = "${own}"\npost_deploy_runbooks = ["${runbook}"]\n${repo}[${run}]\nmode = "push"\n[${preview}]\nmode = "plan-only"\n`,
        ),
        thing(
          "runbook",
          runbook,
          `name = "${runbook}"\n[[steps]]\nname = "s"\ntype = "sandbox_reprovision"\n`,
        ),
        tables(
          "trigger_rules.toml",
          `[[rule]]\nname = "${own}"\nevent_types = ["e"]\ntarget_type = "app_branch_run"\nbranch = "${own}"\n`,
        ),
      ],
      keeps: [
        ["branches", own, { run_config: { mode: "push" }, preview_config: { mode: "plan-only" } }],
        ["trigger_rules.rule", own, { branch: own }],
      ],
      faults: [
        fault("bad_value", 0, ['mode = "plan-only"', '«bad_value»mode = "plan"']),
        fault("unknown_runbook", 0, [`["${runbook}"]`, '[«unknown_runbook»"nope"]']),
        fault("unknown_branch", 2, ["branch =", '«unknown_branch»branch = "nope"\n#']),
        {
          code: "missing_key",
          edits: [
            [2, "[[rule]]", "[[«missing_key»rule]]"],
            [2, "branch =", "#"],
          ],
        },
        fault("missing_key", 1, [
          `[[steps]]\nname = "s"\ntype`,
          `[[«missing_key»steps]]\nname = "s"\n#`,
        ]),
      ],
    };
  },
};
