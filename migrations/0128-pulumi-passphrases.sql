-- The passphrase of each workspace that Pulumi keeps its state in: secrets within the state, and within plans, are encrypted with it.

create table pulumi_passphrases (
  workspace_id svc_id not null,
  org_id svc_id not null,
  key_id text,
  contents bytea not null,
  created_at timestamp with time zone not null default svc_now(),
  constraint pulumi_passphrases_pkey primary key (org_id, workspace_id),
  constraint pulumi_passphrases_org_id_workspace_id_fkey foreign key (org_id, workspace_id)
    references terraform_workspaces (org_id, id) on delete cascade
);
create unique index pulumi_passphrases_by_workspace on pulumi_passphrases (workspace_id);

-- A state of Pulumi's has none.
alter table terraform_rescued_states alter column serial drop not null;
