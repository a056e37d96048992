-- Whether plans that change nothing are passed over in an org, whatever its apps' configs say.

alter table orgs add column auto_skip_noops boolean not null default false;
