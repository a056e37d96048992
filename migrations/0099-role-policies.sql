-- What roles permit, by name. Of the service's own roles these rows are kept equal to the code's table (broker/roles/).

create table role_policies (
  role_id      svc_id not null references roles (id) on delete cascade,
  name         text not null check (length(name) between 1 and 63),
  permissions  text[] not null,
  primary key (role_id, name)
);
