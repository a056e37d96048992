import { fault, job, type MakePiece, type Row, repo, tables, thing } from "./layout-piece.ts";

/** A row, and what a template of it reads. */
type Reading = readonly [Row, string];

const functions: readonly [Reading, ...Reading[]] = [
  ["dig", '{{ dig "a" "b" "none" .svc.labels }}'],
  ["toPrettyJson", "{{ .svc.labels | toPrettyJson }}"],
  ["values", '{{ values .svc.labels | join "," }}'],
  ["print", '{{ print "x" .svc.id }}'],
  ["append", '{{ append (list 1) .svc.id | join "," }}'],
  ["slice", "{{ slice (list .svc.id) 0 1 | toJson }}"],
  ["substr", "{{ substr 0 3 .svc.id }}"],
  ["set", '{{ $m := dict }}{{ $_ := set $m "a" .svc.id }}{{ toJson $m }}'],
  ["div", "{{ div (len .svc.labels) 2 }}"],
  ["int64", "{{ int64 (len .svc.labels) }}"],
  ["duration", "{{ duration (len .svc.labels) }}"],
  ["kindIs", '{{ if kindIs "map" .svc.labels }}x{{ end }}'],
  ["a function without arguments as a value", "{{ set dict .svc.id 1 | toJson }}"],
  ["define and template", '{{ define "n" }}[{{ . }}]{{ end }}{{ template "n" .svc.id }}'],
  ["a variable declared in an action of its own", '{{ $s := "-" }}{{ print .svc.id $s }}'],
];
const marked = (code: string): readonly [string, string] => ["A =", `«${code}»A =`];

/** What templates read. */
export const templatePieces: Readonly<Record<string, MakePiece>> = {
  "functions of templates": ({ name, pick }) => {
    const own = name("rendered");
    const drawn = [..."ABCDEFGH"].map(() => pick(...functions));
    const [first = functions[0]] = drawn;
    const env = drawn.map(([, text], at) => `${"ABCDEFGH"[at]} = '${text}'\n`).join("");
    const variable = /\$\w+/.exec(first[1])?.[0] ?? "$none";
    return {
      rows: drawn.map(([row]) => row),
      parts: [
        thing(
          "action",
          own,
          `name = "${own}"\n[[steps]]\nname = "s"\ncommand = "true"\n[steps.env_vars]\n${env}`,
        ),
      ],
      keeps: [["actions", own, { steps: [{ env_vars: { A: first[1] } }] }]],
      faults: [
        fault("bad_template", 0, ["A = '", "«bad_template»A = '{{ .svc.id | nope }}"]),
        fault("bad_template", 0, ["A = '", "«bad_template»A = '{{ if .svc.id }}"]),
        fault("bad_template", 0, ["A = '", "«bad_template»A = '{{ print .svc.id $gone }}"]),
        fault("reference_unknown", 0, ["A = '", "«reference_unknown»A = '{{ .svc.nope }}"]),
        fault("bad_template", 0, ["A = '", `«bad_template»A = '{{ break .svc.id "${variable}" }}`]),
      ],
    };
  },
  "the state": ({ name, pick }) => {
    const [component, own] = [name("stated"), name("reader")];
    const root = pick("svc", "acme");
    const paths: readonly [Reading, ...Reading[]] = [
      ["populated", "sandbox.populated"],
      ["populated", "install_stack.populated"],
      ["install_stack.template_json", "install_stack.template_json"],
      ["install_stack without stack.toml", "install_stack.outputs.region"],
      ["name of a component's state", `components.${component}.name`],
    ];
    const [[row, path], [second, other]] = [pick(...paths), pick(...paths)];
    return {
      rows: [row, second, ...(root === "acme" ? (["a root by a brand"] as const) : [])],
      parts: [
        tables("sandbox.toml", repo),
        thing("component", component, job(component)),
        thing(
          "action",
          own,
          `name = "${own}"\n[[steps]]\nname = "s"\ncommand = "true"\n[steps.env_vars]\nA = "{{ .${root}.${path} }}"\nB = "{{ .svc.${other} | quote }}"\n`,
        ),
      ],
      keeps: [["actions", own, { steps: [{ env_vars: { A: `{{ .${root}.${path} }}` } }] }]],
      faults: [
        {
          code: "reference_unknown",
          edits: [
            [2, path, path.replace(/^(\w+)/, "$1x")],
            [2, ...marked("reference_unknown")],
          ],
        },
        {
          code: "reference_unknown",
          edits: [
            [2, path, "components.nope.outputs.x"],
            [2, ...marked("reference_unknown")],
          ],
        },
        fault("one_of", 0, [
          repo,
          `[connected_repo]\nrepo = "x"\n[«one_of»public_repo]\nrepo = "o/r"\n`,
        ]),
      ],
    };
  },
  "a root of nobody": ({ name }) => {
    const own = name("strayed");
    return {
      rows: ["unknown_root"],
      parts: [
        thing(
          "action",
          own,
          `name = "${own}"\n[[steps]]\nname = "s"\ncommand = "true"\n[steps.env_vars]\n«unknown_root»A = "{{ .zeta.install.id }} {{ .Values.x }}"\n`,
        ),
      ],
      faults: [
        fault("reference_unknown", 0, [
          '«unknown_root»A = "',
          '«reference_unknown»«unknown_root»A = "{{ .svc.install.idd }}',
        ]),
      ],
    };
  },
};
