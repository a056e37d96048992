import { createAccount } from "../../../broker/accounts/create-account.ts";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import type { Role } from "../../../shared/api/roles.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import { hostile, type View } from "./view.ts";

type Made = { readonly id: string };

/** Invitations to the org and roles of its own, and where pages show them. */
export async function givenAccessViews({ call, db }: GivenDashboard): Promise<View[]> {
  const policies = [
    { name: hostile.slice(0, 60), permissions: ["orgs.read", "jobs.read"] },
    { name: "approvals", permissions: ["approvals.respond"] },
  ];
  const body = { title: hostile, description: hostile, role_type: "org_support", policies };
  const role = (await call<Made>("POST /v1/roles", { body })).body.id;
  const bound = { title: "Installs one", role_type: "installer" };
  const narrow = [{ name: "installs", permissions: ["installs.read"] }];
  await call("POST /v1/roles", { body: { ...bound, policies: narrow } });
  const { items } = (await call<{ items: Role[] }>("GET /v1/roles")).body;
  const wide = ["org_admin", "installer"];
  const managed = items.flatMap((one) =>
    one.managed && wide.includes(one.role_type) ? [one.id] : [],
  );
  const { orgId: home } = await bootstrapOrg(db, "Home");
  const person = { accountType: "auth", name: hostile, email: "", createdById: "" };
  const invites: string[] = [];
  for (const subject of ["one", "two"]) {
    const roles = ["org_read_only"];
    const account = await createAccount(db, home, { ...person, subject, roles });
    const invite = { account_id: account.id, roles: ["org_support", role] };
    invites.push((await call<Made>("POST /v1/orgs/current/invites", { body: invite })).body.id);
  }
  const [revoked = "", open = ""] = invites;
  await call(`POST /v1/orgs/current/invites/${revoked}/revoke`);
  const [list, path] = ["/org/invites", "/org/roles/{role_id}"];
  const none = "No roles of its own";
  return [
    { path: list, address: list, has: "revoked", whenEmpty: "No invitations" },
    { path: list, address: `${list}/new`, has: "no more than you may" },
    { path: list, address: `${list}/${open}/renew`, has: "counts from now on" },
    { path: list, address: `${list}/${open}/revoke`, has: "accepted no more" },
    { path: "/org/roles", address: "/org/roles", has: "Roles that this org made", whenEmpty: none },
    ...managed.map((id) => ({ path, address: `/org/roles/${id}/narrow`, has: "what you tick" })),
    { path, address: `/org/roles/${managed[0]}`, has: "What it permits" },
    { path, address: `/org/roles/${role}`, has: "What it permits" },
    { path, address: `/org/roles/${role}/change`, has: "within a second" },
    { path, address: `/org/roles/${role}/delete`, has: "cannot be undone" },
    { path: "/tokens", address: "/tokens/new", has: "shown once" },
  ];
}
