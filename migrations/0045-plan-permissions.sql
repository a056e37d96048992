-- Plans are read by few roles (shared/permissions.ts). A custom role, or a token, may be granted it beyond its role.
alter table roles
  add column grants text[] not null default '{}' check (grants <@ '{plans.read,plans.secrets}'::text[]);
alter table tokens
  add column grants text[] not null default '{}' check (grants <@ '{plans.read,plans.secrets}'::text[]),
  add check (grants = '{}' or role_type is not null);

insert into roles (id, role_type, title, description, applies_to, assignable, managed, grants) values
  ('rol_00000000000000000000000010', 'org_read_only', 'Plan reader',
   'Reads everything but tokens, and plans without their secrets.', '{account}', true, false, '{plans.read}'),
  ('rol_00000000000000000000000011', 'org_read_only', 'Secrets reader',
   'Reads everything but tokens, and plans with their secrets.', '{account}', true, false, '{plans.read,plans.secrets}');
