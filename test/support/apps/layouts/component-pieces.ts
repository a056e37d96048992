import { fault, job, type MakePiece, repo, tables, thing, top } from "./layout-piece.ts";

const image = (name: string, type: string): string => `name = "${name}"\ntype = "${type}"\n`;
const chart = (name: string): string =>
  `name = "${name}"\ntype = "helm_chart"\nchart_name = "c"\n${repo}`;

/** Components, and what they stand on. */
export const componentPieces: Readonly<Record<string, MakePiece>> = {
  "an image in ECR": ({ name, pick }) => {
    const own = name("ecr");
    const type = pick("container_image", "external_image");
    return {
      rows: ["region of ECR"],
      parts: [
        thing(
          "component",
          own,
          `${image(own, type)}[aws_ecr]\nimage_url = "i"\ntag = "1"\nregion = "eu-west-1"\n`,
        ),
      ],
      keeps: [
        ["components", own, { type: "container_image", aws_ecr: { aws_region: "eu-west-1" } }],
      ],
      faults: [
        fault("wrong_type", 0, ['region = "eu-west-1"', "«wrong_type»region = 1"]),
        fault("one_of", 0, ['tag = "1"', 'tag = "1"\n«one_of»update_policy = "x"']),
        fault("bad_value", 0, [`type = "${type}"`, '«bad_value»type = "constructor"']),
        fault("missing_key", 0, [
          "[aws_ecr]\nimage_url",
          "[«missing_key»aws_ecr]\n«ignored_key»tagg",
        ]),
      ],
    };
  },
  "an image in GAR": ({ name }) => {
    const own = name("gar");
    return {
      rows: ["region of GAR"],
      parts: [
        thing(
          "component",
          own,
          `${image(own, "container_image")}[gcp_gar]\nimage_url = "i"\ntag = "1"\ngcp_project_id = "p"\nregion = "europe-west1"\n`,
        ),
      ],
      keeps: [["components", own, { gcp_gar: { gcp_region: "europe-west1" } }]],
      faults: [
        {
          code: "missing_key",
          edits: [
            [0, "[gcp_gar]", "[«missing_key»gcp_gar]"],
            [0, "region =", "«ignored_key»regionn ="],
          ],
        },
        fault("one_of", 0, ["region =", '«one_of»region = "x"\ngcp_region =']),
      ],
    };
  },
  "an image in ACR": ({ name }) => {
    const [own, secret] = [name("acr"), name("password")];
    return {
      rows: [],
      parts: [
        thing("secret", secret, `name = "${secret}"\n`),
        thing(
          "component",
          own,
          `${image(own, "container_image")}[azure_acr]\nimage_url = "i"\ntag = "1"\nregistry_url = "r"\nclient_secret_name = "${secret}"\n`,
        ),
      ],
      keeps: [["secrets.secret", secret, {}]],
      faults: [
        {
          code: "unknown_key",
          edits: [[0, "name =", "«^missing_key»«unknown_key»nam ="]],
        },
        fault("one_of", 0, ["name =", 'default = "x"\n«one_of»auto_generate = true\nname =']),
      ],
    };
  },
  "values files": ({ name, pick }) => {
    const own = name("chart");
    const [a, b] = [`${own}-a.yaml`, `${own}-b.yaml`];
    return {
      rows: ["values_file path", "values_file source"],
      parts: [
        thing(
          "component",
          own,
          `${chart(own)}[[values_file]]\npath = "${pick("", "./")}${a}"\n[[values_file]]\nsource = "${pick("", "./")}${b}"\n`,
        ),
        { is: "text", of: 0, at: pick("own", "kind", "root"), path: a, body: "a: 1\n" },
        { is: "text", of: 0, at: pick("own", "kind", "root"), path: b, body: "b: 1\n" },
      ],
      keeps: [
        ["components", own, { values_file: [{ contents: "a: 1\n" }, { contents: "b: 1\n" }] }],
      ],
      faults: [
        fault("one_of", 0, ["source =", '«one_of»source = "gone.yaml"\ncontents = "y"\n#']),
        fault("missing_file", 0, ["path =", '«missing_file»path = "gone/x.yaml"\n#']),
        fault("outside_root", 0, [
          "path =",
          '«outside_root»path = "./../../../../../../../x.yaml"\n#',
        ]),
        fault("remote_contents", 0, [
          "path =",
          '«remote_contents»path = "https://example.com/x.yaml"\n#',
        ]),
      ],
    };
  },
  "a cluster by a component": ({ name }) => {
    const [context, cluster, app] = [name("data"), name("cluster"), name("onit")];
    return {
      rows: ["kubernetes_context of a component"],
      parts: [
        thing("context", context, `name = "${context}"\ncomponent = "${cluster}"\n`),
        thing("component", cluster, `name = "${cluster}"\ntype = "terraform_module"\n${repo}`),
        thing("component", app, `${job(app)}kubernetes_context = "${context}"\n`),
      ],
      keeps: [
        ["kubernetes_contexts.context", context, { source_component_name: cluster }],
        ["components", app, { kubernetes_context: context }],
      ],
      faults: [
        fault("unknown_component", 0, ["component =", '«unknown_component»component = "nope"\n#']),
        fault("unknown_kubernetes_context", 2, [
          "kubernetes_context =",
          '«unknown_kubernetes_context»kubernetes_context = "nope"\n#',
        ]),
        fault("self_dependency", 1, [
          "type =",
          `«self_dependency»kubernetes_context = "${context}"\ntype =`,
        ]),
      ],
    };
  },
  "components that need each other": ({ name }) => {
    const [first, second] = [name("aa"), name("bb")];
    return {
      rows: ["health of a component"],
      parts: [
        thing(
          "component",
          first,
          `${job(first)}[health]\nstabilization_window = "3m"\n[[health.probes]]\ntype = "http"\nurl = "https://x"\n`,
        ),
        thing("component", second, `${job(second)}dependencies = ["${first}"]\n`),
      ],
      keeps: [["components", first, { health: { probes: [{ type: "http" }] } }]],
      faults: [
        fault("dependency_cycle", 0, [
          'type = "job"',
          `«^dependency_cycle»type = "job"\ndependencies = ["${second}"]`,
        ]),
        fault("self_dependency", 1, [`["${first}"`, `["${first}", «self_dependency»"${second}"`]),
        fault("unknown_component", 1, [`["${first}"`, '[«unknown_component»"nope"']),
        fault("bad_value", 0, ['type = "http"', '«bad_value»type = "htp"']),
        fault("timeout_range", 0, [
          "stabilization_window =",
          '«timeout_range»stabilization_window = "2h"\n#',
        ]),
        fault("wrong_type", 1, ["dependencies =", '«wrong_type»dependencies = "x"\n#']),
      ],
    };
  },
  "templates of a stack": ({ name, pick }) => {
    const net = name("net");
    const git = pick(
      "github.com/o/r//gcp/more",
      "git::https://example.com/o/r",
      "https://x.example/t",
    );
    return {
      rows: [
        "a template of a stack that is ./x",
        ...(git.startsWith("https:") ? [] : (["a template of a stack in a repository"] as const)),
      ],
      parts: [
        top("stack.toml", 'type = "aws-cloudformation"\n'),
        tables(
          "stack.toml",
          `[[custom_nested_stacks]]\nname = "${net}"\ntemplate_url = "./arm/net.json"\n[[custom_nested_stacks]]\nname = "more"\ntemplate_url = "${git}"\n`,
        ),
        { is: "file", file: "arm/net.json", body: "{}" },
      ],
      keeps: [
        [
          "stack",
          "",
          { custom_nested_stacks: [{ template_url: "./arm/net.json", contents: "{}" }, {}] },
        ],
      ],
      faults: [
        fault("bad_value", 1, [`template_url = "${git}"`, '«bad_value»template_url = "more"']),
        fault("missing_file", 1, ['template_url = "./arm', '«missing_file»template_url = "./arn']),
        fault("bad_value", 0, ['type = "aws-cloud', '«bad_value»type = "aws-clod']),
      ],
    };
  },
};
