import { fault, job, type MakePiece, step, tables, thing, top } from "./layout-piece.ts";

/** Actions, runbooks, and what they read. */
export const actionPieces: Readonly<Record<string, MakePiece>> = {
  "steps of a runbook": ({ name, pick }) => {
    const [action, component, own] = [name("check"), name("worker"), name("daily")];
    const deploy = pick("deploy", "component_deploy");
    return {
      rows: ["action_name", "deploy_dependencies", "dependencies of a runbook"],
      parts: [
        thing("action", action, `name = "${action}"\n${step}`),
        thing("component", component, job(component)),
        thing(
          "runbook",
          own,
          `name = "${own}"\ndependencies = ["${component}"]\n[[steps]]\nname = "d"\ntype = "${deploy}"\ncomponent_name = "${component}"\ndeploy_dependencies = true\n[[steps]]\nname = "c"\ntype = "action"\naction_name = "${action}"\n`,
        ),
      ],
      keeps: [
        [
          "runbooks",
          own,
          {
            dependencies: [component],
            steps: [{ type: "component_deploy", deploy_dependencies: true }, { action }],
          },
        ],
      ],
      faults: [
        fault("unknown_action", 2, ["action_name =", '«unknown_action»action_name = "nope"\n#']),
        fault("unknown_component", 2, [
          "component_name =",
          '«unknown_component»component_name = "nope"\n#',
        ]),
        fault("unknown_component", 2, [`["${component}"]`, '[«unknown_component»"nope"]']),
        fault("one_of", 2, ["action_name =", `action = "${action}"\n«one_of»action_name = "x"\n#`]),
        fault("wrong_type", 2, [
          "deploy_dependencies = true",
          '«wrong_type»deploy_dependencies = "yes"',
        ]),
        fault("missing_key", 2, [`[[steps]]\nname = "d"`, "[[«missing_key»steps]]"]),
        fault("duplicate_name", 0, [
          step,
          `${step}[[steps]]\n«duplicate_name»name = "s"\ncommand = "false"\n`,
        ]),
      ],
    };
  },
  "the role of an action": ({ name }) => {
    const [role, own] = [name("emergency"), name("rescue")];
    return {
      rows: ["break_glass_role"],
      parts: [
        thing("breakGlass", role, `name = "${role}"\n`),
        thing("action", own, `name = "${own}"\nbreak_glass_role = "${role}"\n${step}`),
      ],
      keeps: [["actions", own, { role }]],
      faults: [
        fault("unknown_role", 1, [
          "break_glass_role =",
          '«unknown_role»break_glass_role = "nope"\n#',
        ]),
        fault("one_of", 1, [
          "break_glass_role =",
          `role = "${role}"\n«one_of»break_glass_role = "x"\n#`,
        ]),
        fault("missing_key", 1, [`name = "${own}"`, `«^missing_key»`]),
      ],
    };
  },
  triggers: ({ name, pick }) => {
    const own = name("cronned");
    const schedule = pick("0 7 * * *", "*/5 * * * *", "30 2 * * 1-5");
    return {
      rows: ["an ignored key"],
      parts: [
        thing(
          "action",
          own,
          `name = "${own}"\n«ignored_key»description = "x"\n«ignored_key»label = "y"\ntimeout = "5m"\n[[triggers]]\ntype = "cron"\ncron_schedule = "${schedule}"\n${step}«ignored_key»enable_kube_config = true\n`,
        ),
      ],
      keeps: [["actions", own, { triggers: [{ type: "cron", cron_schedule: schedule }] }]],
      faults: [
        fault("bad_cron", 0, ["cron_schedule =", '«bad_cron»cron_schedule = "every day"\n#']),
        fault("timeout_range", 0, ['timeout = "5m"', '«timeout_range»timeout = "2h"']),
        fault("missing_key", 0, [
          `[[triggers]]\ntype = "cron"\ncron`,
          `[[«missing_key»triggers]]\ntype = "cron"\n#`,
        ]),
        fault("bad_value", 0, ['timeout = "5m"', '«bad_value»timeout = "soon"']),
        fault("one_of", 0, ["[[steps]]\n", '[[«one_of»steps]]\nname = "t"\n[[steps]]\n']),
      ],
    };
  },
  "ignored keys of other things": ({ name, pick }) => {
    const [component, own] = [name("ticking"), name("asked")];
    return {
      rows: ["an ignored key"],
      parts: [
        thing("component", component, `${job(component)}«ignored_key»timeout = "5m"\n`),
        thing(
          "input",
          own,
          `name = "${own}"\n«ignored_key»label = "x"\n${pick("", "«ignored_key»hidden = true\n")}`,
        ),
      ],
      keeps: [
        ["components", component, { type: "job" }],
        ["inputs.input", own, {}],
      ],
      faults: [fault("wrong_type", 1, ["name =", "«wrong_type»required = 1\nname ="])],
    };
  },
  "roles of operations": ({ name, pick }) => {
    const [role, own] = [name("custom"), name("governed")];
    const root = pick("", "svc::", "acme::");
    return {
      rows: [
        "operation_roles.type",
        "roles of permissions",
        ...(root === "acme::" ? (["a root by a brand"] as const) : []),
      ],
      parts: [
        top("operation_roles.toml", 'type = "matrix"\n'),
        tables(
          "operation_roles.toml",
          `[[rules]]\noperation = "deploy"\nprincipal = "${root}component:${own}"\nrole = "${role}"\n`,
        ),
        thing("role", role, `type = "custom"\nname = "${role}"\n`),
        thing("component", own, job(own)),
      ],
      keeps: [
        ["operation_roles", "", { type: "matrix", rules: [{ role }] }],
        ["permissions.custom_roles", role, {}],
      ],
      faults: [
        fault("bad_value", 0, ['type = "matrix"', '«bad_value»type = "list"']),
        fault("unknown_role", 1, ["role =", '«unknown_role»role = "nope"\n#']),
        fault("unknown_component", 1, [
          "principal =",
          '«unknown_component»principal = "component:nope"\n#',
        ]),
        fault("unknown_action", 1, [
          "principal =",
          '«unknown_action»principal = "svc::action:nope"\n#',
        ]),
        fault("bad_value", 1, ["principal =", '«bad_value»principal = "zeta::sandbox"\n#']),
      ],
    };
  },
  "policies that roles share": ({ name }) => {
    const [policy, role] = [name("logs"), name("maker")];
    return {
      rows: ["named_policies of a role", "roles of permissions"],
      parts: [
        thing(
          "role",
          role,
          `type = "provision"\nname = "${role}"\n[[named_policies]]\nname = "${policy}"\n`,
        ),
        thing("namedPolicy", policy, `name = "${policy}"\ncontents = "{}"\n`),
      ],
      keeps: [
        ["permissions", "", { provision_role: { named_policy_names: [policy] } }],
        ["permissions.named_policies", policy, { contents: "{}" }],
      ],
      faults: [
        fault("unknown_policy", 0, [
          `[[named_policies]]\nname = "${policy}"`,
          `[[«unknown_policy»named_policies]]\nname = "nope"`,
        ]),
        fault("missing_key", 1, ['contents = "{}"\n', "«^missing_key»"]),
        fault("wrong_type", 1, ['contents = "{}"', "«wrong_type»contents = {}"]),
      ],
    };
  },
};
