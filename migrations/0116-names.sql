-- Names that stand in paths where ids do are looked up in an org, or in one of its apps, where - is equal to _. On large tables create
-- these by hand first, concurrently.

create index if not exists installs_by_name on installs (org_id, replace(name, '-', '_')) where deleted_at is null;
create index if not exists components_by_name on components (org_id, replace(name, '-', '_')) where deleted_at is null;
create index if not exists actions_by_name on actions (org_id, replace(name, '-', '_')) where deleted_at is null;
create index if not exists runbooks_by_name on runbooks (org_id, replace(name, '-', '_')) where deleted_at is null;
